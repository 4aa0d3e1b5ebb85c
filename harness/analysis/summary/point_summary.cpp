#include "harness/analysis/summary/point_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/analysis/external/external_windows.h"
#include "harness/analysis/rates/certainty.h"
#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rules/asked.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/beside_the_run.h"
#include "harness/analysis/summary/hindering_neighbour.h"
#include "harness/analysis/summary/point_status.h"
#include "harness/core/contains.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Cores over CPU seconds per sample of everything together. The process tree's CPU time where it is
// known: a step's intra-op threads are in it, which the trainer thread's own clock does not see.
std::optional<double> log_cpu_rate(const Facts& f) {
  std::optional<double> seconds;
  if (f.cpu.user_s && f.cpu.system_s)
    seconds = *f.cpu.user_s + *f.cpu.system_s;
  else if (f.cpu.loader_s && f.cpu.trainer_s)
    seconds = *f.cpu.loader_s + *f.cpu.trainer_s;
  if (!seconds || !(*seconds > 0) || !(f.cpu.cores_available > 0) || f.window.samples == 0)
    return std::nullopt;
  return std::log(f.cpu.cores_available * window_samples(f) / *seconds);
}

// `spread`: PointRates::spread.
void add_rates(PointFindings& out, const Point& point, const JudgedTrials& trials,
               std::optional<double> spread) {
  const auto rate = [&](Mode mode) -> Measured {
    const auto trial = trial_of(point, mode);
    const bool usable = has_usable(trials.of(trial));
    return estimate_rates(values_in(trials.log_rates(trial, usable)), trials.phase_share(trial),
                          spread);
  };
  out.loader_rate = rate(Mode::loader);
  out.trainer_rate = rate(Mode::trainer);
  out.pipeline_rate = rate(Mode::pipeline);
}

// A part of the step: none of it below 0 or beyond the whole.
void keep_within(Estimate& part, double whole) {
  for (double* v : {&part.value, &part.low, &part.high}) *v = std::clamp(*v, 0.0, whole);
}

// Returns what that share of the window is of a step, in ms. A mean of other rounds than the step's
// is no part of it.
Measured part_of_step(const PointFindings& out, std::uint32_t pipeline, const JudgedTrials& trials,
                      std::optional<double> (*share_of)(const Facts&)) {
  const ByRound waits =
      trials.by_round(pipeline, [=](const Facts& f) { return part_of_step_ms(f, share_of(f)); });
  if (!out.step_ms || waits.size() != out.step_ms->n) return std::nullopt;
  Measured part = estimate_mean(values_in(waits));
  if (part) keep_within(*part, out.step_ms->value);
  return part;
}

void add_wait(PointFindings& out, std::uint32_t pipeline, const JudgedTrials& trials) {
  out.exposed_wait_ms = part_of_step(out, pipeline, trials, waited_share);
  out.core_wait_ms = part_of_step(out, pipeline, trials, core_wait_share);
  for (const Facts* f : usable_facts(trials.of(pipeline)))
    if (f->window.get_blocked.n > 0) out.exposed_wait = f->window.get_blocked;
  if (out.exposed_wait && out.exposed_wait->n < kTailBatches)
    out.exposed_wait->p90 = out.exposed_wait->p99 = std::numeric_limits<double>::quiet_NaN();
}

void add_cache(PointFindings& out, const UsableFacts& facts) {
  std::uint64_t read = 0, device = 0;
  for (const Facts* f : facts) {
    if (!f->bytes.read || !f->bytes.device) continue;
    read += *f->bytes.read;
    device += *f->bytes.device;
  }
  // Read-ahead fetches more than was asked for, so the share can come out below 0.
  if (read > 0)
    out.cache_share = std::max(0.0, 1 - static_cast<double>(device) / static_cast<double>(read));
}

using ByteCount = std::optional<std::uint64_t> ByteFacts::*;

std::optional<double> bytes_per_sample(const UsableFacts& facts, ByteCount count) {
  double bytes = 0, samples = 0;
  for (const Facts* f : facts) {
    if (!(f->bytes.*count)) continue;
    bytes += static_cast<double>(*(f->bytes.*count));
    samples += window_samples(*f);
  }
  return samples > 0 ? std::optional(bytes / samples) : std::nullopt;
}

void add_bytes(PointFindings& out, const UsableFacts& facts) {
  out.payload_bytes_per_sample = bytes_per_sample(facts, &ByteFacts::payload);
  out.read_bytes_per_sample = bytes_per_sample(facts, &ByteFacts::read);
  if (out.read_bytes_per_sample)
    out.device_bytes_per_sample = bytes_per_sample(facts, &ByteFacts::device);
}

// The padding among the tokens.
void add_elements(PointFindings& out, const UsableFacts& facts) {
  double real = 0, padding = 0;
  for (const Facts* f : facts) {
    if (!f->elements.count || !f->elements.padding) continue;
    real += static_cast<double>(*f->elements.count);
    padding += static_cast<double>(*f->elements.padding);
  }
  if (real + padding > 0) out.padding_share = padding / (real + padding);
}

