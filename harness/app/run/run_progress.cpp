#include "harness/app/run/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/rules.h"
#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/core/units.h"
#include "harness/plan/ablations.h"
#include "harness/plan/order.h"
#include "harness/report/text/formats.h"

namespace benchbench {
namespace {

std::string_view name_of_phase(Phase p) {
  constexpr std::string_view names[] = {"starting", "warming up", "measuring", "finishing"};
  return names[static_cast<int>(p)];
}

RunBudget with_plan(RunBudget budget, const PreparedPlan& prepared) {
  budget.planned = prepared.trial_seconds;
  return budget;
}

}  // namespace

RunProgress::RunProgress(const PreparedPlan& prepared, std::span<const PlannedRun> todo,
                         const RunBudget& budget, bool quiet)
    : plan_(prepared.plan), todo_(todo), quiet_(quiet), pace_(with_plan(budget, prepared), todo) {
  state_.trials = static_cast<std::uint32_t>(plan_.order.size());
  state_.trial = static_cast<std::uint32_t>(plan_.order.size() - todo.size());
  state_.rounds = max_rounds(plan_);
}

std::string RunProgress::point_of(const Trial& trial) const {
  const std::string point = trial.points.empty() ? "" : plan_.points[trial.points.front()].name();
  return trial.ablation ? fmt::format("{} ({})", point, words_of(trial.ablation)) : point;
}

// A trial that several points share is of each of them; the line speaks of the first.
void RunProgress::show_rates_of(const Trial& trial) {
  const auto at = trial.points.empty() ? rates_.end() : rates_.find(trial.points.front());
  const auto rates = at == rates_.end() ? std::array<std::optional<double>, 3>{} : at->second;
  state_.loader_rate = rates[static_cast<std::size_t>(Mode::loader)];
  state_.trainer_rate = rates[static_cast<std::size_t>(Mode::trainer)];
  state_.pipeline_rate = rates[static_cast<std::size_t>(Mode::pipeline)];
}

void RunProgress::keep_rate(const Trial& trial, double rate) {
  if (trial.ablation) return;
  for (const std::uint32_t point : trial.points)
    rates_[point][static_cast<std::size_t>(trial.mode)] = rate;
  show_rates_of(trial);
}

double RunProgress::seconds_left() const {
  double left = 0;
  for (std::size_t i = at_; i < todo_.size(); ++i) left += pace_.expected(todo_[i].trial);
  left -= seconds_since(trial_start_);
  if (const auto end = pace_.deadline()) left = std::min(left, *end - seconds_since(start_));
  return std::max(0.0, left);
}

void RunProgress::started(const Trial& trial, const PlannedRun& planned) {
  trial_start_ = Clock::now();
  ++state_.trial;
  state_.round = planned.round + 1;
  state_.point = point_of(trial);
  state_.mode = trial.mode;
  state_.phase = "starting";
  state_.phase_share = 0;
  state_.rate_now.reset();
  show_rates_of(trial);
  draw();
}

void RunProgress::progressed(const TrialProgress& p) {
  if (p.phase != Phase::starting) tell_first_batch();
  state_.phase = name_of_phase(p.phase);
  state_.phase_share = p.share;
  if (p.samples_per_second > 0) state_.rate_now = p.samples_per_second;
  draw();
}

// How long a user waits until something flows: `benchbench micro start_up` reads it.
void RunProgress::tell_first_batch() {
  if (first_batch_told_) return;
  first_batch_told_ = true;
  if (!quiet_ && !line_.is_on_terminal()) tell("first batch delivered\n");
}

// At once, not after minutes: a bad file may make the whole run doubtful.
void RunProgress::tell_first_fault(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (fault_told_ || f.content.decode_errors == 0 || f.content.faults.empty()) return;
  fault_told_ = true;
  line_.clear();
  const FaultySample& first = f.content.faults.front();
  tell("note: {} of {} samples could not be decoded, e.g. {}: {}\n", f.content.decode_errors,
       f.accounting.delivered, first.where, first.what);
}

void RunProgress::finished(const TrialRecord& record) {
  pace_.learn(record.planned.trial, seconds_since(trial_start_));
  ++at_;
  trial_start_ = Clock::now();
  state_.left = Seconds(seconds_left());
  std::optional<double> rate;
  if (is_usable(record.status)) rate = rate_of(record.facts);
  tell_first_fault(record);
  if (rate) keep_rate(record.trial, *rate);
  const bool problem = record.status == Status::failed || record.status == Status::aborted;
  if (quiet_ || (line_.is_on_terminal() && !problem)) return;
  line_.clear();
  state_.phase = name_of(record.status);
  state_.phase_share = 1;
  state_.rate_now = rate;
  std::fputs(progress_plain(state_, output_width(stderr).value_or(kPipeWidth)).c_str(), stderr);
  if (problem && !record.reasons.empty()) {
    const Reason& reason = record.reasons.front();
    const bool told = reason.details.empty() || !details_told_.insert(reason.details).second;
    tell("  {}\n{}{}", reason.text, told ? "" : reason.details, told ? "" : "\n");
  }
  std::fflush(stderr);
}

void RunProgress::draw() {
  if (quiet_) return;
  line_.show([&](std::size_t width) {
    state_.left = Seconds(seconds_left());
    return progress_text(state_, width);
  });
}

}  // namespace benchbench
