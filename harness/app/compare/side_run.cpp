#include "harness/app/compare/side_run.h"

#include <algorithm>
#include <utility>

#include "harness/analysis/rules.h"
#include "harness/app/interrupt.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

class SideSink final : public TrialSink {
 public:
  SideSink(RunFolder& folder, std::vector<TrialRecord>& records)
      : folder_(folder), records_(records) {}
  void started(const Trial&, const PlannedRun&) override {}
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override {
    folder_.sync_if_due();
  }
  void finished(TrialRecord& record) override {
    Judgement judgement = judge(record);
    record.status = judgement.status;
    record.reasons = std::move(judgement.reasons);
    folder_.append(record);
    record.raw_series.clear();
    records_.push_back(record);
  }

 private:
  RunFolder& folder_;
  std::vector<TrialRecord>& records_;
};

Isolation isolation_of_side(const Plan& plan) {
  const Value* isolation = plan.scenario.base.find(keys::measure.isolation);
  return isolation && isolation->text() == "trial" ? Isolation::trial : Isolation::round;
}

SupervisorOptions options_of_side(const Plan& plan, const SideHow& how) {
  SupervisorOptions o;
  o.isolation = isolation_of_side(plan);
  o.program = how.program;
  o.child_arguments = {"child", "--cache", how.cache_folder};
  if (how.simulated) o.child_arguments.emplace_back("--simulated");
  o.environment = how.environment;
  o.stop = &interrupted();
  return o;
}

}  // namespace

SideRun::SideRun(Plan plan, const std::string& folder, SideHow how)
    : plan_(std::move(plan)),
      folder_(RunFolder::create(folder, plan_, how.environment)),
      options_(options_of_side(plan_, how)) {}

SupervisorEnd SideRun::run(std::span<const PlannedRun> runs, const RunBudget& budget) {
  SideSink sink(folder_, records_);
  options_.budget = budget;
  const auto end = supervise(plan_, runs, options_, sink);
  folder_.sync();
  return end;
}

std::string SideRun::why_all_failed() const {
  if (records_.empty() || !std::ranges::all_of(records_, [](const TrialRecord& r) {
        return r.status == Status::failed || r.status == Status::skipped;
      }))
    return "";
  for (const TrialRecord& r : records_)
    if (r.status == Status::failed && !r.reasons.empty()) return r.reasons.front().text;
  return "every trial was SKIPPED";
}

Plan plan_of_points(const Plan& plan, const std::set<std::uint32_t>& points, std::uint32_t rounds) {
  const auto wanted = [&](const PlannedRun& run) {
    return run.round == 0 &&
           std::ranges::any_of(plan.trials.at(run.trial).points,
                               [&](std::uint32_t p) { return points.contains(p); });
  };
  Plan out = plan;
  out.order.clear();
  out.rounds = rounds;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (PlannedRun run : plan.order)
      if (wanted(run)) {
        run.round = round;
        out.order.push_back(run);
      }
  return out;
}

}  // namespace benchbench