std::optional<double> in_ms(const std::optional<std::int64_t>& ns) {
  return ns ? std::optional(static_cast<double>(*ns) * 1e-6) : std::nullopt;
}

// Means over the rounds that have it.
void add_means(PointFindings& out, const UsableFacts& facts) {
  out.epoch_gap_ms = mean_known(facts, [](const Facts* f) { return in_ms(f->epochs.gap_ns); });
  out.first_batch_ms =
      mean_known(facts, [](const Facts* f) { return in_ms(f->start.first_batch_ns); });
  // Each round draws an order of its own: one that is missing matters less.
  out.shuffle_displacement =
      mean_known(facts, [](const Facts* f) { return f->shuffle.displacement; });
  out.shuffle_together = mean_known(facts, [](const Facts* f) { return f->shuffle.together; });
}

void add_resources(PointFindings& out, JudgedRecords records) {
  const UsableFacts facts = usable_facts(records);
  add_means(out, facts);
  add_cache(out, facts);
  add_bytes(out, facts);
  add_elements(out, facts);
  for (const Facts* f : facts) {
    if (f->peak_memory_bytes)
      out.peak_memory_bytes = std::max(out.peak_memory_bytes.value_or(0), *f->peak_memory_bytes);
    if (!out.epoch_samples) out.epoch_samples = f->epochs.samples;
    if (out.cache_state.degree == CacheDegree::unknown) out.cache_state = f->cache.state;
    out.overhead_share = std::max(out.overhead_share, f->instrument.overhead_share);
  }
  out.steadiness = least_steady(records);
  out.stalls = stalls_seen(records);
}

void add_shares(const JudgedTrials& trials, std::optional<std::uint32_t> pipeline,
                PointRates& rates) {
  rates.cpu = trials.by_round(pipeline, log_cpu_rate);
  rates.waited = trials.by_round(pipeline, waited_share);
  rates.core_wait = trials.by_round(pipeline, without_core_share);
  rates.slot_waited = trials.by_round(pipeline, slot_waited_share);
}

// Adds the rates of the three modes, and the share that the cut of their windows leaves unknown.
void add_logs(const Point& point, const JudgedTrials& trials, PointRates& rates) {
  const auto loader = trial_of(point, Mode::loader), trainer = trial_of(point, Mode::trainer),
             pipeline = trial_of(point, Mode::pipeline);
  rates.loader = trials.log_rates(loader);
  rates.trainer = trials.log_rates(trainer);
  rates.pipeline = trials.log_rates(pipeline);
  rates.loader_phase = trials.phase_share(loader);
  rates.trainer_phase = trials.phase_share(trainer);
  rates.pipeline_phase = trials.phase_share(pipeline);
}

// Samples a step: what was measured where a pipeline was, since the last batch of an epoch may be
// smaller.
double samples_a_step(const Point& point, const JudgedTrials& trials) {
  double samples = 0, steps = 0;
  for (const Facts* f : usable_facts(trials.of(trial_of(point, Mode::pipeline)))) {
    samples += window_samples(*f);
    steps += window_steps(*f);
  }
  if (steps > 0) return samples / steps;
  return static_cast<double>(point.settings.get_if(keys::loader.batch_size).value_or(1));
}

// An iterable of the user's is taken as it is: what makes its batches, and while what else runs, is
// its own.
bool has_own_workers(const Point& point, const JudgedTrials& trials) {
  const auto trial = loader_trials(point, trials);
  return trial && trial->last()->external->kind == "iterable";
}

void add_bounds(PointFindings& out, const Point& point, const JudgedTrials& trials) {
  for (const auto& [mode, trial] : point.trials)
    for (const JudgedRecord& judged : trials.of(trial))
      if (judged.usable() && judged.bound) out.bound[static_cast<std::size_t>(mode)] = true;
}

// The modes whose bound is no answer: of the slower side, and of both together where a side takes
// time.
std::vector<Mode> needed_bounds(const PointFindings& p) {
  const bool loader = p.is_bound(Mode::loader), trainer = p.is_bound(Mode::trainer);
  std::vector<Mode> needed;
  if (p.is_bound(Mode::pipeline) && !(loader && trainer)) needed.push_back(Mode::pipeline);
  if (loader == trainer || !p.loader_rate || !p.trainer_rate) return needed;
  if (loader && p.loader_rate->value < p.trainer_rate->value) needed.push_back(Mode::loader);
  if (trainer && p.trainer_rate->value < p.loader_rate->value) needed.push_back(Mode::trainer);
  return needed;
}

void drop_verdict(PointFindings& out) {
  static_cast<Verdict&>(out) = Verdict{};
  out.overlap_efficiency.reset();
}

