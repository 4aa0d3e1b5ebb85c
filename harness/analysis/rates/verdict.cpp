#include "harness/analysis/rates/verdict.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/certainty.h"
#include "harness/analysis/rates/phase.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

// One round's rates, samples/s.
struct Round {
  double loader, trainer, pipeline;
  double alone;      // min(L, T, C)
  double ceiling;    // the same, or the serial rate where nothing overlaps
  double with_core;  // F without the waits for a core, as far as the ceiling goes
};

std::optional<double> at(const ByRound& values, std::uint32_t round) {
  const double* log = find_value(values, round);
  return log ? std::optional(std::exp(*log)) : std::nullopt;
}

// Returns a share of the step; 0 where it was not measured.
double core_wait_in(const PointRates& rates, std::uint32_t round) {
  const double* share = find_value(rates.core_wait, round);
  return share ? *share : 0;
}

std::vector<Round> complete_rounds(const PointRates& rates) {
  std::vector<Round> rounds;
  for (const auto& [number, log_pipeline] : rates.pipeline) {
    const auto loader = at(rates.loader, number), trainer = at(rates.trainer, number);
    if (!loader || !trainer) continue;
    const double cpu = at(rates.cpu, number).value_or(HUGE_VAL);
    const double alone = std::min({*loader, *trainer, cpu});
    const double serial = 1 / (1 / *loader + 1 / *trainer);
    const double ceiling = rates.overlaps ? alone : std::min(serial, alone);
    const double pipeline = std::exp(log_pipeline);
    const double with_core = std::min(ceiling, pipeline / (1 - core_wait_in(rates, number)));
    rounds.push_back({*loader, *trainer, pipeline, alone, ceiling, std::max(pipeline, with_core)});
  }
  return rounds;
}

// What `cost` (seconds a sample) is of the step, by round, in ms of the mean step. A step that got
// slower from one round to the next, on a machine whose speed drifts, leaves the shares of it as
// they were. Nothing is more than the step. `phase`: the share that the cut of the windows leaves
// unknown.
template <class Cost>
Measured cost_ms(const std::vector<Round>& rounds, double step_ms, double phase, Cost cost) {
  std::vector<double> shares;
  for (const Round& r : rounds) shares.push_back(std::min(1.0, cost(r) * r.pipeline));
  Measured e = estimate_cut(shares, phase);
  if (!e) return e;
  e->high = std::min(1.0, e->high);
  return scaled(*e, step_ms);
}

template <class Share>
std::vector<double> logs_of(const std::vector<Round>& rounds, Share share) {
  std::vector<double> logs;
  for (const Round& r : rounds) logs.push_back(std::log(share(r)));
  return logs;
}

template <class Share>
Measured share_of(const std::vector<Round>& rounds, Share share, double phase = 0,
                  std::optional<double> spread = {}, double errors = 0.05) {
  return estimate_rates(logs_of(rounds, share), phase, spread, errors);
}

// Returns what the cut of their windows leaves unknown of F over what L and T allow.
double phase_of_share(const PointRates& rates) noexcept {
  return rates.pipeline_phase + std::max(rates.loader_phase, rates.trainer_phase);
}

// Returns what a wrapped script's rounds settle; unknown of others'. `reached`: F/m.
Side find_settled(const std::vector<Round>& rounds, const PointRates& rates,
                  const Estimate& reached) {
  const bool may_be_contention = reached.high >= 1 && 1 / reached.value > 2;
  if (!rates.spread || may_be_contention) return Side::unknown;
  const auto logs = logs_of(rounds, [](const Round& r) { return r.trainer / r.loader; });
  const double above = share_of(rounds, [](const Round& r) {
                         return r.pipeline / std::min(r.loader, r.trainer);
                       })->value;
  return settled_side(logs, *rates.spread, rates.loader_phase + rates.trainer_phase,
                      std::log(above));
}

