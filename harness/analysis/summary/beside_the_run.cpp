#include "harness/analysis/summary/beside_the_run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/rules/by_others.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

void merge(ProbeFacts& into, const ProbeFacts& probe) {
  if (probe.state != ProbeState::measured || probe.samples == 0) {
    into.lost += probe.lost;
    if (into.samples == 0) into.state = probe.state, into.why = probe.why;
    return;
  }
  const bool first = into.samples == 0;
  const auto had = static_cast<double>(into.samples), more = static_cast<double>(probe.samples);
  into.mean = (into.mean * had + probe.mean * more) / (had + more);
  into.min = first ? probe.min : std::min(into.min, probe.min);
  into.max = first ? probe.max : std::max(into.max, probe.max);
  into.samples += probe.samples;
  into.lost += probe.lost;
  into.state = ProbeState::measured;
  into.why.clear();
}

// Readings of two counters are not of the same instant, so that a share may come out a little over
// all of it.
void keep_a_share(ProbeFacts& probe) {
  if (probe.unit != "share") return;
  for (double* v : {&probe.mean, &probe.min, &probe.max}) *v = std::clamp(*v, 0.0, 1.0);
}

// An extra trial of the point's trainer: its rate, and that over the rate of the trainer's own
// trial, within rounds.
struct AgainstAlone {
  std::uint32_t trial = 0;
  Measured rate, ratio;
};

// Adds the cause that costs most, and the longest stall.
void add_longest(const std::vector<Stall>& stalls, StallFindings& out) {
  std::map<StallCause, double> by_cause;
  for (const Stall& s : stalls) {
    by_cause[s.cause] += static_cast<double>(s.ns);
    out.longest_ms = std::max(out.longest_ms, static_cast<double>(s.ns) * 1e-6);
  }
  const auto worst =
      std::ranges::max_element(by_cause, {}, [](const auto& cause) { return cause.second; });
  if (worst != by_cause.end()) out.cause = worst->first;
}

std::optional<AgainstAlone> against_alone(const Point& point, const JudgedTrials& trials,
                                          AblationKind kind) {
  const auto alone = trial_of(point, Mode::trainer);
  const auto* extra =
      find_element(point.ablations, kind, [](const auto& a) { return a.first.kind; });
  if (!alone || !extra) return std::nullopt;
  const ByRound logs = trials.log_rates(extra->second);
  const double phase = trials.phase_share(extra->second);
  const Measured ratio =
      ratio_within_rounds(logs, trials.log_rates(*alone), phase + trials.phase_share(*alone));
  if (!ratio) return std::nullopt;
  return AgainstAlone{extra->second, estimate_cut_rates(values_in(logs), phase), ratio};
}

}  // namespace

std::optional<StallFindings> stalls_seen(JudgedRecords records) {
  StallFindings out;
  double lost = 0, window = 0;
  std::vector<double> periods;
  std::vector<Stall> longest;
  for (const Facts* f : usable_facts(records)) {
    const StallFacts& stalls = f->window.stalls;
    if (f->window.step_bins.empty() && stalls.count == 0) continue;
    out.count += stalls.count;
    out.steps += f->window.steps;
    lost += static_cast<double>(stalls.total_ns);
    window += window_ns(*f);
    periods.push_back(stalls.period_steps);
    longest.insert(longest.end(), stalls.longest.begin(), stalls.longest.end());
  }
  if (out.steps == 0) return std::nullopt;
  out.share = window > 0 ? std::min(1.0, lost / window) : 0;
  // The median, so that one round in which chance looked like a period does not decide.
  out.period_steps = lower_median(std::move(periods));
  add_longest(longest, out);
  return out;
}

SteadinessKind least_steady(JudgedRecords records) {
  SteadinessKind worst = SteadinessKind::unknown;
  for (const Facts* f : usable_facts(records)) worst = std::max(worst, f->window.steadiness);
  return worst;
}

std::vector<ProbeFacts> probes_of(JudgedRecords records) {
  std::vector<ProbeFacts> out;
  for (const Facts* f : usable_facts(records))
    for (const ProbeFacts& probe : f->probes) {
      ProbeFacts* known = find_element(out, probe.name, &ProbeFacts::name);
      if (!known) {
        known = &out.emplace_back();
        known->name = probe.name, known->unit = probe.unit;
      }
      merge(*known, probe);
    }
  for (ProbeFacts& probe : out) keep_a_share(probe);
  return out;
}

std::optional<CoresUsed> cores_used(JudgedRecords records) {
  CoresUsed sum;
  double all_ns = 0, known_ns = 0, no_core_ns = 0;
  for (const JudgedRecord& judged : records) {
    const auto seen = ran_to_end(judged.status) ? rules::by_others(*judged.record) : std::nullopt;
    if (!seen) continue;
    const double ns = window_ns(judged.record->facts);
    all_ns += ns;
    sum.ours += ns * seen->ours, sum.others += ns * seen->cores, sum.cpus += ns * seen->cpus;
    sum.most = std::max(sum.most, seen->cores);
    if (seen->no_core_share) known_ns += ns, no_core_ns += ns * *seen->no_core_share;
  }
  if (!(all_ns > 0)) return std::nullopt;
  for (double* mean : {&sum.ours, &sum.others, &sum.cpus}) *mean /= all_ns;
  if (known_ns > 0) sum.no_core_share = no_core_ns / known_ns;
  return sum;
}

std::optional<Interference> interference_of(const Point& point, const JudgedTrials& trials) {
  const auto found = against_alone(point, trials, AblationKind::interference);
  if (!found) return std::nullopt;
  const ByRound logs = trials.by_round(found->trial, [](const Facts& f) -> std::optional<double> {
    if (!f.background_rate || !(*f.background_rate > 0)) return std::nullopt;
    return std::log(*f.background_rate);
  });
  return Interference{found->ratio, found->rate, estimate_from_logs(values_in(logs))};
}

std::optional<BatchOnDevice> batch_on_device_of(const Point& point, const JudgedTrials& trials) {
  const auto found = against_alone(point, trials, AblationKind::batch_on_device);
  if (!found) return std::nullopt;
  return BatchOnDevice{found->rate, found->ratio};
}

std::optional<double> lock_wait_ms(const Point& point, const JudgedTrials& trials) {
  double ns = 0, steps = 0;
  for (const Facts* f : usable_facts(trials.of(trial_of(point, Mode::pipeline)))) {
    const StageTotal& lock = total_of(*f, Stage::lock);
    if (lock.count == 0) continue;
    ns += static_cast<double>(lock.ns) / std::max<std::uint32_t>(1, f->workers.count);
    steps += window_steps(*f);
  }
  return steps > 0 ? std::optional(ns * 1e-6 / steps) : std::nullopt;
}

}  // namespace benchbench