// A rate that is needed and only bounded is void.
void void_needed_bounds(PointFindings& out, const Point& point, const JudgedTrials& trials) {
  for (const Mode mode : needed_bounds(out)) {
    const auto place = static_cast<std::size_t>(mode);
    out.bound[place] = false;
    out.mode_status[place] = Status::invalid;
    out.status = worst(out.status, Status::invalid);
    drop_verdict(out);
    out.headroom.reset();
    for (const JudgedRecord& judged : trials.of(*trial_of(point, mode)))
      if (judged.bound && !contains(out.reasons, "R16", &Reason::rule))
        out.reasons.push_back(*judged.bound);
  }
}

// Names no side if neither takes time that can be resolved, and leaves out L/T if T or L has no
// limit.
void use_bounds(PointFindings& out) {
  const bool timeless = out.loader_rate && out.loader_rate->value >= kTimelessRate;
  if (out.is_bound(Mode::trainer) || timeless) out.headroom.reset();
  if (out.rounds == 0 || !out.is_bound(Mode::loader) || !out.is_bound(Mode::trainer)) return;
  const Measured step = out.step_ms;
  const std::uint32_t rounds = out.rounds;
  const bool of_script = out.settled.has_value();
  drop_verdict(out);
  out.step_ms = step, out.rounds = rounds, out.side = Side::balanced;
  if (of_script) out.settled = true;
}

// The cores that other programs took while the point was measured; nullopt where the kernel does
// not say.
std::optional<double> others_cores(const Point& point, const JudgedTrials& trials) {
  double cpu_s = 0, wall_s = 0;
  for (const auto& [mode, trial] : point.trials)
    for (const Facts* f : usable_facts(trials.of(trial))) {
      if (!f->cpu.others_s) return std::nullopt;
      cpu_s += *f->cpu.others_s, wall_s += window_seconds(*f);
    }
  return wall_s > 0 ? std::optional(cpu_s / wall_s) : std::nullopt;
}

void add_verdict(PointFindings& out, const PointRates& rates) {
  static_cast<Verdict&>(out) = verdict_of(rates);
  out.cpu_rate = estimate_from_logs(values_in(rates.cpu));
  out.headroom = ratio_within_rounds(rates.loader, rates.trainer,
                                     rates.loader_phase + rates.trainer_phase, rates.spread);
  out.overlap_efficiency = overlap_efficiency(rates);
}

}  // namespace

bool steps_elsewhere(const Point& point, const JudgedTrials& trials) {
  const std::string device = point.settings.text_or(keys::trainer.device);
  if (!has_own_memory(device) || point.settings.get_if(keys::trainer.in_flight).value_or(0) <= 1)
    return false;
  return std::ranges::none_of(usable_facts(trials.of(trial_of(point, Mode::pipeline))),
                              [&](const Facts* f) { return steps_missed_card(device, *f); });
}

JudgedRecords telling_records(const Point& point, const JudgedTrials& trials) {
  for (const Mode mode : {Mode::pipeline, Mode::loader, Mode::trainer})
    if (const auto records = trials.of(trial_of(point, mode)); has_usable(records)) return records;
  return {};
}

PointRates usable_rates(const Point& point, const JudgedTrials& trials, double floor) {
  PointRates rates;
  rates.floor = floor;
  add_logs(point, trials, rates);
  add_shares(trials, trial_of(point, Mode::pipeline), rates);
  rates.batch = samples_a_step(point, trials);
  if (rules::is_of_script(point.settings))
    rates.spread = expected_spread(others_cores(point, trials));
  rates.overlaps = has_own_workers(point, trials)
                       ? !is_serial(rates)
                       : point.settings.get_if(keys::loader.num_workers).value_or(1) > 0 ||
                             steps_elsewhere(point, trials);
  return rates;
}

PointFindings summarise_point(const Plan& plan, const Point& point, const JudgedTrials& trials,
                              double floor) {
  PointFindings out;
  out.point = point.index;
  out.name = point.name();
  if (!keeps_own(point.settings, "batch_size"))
    out.batch_size =
        static_cast<std::uint32_t>(point.settings.get_if(keys::loader.batch_size).value_or(0));
  static_cast<PointStatus&>(out) = point_status(plan, point, trials);
  out.own_workers = has_own_workers(point, trials);
  out.steps_elsewhere = steps_elsewhere(point, trials);
  const PointRates rates = usable_rates(point, trials, floor);
  add_rates(out, point, trials, rates.spread);
  out.own_in_turn = out.own_workers && !rates.overlaps;
  add_verdict(out, rates);
  add_bounds(out, point, trials);
  void_needed_bounds(out, point, trials);
  use_bounds(out);
  out.lock_wait_ms = lock_wait_ms(point, trials);
  if (const auto pipeline = trial_of(point, Mode::pipeline)) {
    add_wait(out, *pipeline, trials);
    out.hindered_by = hindering_neighbour(out, trials.of(*pipeline));
    if (out.settled && out.side == Side::contention) out.settled = !out.hindered_by;
  }
  add_resources(out, telling_records(point, trials));
  return out;
}

}  // namespace benchbench
