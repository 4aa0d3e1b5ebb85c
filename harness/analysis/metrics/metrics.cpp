// The table of metrics, and how those are computed that are no member of the findings.
#include <algorithm>
#include <cmath>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/metrics/metric.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace metric_table {

using enum Better;
using enum CellFormat;
using enum ColumnUse;

constexpr Unit kSamplesPerSecond{"samples/s", "_samples_per_second"},
    kTokensPerSecond{"tokens/s", "_per_second"}, kMilliseconds{"ms", "_ms"},
    kRatio{"ratio", "_ratio"}, kShare{"share", "_share"}, kSamples{"samples", "_samples"},
    kBytes{"bytes", "_bytes"}, kBytesPerSample{"bytes", "_bytes_per_sample"};

// T has no such wait taken out of it. A step that is mostly such a wait measures nothing.

// The share of the step in which the trainer's thread did not wait for a core. All of it where that
// was not measured.
double share_with_core(const PointFindings& p) {
  if (!p.core_wait_ms || !p.step_ms) return 1;
  return 1 - p.core_wait_ms->value / p.step_ms->value;
}

template <auto member>
std::optional<double> at(const PointFindings& p) {
  return p.*member ? std::optional(static_cast<double>(*(p.*member))) : std::nullopt;
}

// A rate, a time or a size of 0 was not measured: it has no ratio either.
std::optional<double> above_zero(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> batch_size(const PointFindings& p) { return above_zero(p.batch_size); }

// Without padding.
std::optional<double> tokens_per_second(const UsableFacts& facts) {
  double tokens = 0, seconds = 0;
  for (const Facts* f : facts) {
    if (!f->elements.count || !f->elements.padding) continue;
    tokens += static_cast<double>(*f->elements.count);
    seconds += window_seconds(*f);
  }
  return tokens > 0 && seconds > 0 ? std::optional(tokens / seconds) : std::nullopt;
}

std::optional<double> measured_rate(const Facts& f) { return above_zero(rate_of(f)); }

std::optional<double> wait_ms(const Facts& f) { return part_of_step_ms(f, waited_share(f)); }

std::optional<double> startup_ms(const Facts& f) {
  return above_zero(static_cast<double>(f.start.startup_ns) * 1e-6);
}

std::optional<double> first_batch_ms(const Facts& f) {
  return above_zero(static_cast<double>(f.start.first_batch_ns) * 1e-6);
}

std::optional<double> peak_memory_bytes(const Facts& f) {
  return above_zero(static_cast<double>(f.peak_memory_bytes.value_or(0)));
}

// MLPerf Storage's word for its own emulated steps: others have none.
bool has_emulated_steps(const Findings&, const Plan& plan, const PointFindings& p) {
  return plan.points[p.point].settings.get_if(keys::trainer.use) == "timed";
}

bool is_no_script(const Findings&, const Plan& plan, const PointFindings&) {
  return !wraps_script(plan);
}

bool is_shuffled_apart(const Findings& f, const Plan&, const PointFindings&) {
  return orders_differ(f.points);
}

bool leaves_samples_out(const Findings&, const Plan& plan, const PointFindings&) {
  return std::ranges::any_of(plan.points,
                             [](const Point& p) { return p.settings.given(keys::dataset.keep); });
}

constexpr std::array<bool, 3> kLoader{true, false, false}, kTrainer{false, true, false},
    kPipeline{false, false, true}, kSides{true, true, false};

// Samples are those delivered to the trainer and stepped within the window, never steps times the
// nominal batch; t is the window's wall time, epoch gaps cut out. What decides has its column
// first: a narrow terminal breaks the table after it.
constexpr Metric kMetrics[] = {
    {"batch_size", "", kSamples, neither, "Samples per batch of this point.", {}, batch_size},
    {"loader_rate",
     "L",
     kSamplesPerSecond,
     higher,
     "Samples delivered / window time, with the loader as written and a trainer that discards each "
     "batch at once: the most the loader can deliver.",
     &PointFindings::loader_rate,
     {},
     {"loader L", "samples/s", 10, rate, always},
     kLoader,
     {MetricKind::rate, measured_rate}},
    {"trainer_rate",
     "T",
     kSamplesPerSecond,
     higher,
     "Samples stepped / window time, with the trainer as written and one batch of the scenario's "
     "own loader repeated from host memory, including the copy to the device: the most the trainer "
     "can consume.",
     &PointFindings::trainer_rate,
     {},
     {"trainer T", "samples/s", 11, rate, always},
     kTrainer,
     {MetricKind::rate, measured_rate}},
    {"pipeline_rate",
     "F",
     kSamplesPerSecond,
     higher,
     "Samples stepped / window time, with loader and trainer both as written: the rate of the job.",
     &PointFindings::pipeline_rate,
     {},
     {"pipeline F", "samples/s", 12, rate, always, false, is_no_script},
     kPipeline,
     {MetricKind::rate, measured_rate}},
    {"cpu_rate",
     "C",
     kSamplesPerSecond,
     higher,
     "Available cores / CPU seconds per sample of loader and trainer together: the upper bound of "
     "a pipeline whose sides share the cores.",
     &PointFindings::cpu_rate,
     {},
     {"CPU C", "samples/s", 40, count}},
    {"headroom",
     "L/T",
     kRatio,
     higher,
     "loader_rate / trainer_rate within the same round. Above 1 the loader can keep up with the "
     "trainer; 1.2 or more leaves a margin for variation.",
     &PointFindings::headroom,
     {},
     {"headroom", "L/T", 20, ratio, always},
     kSides},
    {"au",
     "",
     kShare,
     higher,
     "pipeline_rate / trainer_rate, of the time without core_wait: the accelerator utilisation of "
     "MLPerf Storage, the share of a step that is the step's own work. The trainer alone keeps its "
     "waits for a core. Not measured where core_wait is over half of the step. Long steps hide "
     "long stalls in it: read exposed_wait first.",
     {},
     utilisation,
     {"au", "F/T", 30, three_digits, detail, true, has_emulated_steps}},
    {"overlap_efficiency", "", kShare, higher,
     "pipeline_rate / min(loader_rate, trainer_rate, cpu_rate): how much of the rate that both "
     "sides allow is reached. Below 0.95 the rest is called contention.",
     &PointFindings::overlap_efficiency},
    {"step", "", kMilliseconds, lower, "Wall time of a pipeline step, including its wait.",
     &PointFindings::step_ms},
    {"exposed_wait",
     "",
     kMilliseconds,
     lower,
     "Time per step that the trainer's thread waited for a batch: mean, p50, p90, p99 and max over "
     "the steps of the window.",
     &PointFindings::exposed_wait_ms,
     {},
     {"wait", "per step", 21, milliseconds, always},
     kPipeline,
     {MetricKind::wait, wait_ms},
     &PointFindings::exposed_wait},
    {"core_wait", "", kMilliseconds, lower,
     "Time per step that the trainer's thread waited for a core, or to be woken, while its batch "
     "was there. No part of exposed_wait. Not known of loaders with workers of their own, such as "
     "those in Python: all of it is exposed_wait then.",
     &PointFindings::core_wait_ms},
    {"side_takes", "", kMilliseconds, lower,
     "Time per step that the named side takes by itself: batch over its rate alone, at most the "
     "step.",
     &PointFindings::side_takes_ms},
    {"side_cost", "", kMilliseconds, lower,
     "Cost of the limiting side per step: batch x (1/F - 1/T) for the loader, batch x (1/F - 1/L) "
     "for the trainer, whichever is larger; contention if that is larger still.",
     &PointFindings::side_cost_ms},
    {"loader_cost", "", kMilliseconds, lower,
     "batch x (1/F - 1/T): the time per step that would be saved if the loader took no time.",
     &PointFindings::loader_cost_ms},
    {"trainer_cost", "", kMilliseconds, lower,
     "batch x (1/F - 1/L): the time per step that would be saved if the trainer took no time.",
     &PointFindings::trainer_cost_ms},
    {"contention",
     "",
     kMilliseconds,
     lower,
     "batch x (1/F - 1/min(L, T, C)), reported if F is below 0.95 of that minimum, else core_wait "
     "as far as it lowers F and the kernel counts it as run delay, reported from 2 % of the step "
     "on (10 % in fewer than 5 rounds): time lost because loader and trainer hinder each other, "
     "caused by neither side alone.",
     &PointFindings::contention_ms,
     {},
     {"contention", "per step", 41, milliseconds, detail, true}},
    {"gain",
     "",
     kRatio,
     higher,
     "pipeline_rate / pipeline_rate of the same settings with num_workers: 0, within the same "
     "round: the speed-up from loading in the background.",
     &PointFindings::gain,
     {},
     {"gain", "vs 0 workers", 42, over_reference}},
    {"cache_share",
     "",
     kShare,
     neither,
     "1 - bytes_device / bytes_read: the share of bytes read that came from the page cache. At 1 "
     "the rates say nothing about storage.",
     {},
     at<&PointFindings::cache_share>,
     {"from cache", "", 44, whole_share}},
    {"peak_memory",
     "",
     kBytes,
     lower,
     "Peak resident memory of the process tree during the trial.",
     {},
     at<&PointFindings::peak_memory_bytes>,
     {"memory", "peak", 50, bytes},
     {},
     {MetricKind::memory, peak_memory_bytes}},
    {"epoch_gap",
     "",
     kMilliseconds,
     lower,
     "Time between the last batch of an epoch and the first of the next, beyond an ordinary step; "
     "excluded from every rate. benchbench's own loaders have no gap; measured only for loaders "
     "that restart at each epoch.",
     {},
     at<&PointFindings::epoch_gap_ms>,
     {"epoch gap", "", 51, milliseconds, detail, true}},
    {"first_batch",
     "",
     kMilliseconds,
     lower,
     "Time from the first batch request to the first delivered batch.",
     {},
     at<&PointFindings::first_batch_ms>,
     {"first batch", "after", 52, milliseconds},
     {},
     {MetricKind::first_batch, first_batch_ms}},
    {"startup",
     "",
     kMilliseconds,
     lower,
     "Time to create loader, trainer, workers and slots, before the first batch request.",
     {},
     {},
     {},
     {},
     {MetricKind::startup, startup_ms}},
    {"payload_bytes_per_sample",
     "",
     kBytesPerSample,
     neither,
     "Mean stored bytes per sample (bytes_payload / samples).",
     {},
     at<&PointFindings::payload_bytes_per_sample>},
    {"read_bytes_per_sample",
     "",
     kBytesPerSample,
     neither,
     "Mean bytes that the loader asked storage for, per sample delivered (bytes_read / samples).",
     {},
     at<&PointFindings::read_bytes_per_sample>,
     {"read", "per sample", 43, bytes_asked, always, true, leaves_samples_out,
      " Printed where dataset.keep leaves samples out, per sample kept, and with "
      "device_bytes_per_sample where that is more."}},
    {"device_bytes_per_sample",
     "",
     kBytesPerSample,
     neither,
     "Mean bytes that storage devices delivered, per sample delivered (bytes_device / samples).",
     {},
     at<&PointFindings::device_bytes_per_sample>},
    {"bytes_payload", "", kBytes, neither, "Stored bytes of the samples delivered."},
    {"bytes_read", "", kBytes, neither, "Bytes requested by read calls over the window."},
    {"bytes_device", "", kBytes, neither, "Bytes that storage devices delivered over the window."},
    {"shuffle_displacement",
     "",
     kRatio,
     neither,
     "Mean distance between a sample's position in an epoch and its position in storage, relative "
     "to a uniform random permutation (a third of all samples): 0 in storage order, 1 fully "
     "shuffled. Shown if points differ in it: reading neighbours is cheaper, so rates of "
     "differently shuffled orders are not comparable.",
     {},
     at<&PointFindings::shuffle_displacement>,
     {"shuffle", "1 = random", 31, two_digits, detail, true, is_shuffled_apart}},
    {"shuffle_together",
     "",
     kShare,
     neither,
     "Share of an epoch's samples that are followed by their successor in storage: 1 in storage "
     "order, 1/N fully shuffled.",
     {},
     at<&PointFindings::shuffle_together>,
     {"together", "neighbours", 32, share, detail, true, is_shuffled_apart,
      " Printed if points differ in shuffle_displacement."}},
    {"padding_share",
     "",
     kShare,
     lower,
     "Padding / all elements of the rows delivered, for sequences padded to the longest of their "
     "batch: work that contributes nothing to training.",
     {},
     at<&PointFindings::padding_share>,
     {"padding", "of tokens", 33, share, detail, true}},
    {"tokens_per_second",
     "",
     kTokensPerSecond,
     higher,
     "Tokens delivered, without padding, / window time.",
     {},
     {},
     {"tokens", "per second", 34, count, detail, true},
     {},
     {},
     nullptr,
     tokens_per_second},
    {"aa_floor", "", kShare, lower,
     "How much two identical trials differed in this run: the spread of the anchor's repeats "
     "within a round. Smaller differences are not significant."},
    {"slope", "", kShare, lower,
     "Change of the step time across the window as a share of its mean. Above 0.05 the trial was "
     "not steady (rule R06)."},
    {"overhead", "", kShare, lower,
     "Time spent measuring / window time x threads: meter scopes x calibrated cost of one. Above "
     "0.01 the trial is NOISY, above 0.03 INVALID (rule R16)."},
    {"steal", "", kShare, lower,
     "Share of CPU time that the hypervisor gave to other guests during the window."},
    {"other", "", kMilliseconds, neither,
     "The part of the step not covered by any measured phase of the trainer's thread; below -0.5 % "
     "of the step the trial is INVALID."},
};

}  // namespace metric_table

std::span<const Metric> metrics() noexcept { return metric_table::kMetrics; }

std::optional<double> utilisation(const PointFindings& p) {
  using namespace metric_table;
  if (p.is_bound(Mode::trainer) || !p.is_usable_in(Mode::pipeline) ||
      !p.is_usable_in(Mode::trainer) || !p.pipeline_rate || !p.trainer_rate)
    return std::nullopt;
  const double with_core = share_with_core(p);
  if (with_core < kLeastWithCore) return std::nullopt;
  return std::min(1.0, p.pipeline_rate->value / (with_core * p.trainer_rate->value));
}

}  // namespace benchbench
