// What each axis gave.
#include <catch2/catch.hpp>

#include "tests/unit/analysis/swept_run.h"

namespace benchbench {
namespace axes_test {

using test::six;
using test::Swept;
using test::words;

TEST_CASE("axes: each says what its best value gave against the base", "[unit][analysis]") {
  Swept run;
  for (const char* key :
       {"loader.num_workers", "dataset.format", "loader.shuffle", "loader.pin_memory", "loader.io"})
    run.axis(key);
  run.add({}, run.settings(2), six(100));
  run.workers(1, six(60));
  run.workers(4, six(150));
  run.workers(8, six(170));
  run.format("tar", {80, 125, 79, 127, 81, 124});
  run.format("hdf5", six(90));
  SettingsMap shuffled = run.settings(2);
  shuffled.set("loader.shuffle", words("true"));
  run.add({{"loader.shuffle", "true"}}, shuffled, six(100.5));
  SettingsMap pinned = run.settings(2);
  pinned.set("loader.pin_memory", words("true"));
  run.plan.points[run.point({{"loader.pin_memory", "true"}}, pinned)].skip = "needs CUDA";
  SettingsMap direct = run.settings(2);
  direct.set("loader.io", words("direct"));
  run.add({{"loader.io", "direct"}}, direct, six(70));

  const Findings f = run.found();
  REQUIRE(f.axes.size() == 5);
  const AxisEffect& workers = f.axes[0];
  CHECK(workers.key == "loader.num_workers");
  CHECK(workers.base_label == "2");
  CHECK(workers.outcome == AxisOutcome::gain);
  REQUIRE(workers.best_value());
  CHECK(workers.best_value()->label == "8");
  CHECK(workers.best_value()->ratio->value == Approx(1.7));
  CHECK(workers.best_value()->ratio->n == 6);
  CHECK(workers.values.size() == 3);
  CHECK(workers.values[0].shown == Shown::slower);

  CHECK(f.axes[1].outcome == AxisOutcome::not_shown);
  CHECK(f.axes[1].best_value()->label == "tar");
  CHECK(f.axes[1].detectable == f.axes[1].best_value()->detectable);
  CHECK(*f.axes[1].detectable > 0.2);
  CHECK(f.axes[2].outcome == AxisOutcome::nothing);
  CHECK(f.axes[3].outcome == AxisOutcome::could_not_be_tried);
  CHECK(f.axes[3].why == "needs CUDA");
  CHECK(f.axes[4].outcome == AxisOutcome::loss);
  CHECK(f.axes[4].best_value()->ratio->value == Approx(0.7));
}

TEST_CASE("axes: a grid's are read at otherwise the base's settings", "[unit][analysis]") {
  Swept run;
  run.plan.scenario.mode = SweepMode::grid;
  run.axis("loader.num_workers");
  run.axis("loader.batch_size");
  run.add({}, run.settings(2, 10), six(100));
  const auto point = [&](std::int64_t workers, std::int64_t batch, double rate) {
    return run.add({{"loader.num_workers", std::to_string(workers)},
                    {"loader.batch_size", std::to_string(batch)}},
                   run.settings(workers, batch), six(rate));
  };
  point(2, 20, 90);
  point(4, 10, 130);
  const auto both = point(4, 20, 200);
  const Findings f = run.found();
  REQUIRE(f.axes.size() == 2);
  REQUIRE(f.axes[0].values.size() == 1);
  CHECK(f.axes[0].values[0].label == "4");
  CHECK(f.axes[0].best_value()->ratio->value == Approx(1.3));
  REQUIRE(f.axes[1].values.size() == 1);
  CHECK(f.axes[1].values[0].label == "20");
  CHECK(f.axes[1].outcome == AxisOutcome::loss);
  CHECK(f.best == both);
}

TEST_CASE("axes: a zip is one, and a part's parameters belong to it", "[unit][analysis]") {
  Swept zipped;
  zipped.plan.scenario.mode = SweepMode::zip;
  zipped.axis("loader.num_workers");
  zipped.axis("loader.batch_size");
  zipped.add({}, zipped.settings(2, 10), six(100));
  zipped.add({{"loader.num_workers", "4"}, {"loader.batch_size", "20"}}, zipped.settings(4, 20),
             six(150));
  REQUIRE(zipped.found().axes.size() == 1);
  CHECK(zipped.found().axes[0].key == "loader.num_workers, loader.batch_size");
  CHECK(zipped.found().axes[0].base_label == "2, 10");
  CHECK(zipped.found().axes[0].best_value()->label == "4, 20");

  Swept parts;
  AxisValue real{"native(depth=3)",
                 {"loader.use", "loader.depth"},
                 {{"loader.use", words("native")}, {"loader.depth", test::whole(3)}}};
  parts.plan.scenario.axes = {{"loader", {real}}};
  parts.plan.scenario.max_jobs_follows = true;
  SettingsMap base = parts.settings(2), native = parts.settings(2);
  base.set("loader.use", words("synthetic"));
  native.set("loader.use", words("native"));
  native.set("loader.depth", test::whole(3));
  native.set("loader.max_jobs", test::whole(8));
  parts.add({}, base, six(100));
  parts.add({{"loader", "native(depth=3)"}}, native, six(150));
  REQUIRE(parts.found().axes.size() == 1);
  CHECK(parts.found().axes[0].base_label == "synthetic");
  CHECK(parts.found().axes[0].outcome == AxisOutcome::gain);
}

TEST_CASE("axes: what a value of the axis brings with it leaves it compared alone",
          "[unit][analysis]") {
  const auto outcome = [](const char* axis, const char* label, const char* with, auto... follow) {
    Swept run;
    run.axis(axis);
    (follow(run.plan.scenario), ...);
    SettingsMap base = run.settings(2), other = run.settings(2);
    other.set(axis, words(label));
    other.set(with, words("another"));
    run.add({}, base, six(100));
    run.add({{axis, label}}, other, six(150));
    return run.found().axes.at(0).outcome;
  };
  for (const char* key :
       {"loader.prefetch_factor", "loader.persistent_workers", "loader.multiprocessing_context"}) {
    CHECK(outcome("loader.num_workers", "0", key) == AxisOutcome::gain);
    CHECK(outcome("loader.num_workers", "0", key, [&](Scenario& s) {
            s.axes.push_back({key, {AxisValue{"another", {}, {}}}});
          }) == AxisOutcome::not_compared);
    CHECK(outcome("loader.batch_size", "20", key) == AxisOutcome::not_compared);
  }
  CHECK(outcome("loader.python", "./b", "trainer.python") == AxisOutcome::gain);
  CHECK(outcome("trainer.python", "./b", "loader.python") == AxisOutcome::gain);
  CHECK(outcome("loader.script", "./b", "loader.python") == AxisOutcome::not_compared);
  CHECK(outcome("loader.script", "./b", "trainer.intra_op_threads") == AxisOutcome::not_compared);
  CHECK(outcome("loader.script", "./b", "trainer.intra_op_threads",
                [](Scenario& s) { s.threads_follow = true; }) == AxisOutcome::gain);
  CHECK(outcome("loader.script", "./b", "measure.modes") == AxisOutcome::not_compared);
  CHECK(outcome("loader.script", "./b", "measure.modes",
                [](Scenario& s) { s.modes_follow = true; }) == AxisOutcome::gain);
}

TEST_CASE("axes: a repeat in a grid is a value of its own axis alone", "[unit][analysis]") {
  for (const bool labelled : {true, false}) {
    Swept run;
    run.plan.scenario.mode = SweepMode::grid;
    run.axis("loader.num_workers");
    run.axis("loader.shuffle");
    run.add(labelled
                ? decltype(Point::labels){{"loader.num_workers", "2"}, {"loader.shuffle", "file"}}
                : decltype(Point::labels){},
            run.settings(2), six(100));
    run.add({{"loader.num_workers", "2 #1"}, {"loader.shuffle", "file"}}, run.settings(2),
            six(100));
    const Findings f = run.found();
    REQUIRE(f.axes.size() == 2);
    CHECK(f.axes[0].values.size() == 1);
    CHECK(f.axes[1].values.empty());
    CHECK(f.axes[1].outcome == AxisOutcome::not_compared);
  }
}

TEST_CASE("axes: an A/A by hand shows nothing", "[unit][analysis]") {
  Swept run;
  run.axis("loader.num_workers");
  run.add({}, run.settings(2), {100, 104, 98, 101, 99, 103});
  for (const char* label : {"2 (2)", "2 (3)"})
    run.add({{"loader.num_workers", label}}, run.settings(2), {101, 99, 103, 100, 98, 104});
  const Findings f = run.found();
  CHECK_FALSE(f.best);
  REQUIRE(f.axes.size() == 1);
  CHECK(f.axes[0].values.size() == 2);
  CHECK(f.axes[0].outcome == AxisOutcome::not_shown);
}

}  // namespace axes_test
}  // namespace benchbench
