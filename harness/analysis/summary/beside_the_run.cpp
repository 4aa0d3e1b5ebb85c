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

std::optional<AgainstAlone> against_alone(const Point& point, const JudgedTrials& trials,
                                          AblationKind kind) {
  const auto alone = trial_of(point, Mode::trainer);
  const auto extra =
      std::ranges::find_if(point.ablations, [kind](const auto& a) { return a.first.kind == kind; });
  if (!alone || extra == point.ablations.end()) return std::nullopt;
  const ByRound logs = trials.log_rates(extra->second);
  const double phase = trials.phase_share(extra->second);
  const Measured ratio =
      ratio_within_rounds(logs, trials.log_rates(*alone), phase + trials.phase_share(*alone));
  if (!ratio) return std::nullopt;
  return AgainstAlone{extra->second, estimate_cut_rates(values_in(logs), phase), ratio};
}

}  // namespace

std::optional<StallFindings> stalls_seen(std::span<const JudgedRecord> records) {
  StallFindings out;
  double lost = 0, window = 0;
  std::map<StallCause, double> by_cause;
  std::vector<double> periods;
  for (const JudgedRecord& judged : records) {
    const Facts& f = judged.record->facts;
    if (!judged.usable() || (f.window.step_bins.empty() && f.window.stalls.count == 0)) continue;
    out.count += f.window.stalls.count;
    out.steps += f.window.steps;
    lost += static_cast<double>(f.window.stalls.total_ns);
    window += static_cast<double>(f.window.ns);
    periods.push_back(f.window.stalls.period_steps);
    for (const Stall& s : f.window.stalls.longest) {
      by_cause[s.cause] += static_cast<double>(s.ns);
      out.longest_ms = std::max(out.longest_ms, static_cast<double>(s.ns) * 1e-6);
    }
  }
  if (out.steps == 0) return std::nullopt;
  out.share = window > 0 ? std::min(1.0, lost / window) : 0;
  // The median, so that one round in which chance looked like a period does not decide.
  out.period_steps = lower_median(std::move(periods));
  const auto worst = std::ranges::max_element(
      by_cause, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (worst != by_cause.end()) out.cause = worst->first;
  return out;
}

SteadinessKind least_steady(std::span<const JudgedRecord> records) {
  SteadinessKind worst = SteadinessKind::unknown;
  for (const JudgedRecord& judged : records)
    if (judged.usable()) worst = std::max(worst, judged.record->facts.window.steadiness);
  return worst;
}

std::vector<ProbeFacts> probes_of(std::span<const JudgedRecord> records) {
  std::vector<ProbeFacts> out;
  for (const JudgedRecord& judged : records) {
    if (!judged.usable()) continue;
    for (const ProbeFacts& probe : judged.record->facts.probes) {
      auto at =
          std::ranges::find_if(out, [&](const ProbeFacts& p) { return p.name == probe.name; });
      if (at == out.end()) {
        out.push_back({});
        at = out.end() - 1;
        at->name = probe.name, at->unit = probe.unit;
      }
      merge(*at, probe);
    }
  }
  for (ProbeFacts& probe : out) keep_a_share(probe);
  return out;
}

std::optional<CoresUsed> cores_used(std::span<const JudgedRecord> records) {
  CoresUsed sum;
  double all_ns = 0, known_ns = 0, no_core_ns = 0;
  for (const JudgedRecord& judged : records) {
    const bool ran = judged.usable() || judged.status == Status::invalid;
    const auto seen = ran ? rules::by_others(*judged.record) : std::nullopt;
    if (!seen) continue;
    const double ns = static_cast<double>(judged.record->facts.window.ns);
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
  const auto pipeline = trial_of(point, Mode::pipeline);
  if (!pipeline) return std::nullopt;
  double ns = 0, steps = 0;
  for (const JudgedRecord& judged : trials.of(*pipeline)) {
    const Facts& f = judged.record->facts;
    const StageTotal& lock = total_of(f, Stage::lock);
    if (!judged.usable() || lock.count == 0) continue;
    ns += static_cast<double>(lock.ns) / std::max<std::uint32_t>(1, f.workers.count);
    steps += static_cast<double>(f.window.steps);
  }
  return steps > 0 ? std::optional(ns * 1e-6 / steps) : std::nullopt;
}

}  // namespace benchbench
