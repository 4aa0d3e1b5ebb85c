// Points that are faster and still not to be used.
#include "harness/analysis/choice/another_job.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/swept_run.h"

namespace benchbench {
namespace another_job_test {

using test::six;
using test::Swept;
using test::words;

// A base at 100 samples/s and one point three times as fast, which differ in one key.
Findings with_key(const char* key, const char* base, const char* other) {
  Swept run;
  run.axis(key);
  SettingsMap here = run.settings(2);
  if (std::string_view(key).starts_with("dataset.columns."))
    here.set("dataset.path", words("photos"));
  SettingsMap there = here;
  if (base) here.set(key, words(base));
  there.set(key, words(other));
  run.add({}, here, six(100));
  run.add({{key, other}}, there, six(300));
  return run.found();
}

TEST_CASE("choice: a condition of the measurement is never the setting to use",
          "[unit][analysis]") {
  const auto left_out = [](const char* key, const char* base, const char* other) {
    const Findings f = with_key(key, base, other);
    INFO(key << ": " << other);
    REQUIRE(f.recommended);
    CHECK(f.recommended->point == 0);
    CHECK(f.recommended->choice == Choice::only_one);
    CHECK(f.recommended->compared == 0);
    CHECK_FALSE(f.best);
    // It is compared all the same.
    CHECK(f.axes.at(0).outcome == AxisOutcome::gain);
    CHECK(f.over_base.at(1).ratio->value == Approx(3));
  };
  left_out("dataset.path", "large", "small");
  left_out("dataset.columns.image", nullptr, "thumbnail");
  left_out("dataset.cache", "as_is", "warm");
  left_out("dataset.cache", nullptr, "warm");
  left_out("dataset.storage.like", "s3", "none");
  left_out("dataset.keep", nullptr, "0.1");
  left_out("dataset.keep_by", nullptr, "class");
  left_out("loader.payload", "stored", "transformed");
  left_out("trainer.emulated.pinned", "8GB/s", "64GB/s");
  left_out("trainer.copy", "each", "once");
  left_out("run.cpus", "1", "2");
}

TEST_CASE("choice: what is held against an emulated device says nothing about the base's job",
          "[unit][analysis]") {
  Swept run;
  run.axis("trainer.device");
  run.axis("loader.num_workers");
  run.plan.scenario.mocks = {"trainer=timed"};
  SettingsMap here = run.settings(2);
  here.set("trainer.device", words("cpu"));
  SettingsMap there = here;
  there.set("trainer.device", words("emulated"));
  there.set("trainer.use", words("timed"));
  run.add({}, here, six(100));
  run.add({{"trainer.device", "emulated"}}, there, six(3000));
  SettingsMap four = here;
  four.set("loader.num_workers", test::whole(4));
  run.add({{"loader.num_workers", "4"}}, four, six(100));
  const Findings f = run.found();
  REQUIRE(f.axes.size() == 1);
  CHECK(f.axes[0].key == "loader.num_workers");
  REQUIRE(f.recommended);
  CHECK(f.recommended->point == 0);
  CHECK(f.recommended->other_jobs == 1);
  CHECK_FALSE(f.conclusion.what_if);
  CHECK(f.conclusion.subject.value_or(0) == 0);
}

TEST_CASE("choice: a condition that is named and is so anyway is none", "[unit][analysis]") {
  const auto used = [](const char* key, const char* base, const char* other) {
    return with_key(key, base, other).recommended->point;
  };
  CHECK(used("dataset.cache", nullptr, "as_is") == 1);
  CHECK(used("dataset.storage.like", nullptr, "none") == 1);
  CHECK(used("loader.payload", nullptr, "stored") == 1);
  // The base has no data.
  CHECK(used("dataset.synthesize.samples", nullptr, "64") == 1);
  CHECK(used("dataset.path", nullptr, "small") == 1);
  // Settings of a job, though their names begin alike.
  CHECK(used("trainer.copy_stream", "current", "own") == 1);
  CHECK(used("dataset.prepare", "none", "jpeg") == 1);
  CHECK(used("loader.residency", "storage", "host") == 1);
}

TEST_CASE("choice: the same data in another format have another path", "[unit][analysis]") {
  Swept run;
  SettingsMap folder = run.settings(2), tar = folder;
  folder.set("dataset.format", words("folder")), folder.set("dataset.path", words("photos"));
  tar.set("dataset.format", words("tar")), tar.set("dataset.path", words("photos.tar"));
  run.add({}, folder, six(100));
  run.add({{"dataset.format", "tar"}}, tar, six(300));
  CHECK(run.found().recommended->point == 1);
}

// The base in random order, a second point half as fast again in another one; the quality of its
// order, or none that was measured.
struct TwoOrders {
  const char* access = "sequential";
  std::optional<double> displacement = {};
  double together = 0;
  const char* users_own = nullptr;
  std::optional<std::uint64_t> samples = 100'000;

