// Which points a sweep has, and which of them share a trial.
#include <set>

#include "harness/plan/points.h"
#include "harness/plan/trials.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_points {

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Point& p : plan.points) all.push_back(p.name());
  return all;
}

TEST_CASE("plan: a star holds the base first, and no value equal to the base's", "[unit][plan]") {
  const Plan plan =
      plan_text(kMock + "sweep: {loader.num_workers: [0, 1, 2], loader.batch_size: [1, 4]}\n");
  CHECK(names(plan) == std::vector<std::string>{"num_workers=0 batch_size=1 (base)",
                                                "num_workers=1", "num_workers=2", "batch_size=4"});
  for (std::uint32_t i = 0; i < plan.points.size(); ++i) CHECK(plan.points[i].index == i);
}

TEST_CASE("plan: a base that is in no axis is a point all the same", "[unit][plan]") {
  const Plan plan = plan_text(kMock + "sweep: {loader.num_workers: [1, 2]}\n");
  CHECK(names(plan) ==
        std::vector<std::string>{"num_workers=0 (base)", "num_workers=1", "num_workers=2"});
}

TEST_CASE("plan: the base's label on an axis is the value's that changes nothing, else its own",
          "[unit][plan]") {
  const auto label = [](const std::string& sweep) {
    const Plan plan = plan_text(kMock + "sweep: {" + sweep + "}\n");
    CHECK(plan.points.front().index == 0);
    return plan.points.front().labels.empty() ? "none" : plan.points.front().labels.front().second;
  };
  CHECK(label("loader.num_workers: [0, 1]") == "0");
  CHECK(label("loader.num_workers: [1, 2]") == "0");      // not among the values
  CHECK(label("loader.batch_time: [0ms, 1ms]") == "0s");  // as values are written
  CHECK(label("trainer: [{use: discard}, {use: timed}]") == "timed");
  CHECK(label("trainer: [{use: discard}]") == "timed");
  CHECK(label("trainer: [{use: timed, step_time: 1ms}]") == "timed");
  CHECK(label("loader.max_jobs: [2, 4]") == "2");
  CHECK(plan_text(kMock).points.front().labels.empty());
  CHECK(plan_text(kMock).points.front().name() == "base");
}

TEST_CASE("plan: a base of several axes and no workers still gets its second reference",
          "[unit][plan]") {
  const auto points = [](const std::string& sweep) {
    return plan_text(
               "dataset: {format: image_folder, synthesize: {samples: 64}}\n"
               "loader: {use: native, num_workers: 0, "
               "batch_size: 8}\ntrainer: {use: resnet50, intra_op_threads: 1}\nsweep: {" +
               sweep + "}\n")
        .points;
  };
  CHECK(points("loader.num_workers: [0, 1]").back().name() == "num_workers=0 intra_op_threads=2");
  CHECK(points("loader.num_workers: [0, 1], loader.batch_size: [8, 16]").back().name() ==
        "num_workers=0 intra_op_threads=2");
}

TEST_CASE("plan: a grid takes every combination once, a zip goes through together",
          "[unit][plan]") {
  const std::string axes = "loader.num_workers: [0, 1], loader.batch_size: [1, 4]}\n";
  CHECK(names(plan_text(kMock + "sweep: {mode: grid, " + axes)) ==
        std::vector<std::string>{"num_workers=0 batch_size=1 (base)", "num_workers=0 batch_size=4",
                                 "num_workers=1 batch_size=1", "num_workers=1 batch_size=4"});
  CHECK(
      names(plan_text(kMock + "sweep: {mode: zip, " + axes)) ==
      std::vector<std::string>{"num_workers=0 batch_size=1 (base)", "num_workers=1 batch_size=4"});
}

TEST_CASE("plan: a sweep of 10^9 points is refused with its number, at once", "[unit][plan]") {
  std::string text = kMock + "sweep:\n  mode: grid\n";
  for (const char* key :
       {"num_workers", "batch_size", "prefetch_factor", "seed", "max_jobs", "height", "width"}) {
    text += std::string("  loader.") + key + ": [";
    for (int v = 16; v < 36; ++v) text += std::to_string(v) + ",";
    text += "]\n";
  }
  CHECK(count_points(load_text(text)) == 1280000000);
  CHECK_THROWS_WITH(plan_text(text), "the sweep has 1280000000 points; the limit is 10000");
}

TEST_CASE("plan: the number of points does not overflow", "[unit][plan]") {
  Scenario scenario;
  scenario.mode = SweepMode::grid;
  Axis axis{"loader.seed", std::vector<AxisValue>(10000)};
  scenario.axes.assign(8, axis);
  CHECK(count_points(scenario) == ~std::uint64_t{0});
  CHECK_THROWS_WITH(make_points(scenario, small_catalog()),
                    Catch::Contains("more than 10^19 points"));
}

TEST_CASE("plan: axes of a zip that differ in length are refused", "[unit][plan]") {
  Scenario scenario =
      load_text(kMock + "sweep: {loader.num_workers: [0, 1], loader.batch_size: [1, 4, 8]}\n");
  scenario.mode = SweepMode::zip;
  CHECK_THROWS_WITH(make_points(scenario, small_catalog()),
                    Catch::Contains("loader.batch_size has 3 values"));
}