// The largest cost decides alone: where its interval holds 0, a smaller and clearer one must not be
// named instead. `settled`: find_settled().
void name_side(Verdict& v, Side settled) {
  v.side = Side::loader;
  v.side_cost_ms = v.loader_cost_ms;
  if (settled == Side::trainer ||
      (settled != Side::loader && v.trainer_cost_ms->value > v.side_cost_ms->value)) {
    v.side = Side::trainer;
    v.side_cost_ms = v.trainer_cost_ms;
  }
  if (v.contention_ms && v.contention_ms->value > v.side_cost_ms->value) {
    v.side = Side::contention;
    v.side_cost_ms = v.contention_ms;
  }
  const bool enough = v.side_cost_ms->value >= min_share(v) * v.step_ms->value;
  const bool alike = settled == Side::balanced && v.side != Side::contention;
  if (enough && !alike && (v.settled.has_value() || is_clear(*v.side_cost_ms))) return;
  v.unclear = enough && !alike;
  v.side = v.unclear ? Side::unknown : Side::balanced;
  v.side_cost_ms.reset();
}

// The mean over the complete rounds; nullopt where one of them has no value.
std::optional<double> mean_in(const ByRound& shares, const PointRates& rates) {
  std::vector<double> values;
  for (const auto& [round, log] : rates.pipeline) {
    if (!rates.loader.contains(round) || !rates.trainer.contains(round)) continue;
    const double* share = find_value(shares, round);
    if (!share) return std::nullopt;
    values.push_back(*share);
  }
  return values.empty() ? std::nullopt : std::optional(mean_of(values));
}

// Returns logs of F as they were if the trainer's thread never waited for a core.
ByRound rates_with_core(const PointRates& rates) {
  ByRound logs = rates.pipeline;
  for (auto& [round, log] : logs) log -= std::log1p(-core_wait_in(rates, round));
  return logs;
}

// Who sets the pace, by the waits and by F being that side's rate; unknown where they do not say.
Side side_by_waits(const PointRates& rates) {
  const auto waited = mean_in(rates.waited, rates), slot_waited = mean_in(rates.slot_waited, rates);
  if (!waited) return Side::unknown;
  const double apart = std::clamp(rates.floor, kWorth, kWidestFloor);
  const auto equals = [&](const ByRound& together, const ByRound& alone) {
    const Measured ratio = ratio_within_rounds(together, alone);
    return ratio && std::abs(ratio->value - 1) <= apart;
  };
  const bool fed = *waited <= kNextToNothing;
  const bool drained = slot_waited ? *slot_waited <= kNextToNothing : *waited >= 1 - kNextToNothing;
  if (fed && !drained && equals(rates_with_core(rates), rates.trainer)) return Side::trainer;
  if (!fed && drained && equals(rates.pipeline, rates.loader)) return Side::loader;
  return Side::unknown;
}

// What the trainer waits for a batch, over what a batch takes alone; 0 where it is not known.
double waits_as_alone(const PointRates& rates) {
  ByRound shares;
  for (const auto& [round, waited] : rates.waited) {
    const auto loader = at(rates.loader, round), pipeline = at(rates.pipeline, round);
    if (loader && pipeline) shares[round] = waited * *loader / *pipeline;
  }
  return mean_in(shares, rates).value_or(0);
}

// Whether the other side's cost is known to be too small to name this one.
bool is_balanced(const Verdict& v) {
  if (v.side != Side::balanced) return false;
  const double enough = min_share(v) * v.step_ms->value;
  return v.loader_cost_ms->high < enough && v.trainer_cost_ms->high < enough;
}

// A side that is never waited for does not hold the other back, whatever the rates of its rounds
// say.
void name_by_waits(Verdict& v, const PointRates& rates) {
  const Side side = side_by_waits(rates);
  if (side == Side::unknown || v.side == Side::contention || is_balanced(v)) return;
  if (v.settled.has_value()) v.settled = true;
  if (side == v.side) return;
  v.side = side;
  v.unclear = false;
  v.by_waits = true;
  v.side_cost_ms.reset();
}

