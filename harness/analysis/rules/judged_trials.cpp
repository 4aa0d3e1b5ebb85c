#include "harness/analysis/rules/judged_trials.h"

#include <algorithm>
#include <set>

#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rules/rate_order.h"
#include "harness/analysis/rules/round_clocks.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/core/contains.h"

namespace benchbench {

bool has_usable(JudgedRecords records) noexcept {
  return std::ranges::any_of(records, &JudgedRecord::usable);
}

UsableFacts usable_facts(JudgedRecords records) {
  UsableFacts facts;
  for (const JudgedRecord& judged : records)
    if (judged.usable()) facts.push_back(&judged.record->facts);
  return facts;
}

bool belongs(const Plan& plan, const TrialRecord& record) {
  return record.planned.trial < plan.trials.size() &&
         record.trial.digest == plan.trials[record.planned.trial].digest;
}

std::optional<std::uint32_t> trial_of(const Point& point, Mode mode) noexcept {
  for (const auto& [m, trial] : point.trials)
    if (m == mode) return trial;
  return std::nullopt;
}

bool is_usable_rate(const TrialRecord& r) noexcept { return is_usable(r.status) && rate_of(r) > 0; }

JudgedTrials::JudgedTrials(const Plan& plan, std::span<const TrialRecord> records) {
  std::map<PlannedRun, const TrialRecord*> last;
  for (const TrialRecord& record : records) {
    if (!belongs(plan, record)) {
      ++foreign_;
      continue;
    }
    const TrialRecord*& kept = last[record.planned];
    if (!kept || record.sequence >= kept->sequence) kept = &record;
  }
  all_.reserve(last.size());
  for (const auto& [key, record] : last) {
    auto& [from, count] = spans_.try_emplace(record->planned.trial, all_.size(), 0).first->second;
    ++count;
    all_.push_back({judge(*record), record});
  }
  for (const LowClock& low : clocks_below_rounds(*this)) doubt(low);
  for (const OutOfOrder& o : rates_out_of_order(plan, *this)) doubt(o);
}

void JudgedTrials::doubt(const LowClock& low) {
  const auto judged = std::ranges::find(all_, low.record, &JudgedRecord::record);
  judged->add({kClocks, false, low.text});
}

void JudgedTrials::doubt(const OutOfOrder& o) {
  const auto [from, count] = spans_.at(o.trial);
  for (JudgedRecord& judged : std::span(all_).subspan(from, count)) {
    // It may be said already, of another point that shares the trial.
    if (judged.usable() && !contains(judged.reasons, o.text, &Reason::text))
      judged.add({kRateOrder, o.invalid, o.text});
  }
}

Judgement JudgedTrials::judgement_of(const TrialRecord& record) const {
  for (const JudgedRecord& judged : of(record.planned.trial))
    if (judged.record == &record) return judged;
  return judge(record);
}

JudgedRecords JudgedTrials::of(std::optional<std::uint32_t> trial) const {
  const auto* part = trial ? find_value(spans_, *trial) : nullptr;
  if (!part) return {};
  return std::span(all_).subspan(part->first, part->second);
}

std::uint32_t JudgedTrials::usable_rounds() const {
  std::set<std::uint32_t> rounds;
  for (const JudgedRecord& judged : all_)
    if (judged.usable()) rounds.insert(judged.record->planned.round);
  return static_cast<std::uint32_t>(rounds.size());
}

RepeatsByRound JudgedTrials::repeats(std::optional<std::uint32_t> trial, bool usable,
                                     const Fact& fact) const {
  RepeatsByRound rounds;
  for (const JudgedRecord& judged : of(trial)) {
    if (usable ? !judged.usable() : judged.status != Status::invalid) continue;
    if (const auto value = fact(judged.record->facts))
      rounds[judged.record->planned.round].push_back(*value);
  }
  return rounds;
}

ByRound JudgedTrials::by_round(std::optional<std::uint32_t> trial, const Fact& fact) const {
  return mean_by_round(repeats(trial, true, fact));
}

ByRound JudgedTrials::log_rates(std::optional<std::uint32_t> trial, bool usable) const {
  return mean_by_round(repeats(trial, usable, log_rate));
}

double JudgedTrials::phase_share(std::optional<std::uint32_t> trial) const {
  std::vector<double> shares;
  for (const Facts* facts : usable_facts(of(trial)))
    shares.push_back(benchbench::phase_share(*facts));
  return mean_of(shares);
}

std::vector<std::vector<double>> JudgedTrials::log_rate_repeats(std::uint32_t trial) const {
  std::vector<std::vector<double>> groups;
  for (auto& [round, values] : repeats(trial, true, log_rate)) groups.push_back(values);
  return groups;
}

Measured aa_floor(const Plan& plan, const JudgedTrials& trials) {
  if (plan.anchor == kNoAnchor) return std::nullopt;
  return repeat_difference(trials.log_rate_repeats(plan.anchor));
}

}  // namespace benchbench