  Swept run() const {
    Swept out;
    out.axis("loader.access");
    SettingsMap base = out.settings(2), other = base;
    base.set("loader.access", words("random"));
    other.set("loader.access", words(access));
    if (users_own)
      for (SettingsMap* s : {&base, &other}) s->set("loader.users_own", words(users_own));
    out.add({}, base, six(100));
    out.add({{"loader.access", access}}, other, six(150));
    for (TrialRecord& r : out.records) {
      if (!displacement) continue;
      r.facts.epochs.samples = samples;
      r.facts.shuffle = {1.0, 0.0};
      if (r.planned.trial == 1) r.facts.shuffle = {*displacement, together};
    }
    return out;
  }
  Findings found() const { return run().found(); }
};

TEST_CASE("choice: orders that are shuffled differently are not ranked", "[unit][analysis]") {
  const auto is_ranked = [](const TwoOrders& orders) {
    const Findings f = orders.found();
    const bool ranked = f.recommended->point == 1;
    CHECK(f.axes.at(0).outcome == (ranked ? AxisOutcome::gain : AxisOutcome::invalid));
    CHECK(f.axes[0].best.has_value() == ranked);
    CHECK(f.axes[0].values.at(0).ratio.has_value() == ranked);
    CHECK(f.over_base.at(1).ratio->value == Approx(1.5));
    CHECK(f.recommended->compared == (ranked ? 1 : 0));
    CHECK(f.recommended->other_jobs == (ranked ? 0 : 1));
    return ranked;
  };
  CHECK_FALSE(is_ranked({.displacement = 0, .together = 1}));
  CHECK_FALSE(is_ranked({.displacement = 0.97, .together = 0}));
  CHECK_FALSE(is_ranked({.displacement = 1, .together = 0.03}));
  CHECK(is_ranked({.access = "shuffle_buffer", .displacement = 0.99, .together = 0.01}));
  // Two uniform shuffles of 256 samples differ by up to 3 * 0.894 / 16 = 0.168.
  CHECK(is_ranked({.displacement = 0.84, .together = 0.16, .samples = 256}));
  CHECK_FALSE(is_ranked({.displacement = 0.83, .together = 0, .samples = 256}));
  // A loader without a data set: its samples are not counted.
  CHECK(is_ranked({.access = "random", .displacement = 0.5, .samples = {}}));
  // By their words, where no quality was measured; a loader of the user's own keeps its order.
  CHECK_FALSE(is_ranked({}));
  CHECK(is_ranked({.users_own = "batch_size,access"}));
}

TEST_CASE("choice: what is faster in another job leaves the base the best of its own",
          "[unit][analysis]") {
  Swept run;
  run.axis("dataset.cache"), run.axis("loader.num_workers");
  run.workers(2, six(100));
  SettingsMap warm = run.settings(2);
  warm.set("dataset.cache", words("warm"));
  run.add({{"dataset.cache", "warm"}}, warm, six(300));
  run.workers(4, six(50));
  const Findings f = run.found();
  CHECK(f.recommended->choice == Choice::base_is_best);
  CHECK(f.recommended->compared == 1);
  CHECK(f.recommended->other_jobs == 1);
}

TEST_CASE("choice: of an axis with one order that is not ranked the others are",
          "[unit][analysis]") {
  Swept run = TwoOrders{.displacement = 0, .together = 1}.run();
  SettingsMap buffered = run.plan.points[0].settings;
  buffered.set("loader.access", words("shuffle_buffer"));
  const auto buffer = run.add({{"loader.access", "shuffle_buffer"}}, buffered, six(120));
  for (TrialRecord& r : run.records)
    if (r.trial.points.front() == buffer)
      r.facts.epochs.samples = 100'000, r.facts.shuffle = {1.01, 0.0};
  const Findings f = run.found();
  CHECK(f.recommended->point == buffer);
  CHECK(f.axes.at(0).outcome == AxisOutcome::gain);
  CHECK(f.axes[0].best_value()->label == "shuffle_buffer");
  CHECK(f.axes[0].values.at(0).shown == Shown::not_compared);
}

TEST_CASE("points: the quality of an order is that of all rounds", "[unit][analysis]") {
  Swept run = TwoOrders{.displacement = 0.5, .together = 0.5}.run();
  run.records[1].facts.shuffle = {1.06, 0.06};  // of the base, one round in six
  const Findings f = run.found();
  CHECK(*f.points[0].shuffle_displacement == Approx(1.01));
  CHECK(*f.points[0].shuffle_together == Approx(0.01));
}

}  // namespace another_job_test
}  // namespace benchbench
