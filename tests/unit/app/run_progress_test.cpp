#include "harness/app/run/run_progress.h"

#include <catch2/catch.hpp>

#include "harness/app/preparation/prepared_plan.h"
#include "tests/unit/analysis/made_run.h"
#include "tests/unit/app/standard_error.h"

namespace benchbench::run_progress_test {

using test::good_facts;
using test::MadeRun;
using test::on_standard_error;

struct TwoPoints : MadeRun {
  std::uint32_t base = point({}, settings(1)),
                other = point({{"loader.num_workers", "4"}}, settings(4));
  std::uint32_t base_loader = trial(base, Mode::loader), trainer = trial(base, Mode::trainer),
                other_loader = trial(other, Mode::loader),
                other_pipeline = trial(other, Mode::pipeline);

  TwoPoints() { share(other, trainer); }

  RunBudget budget;
  double first_planned = 1;  // seconds of the base's loader; the others take one
  // The lines of the trials recorded, in their order.
  std::string lines() {
    return on_standard_error([&] {
      PreparedPlan prepared;
      prepared.plan = plan;
      prepared.trial_seconds.assign(plan.trials.size(), 1);
      prepared.trial_seconds[base_loader] = first_planned;
      RunProgress progress(prepared, plan.order, budget, false);
      for (const TrialRecord& r : records) {
        progress.started(r.trial, r.planned);
        progress.finished(r);
      }
    });
  }
};

TEST_CASE("run progress: rates of one point at a time, of a shared trainer both points'",
          "[unit][app]") {
  TwoPoints run;
  run.record(run.base_loader, 0, good_facts(2000));
  run.record(run.trainer, 0, good_facts(500));
  run.record(run.other_loader, 0, good_facts(7000));
  run.record(run.other_pipeline, 0, good_facts(490));
  const std::string text = run.lines();
  INFO(text);
  CHECK(text.find("base loader, VALID  2,000/s  |  L 2,000  |") != std::string::npos);
  CHECK(text.find("base trainer, VALID  500/s  |  L 2,000  T 500  |") != std::string::npos);
  CHECK(text.find("num_workers=4 loader, VALID  7,000/s  |  L 7,000  T 500  |") !=
        std::string::npos);
  CHECK(text.find("num_workers=4 pipeline, VALID  490/s  |  L 7,000  T 500  F 490  |") !=
        std::string::npos);
}

TEST_CASE("run progress: a NOISY trial has its rate, an INVALID one none", "[unit][app]") {
  TwoPoints run;
  run.record(run.base_loader, 0, good_facts(2000)).status = Status::noisy;
  run.record(run.trainer, 0, good_facts(500)).status = Status::invalid;
  run.record(run.other_loader, 0, good_facts(7000)).status = Status::valid;
  const std::string text = run.lines();
  INFO(text);
  CHECK(text.find("base loader, NOISY  2,000/s  |  L 2,000  |") != std::string::npos);
  CHECK(text.find("base trainer, INVALID  |  L 2,000  |") != std::string::npos);
  CHECK(text.find("num_workers=4 loader, VALID  7,000/s  |  L 7,000  |") != std::string::npos);
}

TEST_CASE("run progress: what is left is no more than the budget has", "[unit][app]") {
  TwoPoints run;
  for (std::uint32_t round = 0; round < 100; ++round)  // of a second each, as planned
    for (const auto trial : {run.base_loader, run.trainer, run.other_loader})
      run.plan.order.push_back({trial, round, 0});
  run.first_planned = 0;  // it takes none here: the others' plan is not judged by it
  run.record(run.base_loader, 0, good_facts(2000));
  CHECK(run.lines().find(" s left") == std::string::npos);  // minutes
  run.budget = {.aim = 20, .most = 22, .planned = {}};
  const std::string text = run.lines();
  INFO(text);
  CHECK((text.find("|  22 s left") != std::string::npos ||
         text.find("|  21 s left") != std::string::npos));
}

}  // namespace benchbench::run_progress_test