void name(Verdict& v, const PointRates& rates, Side settled) {
  name_side(v, settled);
  name_by_waits(v, rates);
  if (v.settled.has_value() && v.side == Side::contention) v.settled = *rates.spread < kBusySpread;
  if (settled == Side::balanced && v.side == settled) v.within = balanced_within(*rates.spread);
}

Measured taken_ms(const std::vector<Round>& rounds, double step_ms, const PointRates& rates,
                  Side side) {
  if (side == Side::loader)
    return cost_ms(rounds, step_ms, rates.pipeline_phase + rates.loader_phase,
                   [](const Round& r) { return 1 / r.loader; });
  if (side == Side::trainer)
    return cost_ms(rounds, step_ms, rates.pipeline_phase + rates.trainer_phase,
                   [](const Round& r) { return 1 / r.trainer; });
  return std::nullopt;
}

}  // namespace

Verdict verdict_of(const PointRates& rates) {
  Verdict v;
  std::vector<double> steps;
  for (const auto& [round, log] : rates.pipeline)
    steps.push_back(1e3 * rates.batch / std::exp(log));
  v.step_ms = estimate_mean(steps);
  const auto rounds = complete_rounds(rates);
  v.rounds = static_cast<std::uint32_t>(rounds.size());
  if (rounds.empty()) return v;
  const Estimate reached = *share_of(
      rounds, [](const Round& r) { return r.pipeline / r.ceiling; }, phase_of_share(rates),
      rates.spread, kErrorsOfLooks);
  const Side settled = find_settled(rounds, rates, reached);
  if (rates.spread) v.settled = settled != Side::unknown || !rates.overlaps;
  const bool one_alone = reached.n < 2 && !rates.spread;
  const bool contended = reached.value < kContention && (one_alone || reached.high < 1);
  const double step_ms = v.step_ms->value;
  const auto from = [&](const Round& r) { return contended ? r.ceiling : r.with_core; };
  v.loader_cost_ms = cost_ms(rounds, step_ms, rates.pipeline_phase + rates.trainer_phase,
                             [&](const Round& r) { return 1 / from(r) - 1 / r.trainer; });
  v.trainer_cost_ms = cost_ms(rounds, step_ms, rates.pipeline_phase + rates.loader_phase,
                              [&](const Round& r) { return 1 / from(r) - 1 / r.loader; });
  const Measured hindered = cost_ms(rounds, step_ms, phase_of_share(rates),
                                    [&](const Round& r) { return 1 / r.pipeline - 1 / from(r); });
  if (contended || hindered->value >= min_share(v) * step_ms) v.contention_ms = hindered;
  name(v, rates, settled);
  v.side_takes_ms = taken_ms(rounds, step_ms, rates, v.side);
  return v;
}

bool is_serial(const PointRates& rates) {
  const auto rounds = complete_rounds(rates);
  if (rounds.empty()) return false;
  const auto in_turn = [](const Round& r) { return 1 / (1 / r.loader + 1 / r.trainer); };
  const double apart = std::clamp(rates.floor, 1 - kContention, kWidestFloor);
  const double of_serial =
      share_of(rounds, [&](const Round& r) { return r.pipeline / in_turn(r); })->value;
  const double of_alone =
      share_of(rounds, [](const Round& r) { return r.pipeline / r.alone; })->value;
  if (of_serial > 1 + apart) return false;
  if (of_serial >= 1 - apart && of_alone < 1 - apart) return true;
  // A loader that is much the slower is waited for nearly as long where both run at once.
  const double shown = share_of(rounds, [&](const Round& r) {
                         return r.loader > r.trainer ? 0.5 : in_turn(r) / r.alone;
                       })->value;
  return shown < 1 - apart && waits_as_alone(rates) >= 1 - apart;
}

Measured overlap_efficiency(const PointRates& rates) {
  return share_of(
      complete_rounds(rates), [](const Round& r) { return r.pipeline / r.alone; },
      phase_of_share(rates), rates.spread);
}

Measured ratio_within_rounds(const ByRound& a, const ByRound& b, double phase,
                             std::optional<double> spread) {
  return estimate_rates(differences_within(b, a), phase, spread);
}

}  // namespace benchbench
