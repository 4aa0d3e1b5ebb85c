#include "harness/app/compare/side_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/analysis/rules.h"
#include "harness/app/interrupt.h"
#include "harness/app/tell.h"
#include "harness/core/random.h"

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
  const Value* isolation = plan.scenario.base.find("measure.isolation");
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

std::vector<PlannedRun> runs_of_round(const Plan& plan, std::uint32_t round) {
  std::vector<PlannedRun> out;
  for (const PlannedRun& run : plan.order)
    if (run.round == round) out.push_back(run);
  return out;
}

}  // namespace

SideRun::SideRun(Plan plan, const std::string& folder, SideHow how)
    : plan_(std::move(plan)),
      folder_(RunFolder::create(folder, plan_, how.environment)),
      options_(options_of_side(plan_, how)) {}

SupervisorEnd SideRun::run_round(std::uint32_t round) {
  SideSink sink(folder_, records_);
  const auto end = supervise(plan_, runs_of_round(plan_, round), options_, sink);
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

void run_in_turn(SideRun& a, SideRun* b, std::uint64_t seed, bool quiet) {
  for (std::uint32_t round = 0; round < a.plan().rounds; ++round) {
    const bool b_first = b && mix_seed(seed, round) % 2 == 1;
    SideRun* const order[] = {b_first ? b : &a, b_first ? &a : b};
    if (!quiet)
      tell(fmt::format("  round {} of {}{}\n", round + 1, a.plan().rounds,
                       !b        ? ""
                       : b_first ? ": B, A"
                                 : ": A, B"));
    for (SideRun* side : order)
      if (side && (side->run_round(round) == SupervisorEnd::stopped || interrupted())) return;
    if (round == 0 && (!a.why_all_failed().empty() || (b && !b->why_all_failed().empty()))) return;
  }
}

}  // namespace benchbench
