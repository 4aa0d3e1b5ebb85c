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

}  // namespace

SideRun::SideRun(Plan plan, const std::string& folder, SideHow how)
    : plan_(std::move(plan)),
      folder_(RunFolder::create(folder, plan_, how.environment)),
      options_(options_of_side(plan_, how)) {}

SupervisorEnd SideRun::run(std::span<const PlannedRun> runs) {
  SideSink sink(folder_, records_);
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

namespace {

// Returns false where it was stopped.
bool run_turns(const std::vector<Turn>& turns, SideRun& a, SideRun* b) {
  for (const Turn& turn : turns) {
    if (turn.of_b && !b) continue;
    SideRun& side = turn.of_b ? *b : a;
    if (side.run(turn.runs) == SupervisorEnd::stopped || interrupted()) return false;
  }
  return true;
}

// Says which round begins.
void tell_round(const std::vector<Turn>& turns, std::uint32_t round, std::uint32_t rounds,
                bool has_b) {
  const bool by_round = has_b && turns.size() == 2;
  tell(fmt::format("  round {} of {}{}\n", round + 1, rounds,
                   !by_round            ? ""
                   : turns.front().of_b ? ": B, A"
                                        : ": A, B"));
}

void run_disturbed_again(SideRun& a, SideRun& b, std::uint64_t seed, bool quiet) {
  const std::uint32_t rounds = a.plan().rounds;
  for (std::uint32_t round = rounds; round < kMostRounds * rounds; ++round) {
    const auto again = runs_again({a.plan(), a.records()}, {b.plan(), b.records()}, round);
    if (again.empty()) return;
    if (!quiet)
      tell(fmt::format("  round {}, {} at most: {} again, since other programs disturbed {}\n",
                       round + 1, kMostRounds * rounds, counted(again.size(), "pair"),
                       again.size() == 1 ? "it" : "them"));
    if (!run_turns(turns_of(again, again, seed, round, true), a, &b)) return;
  }
}

}  // namespace

void run_in_turn(SideRun& a, SideRun* b, std::uint64_t seed, bool by_pairs, bool quiet) {
  for (std::uint32_t round = 0; round < a.plan().rounds; ++round) {
    const auto of_a = runs_of_round(a.plan(), round);
    const auto of_b = b ? runs_of_round(b->plan(), round) : std::vector<PlannedRun>{};
    const auto turns = turns_of(of_a, of_b, seed, round, by_pairs);
    if (!quiet) tell_round(turns, round, a.plan().rounds, b);
    if (!run_turns(turns, a, b)) return;
    if (round == 0 && (!a.why_all_failed().empty() || (b && !b->why_all_failed().empty()))) return;
  }
  if (b && by_pairs) run_disturbed_again(a, *b, seed, quiet);
}

}  // namespace benchbench
