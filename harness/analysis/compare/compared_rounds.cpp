#include "harness/analysis/compare/compared_rounds.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/compare/clean_pairs.h"
#include "harness/analysis/components/stage_growth.h"
#include "harness/analysis/rates/phase.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

struct SideRounds {
  ByRound clean, usable;
  bool are_all_clean() const { return clean.size() == usable.size(); }
};

bool is_wait(const Metric& metric) { return metric.compared.kind == MetricKind::wait; }

// Returns the metric's value; `whole_gets`: of a wait, that for a core with it.
std::optional<double> value_of(const Metric& metric, const Facts& f, bool whole_gets) {
  const auto value = metric.compared.value(f);
  if (!value || !whole_gets || !is_wait(metric)) return value;
  return *value + part_of_step_ms(f, core_wait_share(f)).value_or(0);
}

// Repeats within a round averaged; of rates their logarithms are. `clean` tells which runs are.
SideRounds side_rounds(const JudgedTrials& trials, std::uint32_t trial, const Metric& metric,
                       bool whole_gets, const RunFilter& is_clean) {
  RepeatsByRound clean, usable;
  for (const JudgedRecord& judged : trials.of(trial)) {
    const auto value =
        judged.usable() ? value_of(metric, judged.record->facts, whole_gets) : std::nullopt;
    if (!value || !std::isfinite(*value)) continue;
    const double kept = is_wait(metric) ? *value : std::log(*value);
    usable[judged.record->planned.round].push_back(kept);
    if (is_clean(judged)) clean[judged.record->planned.round].push_back(kept);
  }
  return {mean_by_round(clean), mean_by_round(usable)};
}

void keep_common(ByRound& a, ByRound& b) {
  std::erase_if(a, [&](const auto& entry) { return !b.contains(entry.first); });
  std::erase_if(b, [&](const auto& entry) { return !a.contains(entry.first); });
}

struct Chosen {
  ByRound a, b;
  std::uint32_t noisy = 0, left_out = 0;
};

std::uint32_t rounds_beyond(const SideRounds& a, const SideRounds& b) {
  const std::size_t all = std::max(a.usable.size(), b.usable.size()),
                    clean = std::min(a.clean.size(), b.clean.size());
  return static_cast<std::uint32_t>(all - std::min(all, clean));
}

Chosen choose(SideRounds a, SideRounds b, bool paired) {
  if (paired) keep_common(a.clean, b.clean), keep_common(a.usable, b.usable);
  const std::size_t needed = paired ? kRoundsToSpeak : kSetToSpeak;
  const bool whole = a.are_all_clean() && b.are_all_clean();
  const std::uint32_t beyond = whole ? 0 : std::max(1u, rounds_beyond(a, b));
  if (whole || std::min(a.clean.size(), b.clean.size()) >= needed)
    return {a.clean, b.clean, 0, beyond};
  return {a.usable, b.usable, beyond, 0};
}

Chosen chosen_rounds(const JudgedTrials& a, const JudgedTrials& b, TrialPair trials,
                     const Metric& metric, bool paired) {
  const RunFilter is_clean = clean_runs(a.of(trials.a), b.of(trials.b), paired);
  const bool whole = are_gets_whole(a.of(trials.a)) || are_gets_whole(b.of(trials.b));
  return choose(side_rounds(a, trials.a, metric, whole, is_clean),
                side_rounds(b, trials.b, metric, whole, is_clean), paired);
}

std::vector<double> values_of_side(const ByRound& rounds, bool logs) {
  std::vector<double> values = values_in(rounds);
  if (logs)
    for (double& value : values) value = std::exp(value);
  return values;
}

// More is better.
std::vector<double> oriented(const ByRound& rounds, MetricKind kind, double step_ms) {
  std::vector<double> values = values_in(rounds);
  for (double& value : values)
    if (kind != MetricKind::rate) value = kind == MetricKind::wait ? -value / step_ms : -value;
  return values;
}

// What B is above A by, of a ratio of which more is better.
double share_above(double ratio, MetricKind kind) {
  return kind == MetricKind::rate   ? ratio - 1
         : kind == MetricKind::wait ? -std::log(ratio)
                                    : 1 / ratio - 1;
}

Measured change_of(const Estimate& better, MetricKind kind) {
  const double low = share_above(better.low, kind), high = share_above(better.high, kind);
  return Estimate{share_above(better.value, kind), std::min(low, high), std::max(low, high),
                  better.n};
}

std::vector<double> single_changes(const ComparedRates& rates, MetricKind kind) {
  const double mean_a = mean_of(rates.a);
  std::vector<double> out;
  for (std::size_t i = 0; i < rates.b.size(); ++i)
    out.push_back(share_above(std::exp(rates.b[i] - (rates.paired ? rates.a[i] : mean_a)), kind));
  return out;
}

// Returns what the cut of both sides' windows may put the ratio off by: of pairs where the ratios
// of rounds agree far better than their steps do, of sets where those of a side do.
double cut_of_ratio(const ComparedRates& rates, double phase_a, double phase_b) {
  if (!rates.paired) return cut_allowance(rates.a, phase_a) + cut_allowance(rates.b, phase_b);
  return cut_allowance(differences(rates), phase_a + phase_b);
}

Measured value_of_side(const std::vector<double>& values, MetricKind kind, double phase) {
  if (kind == MetricKind::wait) return estimate_mean(values);
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  return estimate_cut_rates(logs, phase);
}

}  // namespace

ComparedRounds compared_rounds(const JudgedTrials& a, const JudgedTrials& b, TrialPair trials,
                               const Metric& metric, bool paired) {
  const Chosen chosen = chosen_rounds(a, b, trials, metric, paired);
  ComparedRounds out;
  out.noisy = chosen.noisy, out.left_out = chosen.left_out;
  if (chosen.a.empty() || chosen.b.empty()) return out;
  const MetricKind kind = metric.compared.kind;
  const bool waits = is_wait(metric);
  const double step_ms = waits ? mean_of(values_in(step_ms_by_round(a.of(trials.a)))) : 1;
  if (!(step_ms > 0)) return out;
  out.values_a = values_of_side(chosen.a, !waits);
  out.values_b = values_of_side(chosen.b, !waits);
  out.rates = {oriented(chosen.a, kind, step_ms), oriented(chosen.b, kind, step_ms), paired,
               kMinEffect};
  if (kind == MetricKind::rate) {
    out.phase_a = a.phase_share(trials.a), out.phase_b = b.phase_share(trials.b);
    out.rates.cut = cut_of_ratio(out.rates, out.phase_a, out.phase_b);
  }
  return out;
}

void describe(const ComparedRounds& rounds, const Comparison& comparison, MetricComparison& out) {
  const MetricKind kind = out.metric->compared.kind;
  static_cast<Comparison&>(out) = comparison;
  out.a = value_of_side(rounds.values_a, kind, rounds.phase_a);
  out.b = value_of_side(rounds.values_b, kind, rounds.phase_b);
  out.rounds_a = static_cast<std::uint32_t>(rounds.values_a.size());
  out.rounds_b = static_cast<std::uint32_t>(rounds.values_b.size());
  out.noisy = rounds.noisy, out.left_out = rounds.left_out;
  if (out.ratio) out.change = change_of(*out.ratio, kind);
  out.single = single_changes(rounds.rates, kind);
  out.between_a = standard_deviation(rounds.rates.a),
  out.between_b = standard_deviation(rounds.rates.b);
  out.threshold = rounds.rates.min_effect;
}

}  // namespace benchbench
