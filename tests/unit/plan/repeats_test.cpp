// Values that an axis holds several times: points of equal settings that are measured apart.
#include <set>

#include "harness/plan/trials.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_repeats {

std::vector<std::string> swept_names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Point& p : plan.points)
    if (p.index != 0) all.push_back(p.name());
  return all;
}
using Names = std::vector<std::string>;

std::set<std::string> digests(const Plan& plan) {
  std::set<std::string> all;
  for (const Trial& t : plan.trials) all.insert(t.digest);
  return all;
}

const std::string kOneWorker = "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: timed}\n";

TEST_CASE("repeats: three equal values are three points, with trials of their own in every mode",
          "[unit][plan]") {
  // The base is another point, or of the same settings.
  for (const std::string& scenario : {kMock, kOneWorker}) {
    const Plan plan = plan_text(scenario + "sweep: {loader.num_workers: [1, 1, 1]}\n");
    CHECK(swept_names(plan) == Names{"num_workers=1 #1", "num_workers=1 #2", "num_workers=1 #3"});
    REQUIRE(plan.points.size() == 4);
    CHECK(plan.points[1].settings == plan.points[2].settings);
    for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
      std::set<std::uint32_t> trials;
      for (std::size_t p = 1; p < 4; ++p) trials.insert(trial_of(plan, plan.points[p], mode).index);
      CHECK(trials.size() == 3);
    }
    CHECK(digests(plan).size() == plan.trials.size());
  }
}

TEST_CASE("repeats: what is not repeated has the digest it had", "[unit][plan]") {
  const Plan once = plan_text(kMock + "sweep: {loader.num_workers: [1, 2]}\n");
  const Plan twice = plan_text(kMock + "sweep: {loader.num_workers: [1, 2, 1]}\n");
  CHECK(swept_names(twice) == Names{"num_workers=1 #1", "num_workers=2", "num_workers=1 #2"});
  const std::set<std::string> of_once = digests(once), of_twice = digests(twice);
  CHECK(std::includes(of_twice.begin(), of_twice.end(), of_once.begin(), of_once.end()));
  CHECK(of_twice.size() == of_once.size() + 3);
  const Trial& trial = trial_of(once, once.points[1], Mode::pipeline);
  CHECK(digest_of_trial(Mode::pipeline, trial.settings) == trial.digest);
  CHECK(digest_of_trial(Mode::pipeline, trial.settings, 0) == trial.digest);
  CHECK(digest_of_trial(Mode::pipeline, trial.settings, 1) != trial.digest);
  CHECK(digest_of_trial(Mode::pipeline, trial.settings, 1) !=
        digest_of_trial(Mode::pipeline, trial.settings, 2));
}

TEST_CASE("repeats: every round runs each of them once", "[unit][plan]") {
  const Plan plan =
      plan_text(kMock + "measure: {rounds: 2}\nsweep: {loader.num_workers: [1, 1]}\n");
  for (const std::uint32_t round : {0u, 1u})
    for (std::size_t p = 1; p < 3; ++p) {
      const std::uint32_t trial = trial_of(plan, plan.points[p], Mode::pipeline).index;
      CHECK(std::ranges::count_if(plan.order, [&](const PlannedRun& r) {
              return r.trial == trial && r.round == round;
            }) == 1);
    }
}

TEST_CASE("repeats: in a grid they multiply, in a zip only whole rows repeat", "[unit][plan]") {
  CHECK(swept_names(plan_text(
            kMock +
            "sweep: {mode: grid, loader.num_workers: [1, 1], loader.batch_size: [4, 8]}\n")) ==
        Names{"num_workers=1 #1 batch_size=4", "num_workers=1 #1 batch_size=8",
              "num_workers=1 #2 batch_size=4", "num_workers=1 #2 batch_size=8"});
  CHECK(swept_names(plan_text(
            kMock +
            "sweep: {mode: zip, loader.num_workers: [1, 1, 2], loader.batch_size: [4, 8, 8]}\n")) ==
        Names{"num_workers=1 batch_size=4", "num_workers=1 batch_size=8",
              "num_workers=2 batch_size=8"});
  CHECK(swept_names(plan_text(
            kMock +
            "sweep: {mode: zip, loader.num_workers: [1, 2, 1], loader.batch_size: [4, 8, 4]}\n")) ==
        Names{"num_workers=1 batch_size=4 #1", "num_workers=2 batch_size=8",
              "num_workers=1 batch_size=4 #2"});
}

TEST_CASE("repeats: points that are equal without being asked for twice are still one",
          "[unit][plan]") {
  CHECK(swept_names(plan_text(
            kOneWorker + "sweep: {loader.num_workers: [1, 2], loader.prefetch_factor: [2]}\n")) ==
        Names{"num_workers=2"});
}

}  // namespace plan_repeats
}  // namespace benchbench::test