TEST_CASE("plan: max_jobs follows workers and prefetch at every point, unless it is given",
          "[unit][plan]") {
  const std::string sweep =
      "sweep: {mode: grid, loader.num_workers: [0, 4], loader.prefetch_factor: [2, 3]}\n";
  const Plan plan = plan_text(kMock + sweep);
  CHECK(point_named(plan, "base").settings.integer("loader.max_jobs") == 2);
  CHECK(point_named(plan, "num_workers=4 prefetch_factor=3").settings.integer("loader.max_jobs") ==
        12);
  const Plan fixed =
      plan_text("loader: {use: synthetic, max_jobs: 5}\ntrainer: {use: timed}\n" + sweep);
  CHECK(point_named(fixed, "num_workers=4 prefetch_factor=3").settings.integer("loader.max_jobs") ==
        5);
}

TEST_CASE("plan: a parameter that a point's part does not take changes nothing", "[unit][plan]") {
  const Plan plan = plan_text(kMock +
                              "sweep: {mode: grid, trainer: [{use: timed}, {use: discard}], "
                              "trainer.step_time: [1ms, 2ms]}\n");
  // The base (0s), timed with 1 ms and 2 ms, and discard once.
  CHECK(plan.points.size() == 4);
  CHECK_FALSE(plan.points.back().settings.has("trainer.step_time"));
}

TEST_CASE("plan: the six axes of resnet.yaml share two trials in five", "[unit][plan]") {
  PlanContext context = context_for();
  context.cuda = {.devices = 1, .kernels = true};
  const Plan plan = plan_text(kSixAxes, context);
  // The base, 2 workers, 2 batches, 2 prefetches, pin, order, 2 formats, and the reference with all
  // cores.
  REQUIRE(plan.points.size() == 12);
  std::map<Mode, int> trials;
  for (const Trial& t : plan.trials) ++trials[t.mode];
  CHECK(trials[Mode::pipeline] == 12);
  CHECK(trials[Mode::loader] == 11);  // the reference's loader is num_workers=0's
  CHECK(trials[Mode::trainer] == 4);  // base, two batch sizes, pinned
  CHECK(plan.shared == 35 - 27);
  std::size_t served = 0;
  for (const Trial& t : plan.trials) served += t.points.size();
  CHECK(served == 35);
  const Trial& base = trial_of(plan, plan.points[0], Mode::trainer);
  CHECK(base.points.size() == 8);
  CHECK(&base == &trial_of(plan, point_named(plan, "format=tar"), Mode::trainer));
}

TEST_CASE("plan: num_workers 0 with every core is a reference where a real trainer has fewer",
          "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes);
  const Point& reference = point_named(plan, "num_workers=0 intra_op_threads=2");
  CHECK(reference.settings.integer("trainer.intra_op_threads") == 2);
  CHECK(plan.points[0].settings.integer("trainer.intra_op_threads") == 1);
  CHECK(reference.trials.size() == 2);
  PlanContext one_core = context_for();
  one_core.environment.cores_available = 1;
  CHECK(plan_text(kSixAxes, one_core).points.size() == plan.points.size() - 1);
  CHECK(plan_text(kMock + "sweep: {loader.num_workers: [0, 1]}\n").points.size() == 2);
}

TEST_CASE("plan: run.cpus is an axis of all modes; auto threads follow it", "[unit][plan]") {
  PlanContext context = context_for();
  context.environment.cores_available = 4;
  ScenarioRequest request = request_for("");
  request.cores = 4;
  const Plan plan =
      plan_text(kMock + "sweep: {run.cpus: [1, 2, 4, 8]}\n", context, std::move(request));
  for (const auto& [name, threads] : {std::pair{"base", 4}, {"cpus=1", 1}, {"cpus=2", 2}}) {
    const Point& point = point_named(plan, name);
    CHECK(point.settings.integer("trainer.intra_op_threads") == threads);
    for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline})
      CHECK(trial_of(plan, point, mode).points == std::vector{point.index});
  }
  CHECK(!point_named(plan, "cpus=4").skip);
  const auto skip = point_named(plan, "cpus=8").skip;
  CHECK(skip == std::optional<std::string>("needs 8 cores for run.cpus, but 4 are usable here"));
  CHECK(is_lack_of_machine(*skip));
}

TEST_CASE("plan: virtual time has no CPUs to limit", "[unit][plan]") {
  PlanContext context = context_for();
  context.simulated = true;
  const Plan plan = plan_text(kMock + "sweep: {run.cpus: [1]}\n", context);
  CHECK(!plan.points[0].skip);
  CHECK(point_named(plan, "cpus=1").skip ==
        std::optional<std::string>("run.cpus limits real cores, and virtual time uses none"));
}

TEST_CASE("plan: measure.modes picks fewer modes", "[unit][plan]") {
  const Plan plan = plan_text(
      kMock + "measure: {modes: [loader, pipeline]}\nsweep: {loader.num_workers: [0, 1]}\n");
  CHECK(plan.trials.size() == 4);
  CHECK(plan.points[0].trials.size() == 2);
}

}  // namespace plan_points
}  // namespace benchbench::test
