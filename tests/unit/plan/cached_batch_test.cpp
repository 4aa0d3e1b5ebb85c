// A cached batch as the scenario's own loader: which batch it is, and in which mode.
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_cached_batch {

const SettingsMap& settings_in(const Plan& plan, const char* point, Mode mode) {
  return trial_of(plan, point_named(plan, point), mode).settings;
}

TEST_CASE("cached batch: its shape is given as synthetic's, in every mode", "[unit][plan]") {
  const Plan plan =
      plan_text("loader: {use: cached_batch, height: 64, distinct: 3}\ntrainer: {use: timed}\n");
  for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
    CAPTURE(name_of(mode));
    const SettingsMap& s = settings_in(plan, "base", mode);
    CHECK(s.text("loader.use") == "cached_batch");
    CHECK(s.integer("loader.distinct") == 3);
    CHECK(s.text("loader.of.use") == "synthetic");
    CHECK(s.integer("loader.of.height") == 64);
    CHECK(s.integer("loader.of.width") == 224);  // synthetic's default
    CHECK(s.integer("loader.of.num_workers") == 0);
  }
}

TEST_CASE("cached batch: any loader makes it, of the scenario's data", "[unit][plan]") {
  constexpr char kText[] =
      "dataset: {synthesize: {samples: 64}}\n"
      "loader: {use: cached_batch, of: {use: native, transform: {random_resized_crop: 96}}}\n"
      "trainer: {use: timed}\n";
  const Plan plan = plan_text(kText);
  for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
    CAPTURE(name_of(mode));
    const SettingsMap& s = settings_in(plan, "base", mode);
    CHECK(s.text("loader.of.use") == "native");
    CHECK(s.integer("loader.of.transform.random_resized_crop") == 96);
    CHECK(s.real("loader.of.transform.horizontal_flip") == 0.5);
    CHECK(s.integer("dataset.synthesize.samples") == 64);
  }
}

TEST_CASE("cached batch: what mode trainer repeats of a loader is the same part", "[unit][plan]") {
  constexpr char kData[] = "dataset: {synthesize: {samples: 64}}\n";
  constexpr char kStep[] = "trainer: {use: timed}\n";
  const Plan own = plan_text(std::string(kData) + "loader: {use: native}\n" + kStep);
  const Plan cached =
      plan_text(std::string(kData) + "loader: {use: cached_batch, of: {use: native}}\n" + kStep);
  CHECK(settings_in(own, "base", Mode::trainer) == settings_in(cached, "base", Mode::trainer));
}

TEST_CASE("cached batch: next to another loader on an axis it repeats that one's batch",
          "[unit][plan]") {
  const Plan plan = plan_text(
      "dataset: {synthesize: {samples: 64}}\nloader: {use: native}\ntrainer: {use: timed}\n"
      "sweep:\n  loader: [{use: cached_batch}, {use: cached_batch, height: 32}]\n");
  for (const Mode mode : {Mode::loader, Mode::pipeline}) {
    const SettingsMap& s = settings_in(plan, "loader=cached_batch", mode);
    CHECK(s.text("loader.of.use") == "native");
    CHECK(s.integer("dataset.synthesize.samples") == 64);
    CHECK(settings_in(plan, "loader=cached_batch(height=32)", mode).text("loader.of.use") ==
          "synthetic");
  }
  CHECK(trial_of(plan, point_named(plan, "loader=cached_batch"), Mode::trainer).digest ==
        trial_of(plan, point_named(plan, "base"), Mode::trainer).digest);
}

TEST_CASE("cached batch: a place on the device needs one with memory of its own", "[unit][plan]") {
  const Plan plan = plan_text(
      "loader: {use: cached_batch}\ntrainer: {use: timed}\n"
      "sweep:\n  loader.at: [host, pinned, device]\n");
  const auto skip = [&](const char* point, Mode mode) {
    return trial_of(plan, point_named(plan, point), mode).skip.value_or("");
  };
  CHECK(skip("base", Mode::pipeline).empty());
  CHECK_THAT(skip("at=pinned", Mode::trainer), Catch::Contains("pinned memory needs"));
  CHECK_THAT(skip("at=device", Mode::trainer),
             Catch::Contains("needs a device with memory of its own for loader.at: device"));
  CHECK(skip("at=device", Mode::loader).empty());
}

}  // namespace plan_cached_batch
}  // namespace benchbench::test
