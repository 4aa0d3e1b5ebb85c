// The table of metrics.
#include "harness/analysis/findings.h"
#include "harness/analysis/metrics/metric.h"
#include "harness/analysis/metrics/metric_values.h"

namespace benchbench {
namespace {

constexpr std::array<bool, 3> kLoaderTrials{true, false, false}, kTrainerTrials{false, true, false},
    kPipelineTrials{false, false, true}, kTrialsOfBothSides{true, true, false};

// Samples are those delivered to the trainer and stepped within the window, never steps times the
// nominal batch; t is the window's wall time, epoch gaps cut out. What decides has its column
// first: a narrow terminal breaks the table after it.
constexpr Metric kMetrics[] = {
    {.name = "batch_size",
     .unit = kSamples,
     .definition = "Samples per batch of this point.",
     .number = metric_values::batch_size},
    {.name = "loader_rate",
     .symbol = "L",
     .unit = kSamplesPerSecond,
     .better = Better::higher,
     .definition =
         "Samples delivered / window time, with the loader as written and a trainer that discards "
         "each batch at once: the most the loader can deliver.",
     .estimate = &PointFindings::loader_rate,
     .modes = kLoaderTrials,
     .column = {.title = "loader L",
                .subtitle = "samples/s",
                .place = 10,
                .format = CellFormat::rate,
                .use = ColumnUse::always,
                .note = "In brackets if the trial was INVALID."},
     .compared = {MetricKind::rate, metric_values::rate}},
    {.name = "trainer_rate",
     .symbol = "T",
     .unit = kSamplesPerSecond,
     .better = Better::higher,
     .definition =
         "Samples stepped / window time, with the trainer as written and one batch of the "
         "scenario's own loader repeated from host memory, including the copy to the device: the "
         "most the trainer can consume.",
     .estimate = &PointFindings::trainer_rate,
     .modes = kTrainerTrials,
     .column = {.title = "trainer T",
                .subtitle = "samples/s",
                .place = 11,
                .format = CellFormat::rate,
                .use = ColumnUse::always,
                .note = "In brackets if the trial was INVALID."},
     .compared = {MetricKind::rate, metric_values::rate}},
    {.name = "pipeline_rate",
     .symbol = "F",
     .unit = kSamplesPerSecond,
     .better = Better::higher,
     .definition = "Samples stepped / window time, with loader and trainer both as written: the "
                   "rate of the job.",
     .estimate = &PointFindings::pipeline_rate,
     .modes = kPipelineTrials,
     .column = {.title = "pipeline F",
                .subtitle = "samples/s",
                .place = 12,
                .format = CellFormat::rate,
                .use = ColumnUse::always,
                .applies = metric_values::is_no_script,
                .note = "In brackets if the trial was INVALID."},
     .compared = {MetricKind::rate, metric_values::rate}},
    {.name = "cpu_rate",
     .symbol = "C",
     .unit = kSamplesPerSecond,
     .better = Better::higher,
     .definition = "Available cores / CPU seconds per sample of loader and trainer together: the "
                   "upper bound of a pipeline whose sides share the cores.",
     .estimate = &PointFindings::cpu_rate,
     .column =
         {.title = "CPU C", .subtitle = "samples/s", .place = 40, .format = CellFormat::count}},
    {.name = "headroom",
     .symbol = "L/T",
     .unit = kRatio,
     .better = Better::higher,
     .definition = "loader_rate / trainer_rate within the same round. Above 1 the loader can keep "
                   "up with the trainer; 1.2 or more leaves a margin for variation.",
     .estimate = &PointFindings::headroom,
     .modes = kTrialsOfBothSides,
     .column = {.title = "headroom",
                .subtitle = "L/T",
                .place = 20,
                .format = CellFormat::ratio,
                .use = ColumnUse::always}},
    {.name = "au",
     .unit = kShare,
     .better = Better::higher,
     .definition =
         "pipeline_rate / trainer_rate, of the time without core_wait: the accelerator "
         "utilisation of MLPerf Storage, the share of a step that is the step's own work. The "
         "trainer alone keeps its waits for a core. Not measured where core_wait is over half of "
         "the step. Long steps hide long stalls in it: read exposed_wait first.",
     .number = metric_values::utilisation,
     .column = {.title = "au",
                .subtitle = "F/T",
                .place = 30,
                .format = CellFormat::three_digits,
                .hide_if_empty = true,
                .applies = metric_values::has_emulated_steps}},
    {.name = "overlap_efficiency",
     .unit = kShare,
     .better = Better::higher,
     .definition =
         "pipeline_rate / min(loader_rate, trainer_rate, cpu_rate): how much of the rate that both "
         "sides allow is reached. Below 0.95 the rest is called contention.",
     .estimate = &PointFindings::overlap_efficiency},
    {.name = "step",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition = "Wall time of a pipeline step, including its wait.",
     .estimate = &PointFindings::step_ms},
    {.name = "exposed_wait",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition = "Time per step that the trainer's thread waited for a batch: mean, p50, p90, "
                   "p99 and max over the steps of the window.",
     .estimate = &PointFindings::exposed_wait_ms,
     .distribution = &PointFindings::exposed_wait,
     .modes = kPipelineTrials,
     .column = {.title = "wait",
                .subtitle = "per step",
                .place = 21,
                .format = CellFormat::milliseconds,
                .use = ColumnUse::always},
     .compared = {MetricKind::wait, metric_values::wait_ms}},
    {.name = "core_wait",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition =
         "Time per step that the trainer's thread waited for a core, or to be woken, while its "
         "batch was there. No part of exposed_wait. Not known of loaders with workers of their "
         "own, such as those in Python: all of it is exposed_wait then.",
     .estimate = &PointFindings::core_wait_ms},
    {.name = "side_takes",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition = "Time per step that the named side takes by itself: batch over its rate alone, "
                   "at most the step.",
     .estimate = &PointFindings::side_takes_ms},
    {.name = "side_cost",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition =
         "Cost of the limiting side per step: batch x (1/F - 1/T) for the loader, batch x (1/F - "
         "1/L) for the trainer, whichever is larger; contention if that is larger still.",
     .estimate = &PointFindings::side_cost_ms},
    {.name = "loader_cost",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition = "batch x (1/F - 1/T): the time per step that would be saved if the loader took "
                   "no time.",
     .estimate = &PointFindings::loader_cost_ms},
    {.name = "trainer_cost",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition = "batch x (1/F - 1/L): the time per step that would be saved if the trainer took "
                   "no time.",
     .estimate = &PointFindings::trainer_cost_ms},
    {.name = "contention",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition =
         "batch x (1/F - 1/min(L, T, C)), reported if F is below 0.95 of that minimum, else "
         "core_wait as far as it lowers F and the kernel counts it as run delay, reported from 2 % "
         "of the step on (10 % in fewer than 5 rounds): time lost because loader and trainer "
         "hinder each other, caused by neither side alone.",
     .estimate = &PointFindings::contention_ms,
     .column = {.title = "contention",
                .subtitle = "per step",
                .place = 41,
                .format = CellFormat::milliseconds,
                .hide_if_empty = true}},
    {.name = "gain",
     .unit = kRatio,
     .better = Better::higher,
     .definition =
         "pipeline_rate / pipeline_rate of the same settings with num_workers: 0, within the same "
         "round: the speed-up from loading in the background.",
     .estimate = &PointFindings::gain,
     .column =
         {.title = "gain", .subtitle = "vs 0 workers", .place = 42, .format = CellFormat::gain}},
    {.name = "cache_share",
     .unit = kShare,
     .definition = "1 - bytes_device / bytes_read: the share of bytes read that came from the page "
                   "cache. At 1 the rates say nothing about storage.",
     .number = metric_values::at_point<&PointFindings::cache_share>,
     .column = {.title = "from cache", .place = 44, .format = CellFormat::whole_share}},
    {.name = "peak_memory",
     .unit = kBytes,
     .better = Better::lower,
     .definition = "Peak resident memory of the process tree during the trial.",
     .number = metric_values::at_point<&PointFindings::peak_memory_bytes>,
     .column = {.title = "memory", .subtitle = "peak", .place = 50, .format = CellFormat::bytes},
     .compared = {MetricKind::memory, metric_values::peak_memory_bytes}},
    {.name = "epoch_gap",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition =
         "Time between the last batch of an epoch and the first of the next, beyond an ordinary "
         "step; excluded from every rate. benchbench's own loaders have no gap; measured only for "
         "loaders that restart at each epoch.",
     .number = metric_values::at_point<&PointFindings::epoch_gap_ms>,
     .column = {.title = "epoch gap",
                .place = 51,
                .format = CellFormat::milliseconds,
                .hide_if_empty = true}},
    {.name = "first_batch",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition = "Time from the first batch request to the first delivered batch.",
     .number = metric_values::at_point<&PointFindings::first_batch_ms>,
     .column = {.title = "first batch",
                .subtitle = "after",
                .place = 52,
                .format = CellFormat::milliseconds},
     .compared = {MetricKind::first_batch, metric_values::first_batch_ms}},
    {.name = "startup",
     .unit = kMilliseconds,
     .better = Better::lower,
     .definition =
         "Time to create loader, trainer, workers and slots, before the first batch request.",
     .compared = {MetricKind::startup, metric_values::startup_ms}},
    {.name = "payload_bytes_per_sample",
     .unit = kBytesPerSample,
     .definition = "Mean stored bytes per sample (bytes_payload / samples).",
     .number = metric_values::at_point<&PointFindings::payload_bytes_per_sample>},
    {.name = "read_bytes_per_sample",
     .unit = kBytesPerSample,
     .definition = "Mean bytes that the loader asked storage for, per sample delivered (bytes_read "
                   "/ samples).",
     .number = metric_values::at_point<&PointFindings::read_bytes_per_sample>,
     .column = {.title = "read",
                .subtitle = "per sample",
                .place = 43,
                .format = CellFormat::bytes_asked,
                .use = ColumnUse::always,
                .hide_if_empty = true,
                .applies = metric_values::leaves_samples_out,
                .note = "Printed where dataset.keep leaves samples out, per sample kept, and with "
                        "device_bytes_per_sample where that is more."}},
    {.name = "device_bytes_per_sample",
     .unit = kBytesPerSample,
     .definition =
         "Mean bytes that storage devices delivered, per sample delivered (bytes_device / "
         "samples).",
     .number = metric_values::at_point<&PointFindings::device_bytes_per_sample>},
    {.name = "bytes_payload",
     .unit = kBytes,
     .definition = "Stored bytes of the samples delivered."},
    {.name = "bytes_read",
     .unit = kBytes,
     .definition = "Bytes requested by read calls over the window."},
    {.name = "bytes_device",
     .unit = kBytes,
     .definition = "Bytes that storage devices delivered over the window."},
    {.name = "shuffle_displacement",
     .unit = kRatio,
     .definition =
         "Mean distance between a sample's position in an epoch and its position in storage, "
         "relative to a uniform random permutation (a third of all samples): 0 in storage order, 1 "
         "fully shuffled. Shown if points differ in it: reading neighbours is cheaper, so rates of "
         "differently shuffled orders are not comparable.",
     .number = metric_values::at_point<&PointFindings::shuffle_displacement>,
     .column = {.title = "shuffle",
                .subtitle = "1 = random",
                .place = 31,
                .format = CellFormat::two_digits,
                .hide_if_empty = true,
                .applies = metric_values::is_shuffled_apart}},
    {.name = "shuffle_together",
     .unit = kShare,
     .definition = "Share of an epoch's samples that are followed by their successor in storage: 1 "
                   "in storage order, 1/N fully shuffled.",
     .number = metric_values::at_point<&PointFindings::shuffle_together>,
     .column = {.title = "together",
                .subtitle = "neighbours",
                .place = 32,
                .format = CellFormat::share,
                .hide_if_empty = true,
                .applies = metric_values::is_shuffled_apart,
                .note = "Printed if points differ in shuffle_displacement."}},
    {.name = "padding_share",
     .unit = kShare,
     .better = Better::lower,
     .definition =
         "Padding / all elements of the rows delivered, for sequences padded to the longest of "
         "their batch: work that contributes nothing to training.",
     .number = metric_values::at_point<&PointFindings::padding_share>,
     .column = {.title = "padding",
                .subtitle = "of tokens",
                .place = 33,
                .format = CellFormat::share,
                .hide_if_empty = true}},
    {.name = "tokens_per_second",
     .unit = kTokensPerSecond,
     .better = Better::higher,
     .definition = "Tokens delivered, without padding, / window time.",
     .number = metric_values::at_point<&PointFindings::tokens_per_second>,
     .column = {.title = "tokens",
                .subtitle = "per second",
                .place = 34,
                .format = CellFormat::count,
                .hide_if_empty = true}},
    {.name = "aa_floor",
     .unit = kShare,
     .better = Better::lower,
     .definition = "How much two identical trials differed in this run: the spread of the anchor's "
                   "repeats within a round. Smaller differences are not significant."},
    {.name = "slope",
     .unit = kShare,
     .better = Better::lower,
     .definition = "Change of the step time across the window as a share of its mean. Above 0.05 "
                   "the trial was not steady (rule R06)."},
    {.name = "overhead",
     .unit = kShare,
     .better = Better::lower,
     .definition =
         "Time spent measuring / window time x threads: meter scopes x calibrated cost of one. "
         "Above 0.01 the trial is NOISY, above 0.03 INVALID (rule R16)."},
    {.name = "steal",
     .unit = kShare,
     .better = Better::lower,
     .definition = "Share of CPU time that the hypervisor gave to other guests during the window."},
    {.name = "other",
     .unit = kMilliseconds,
     .definition =
         "The part of the step not covered by any measured phase of the trainer's thread; below "
         "-0.5 % of the step the trial is INVALID."},
};

}  // namespace

std::span<const Metric> metrics() noexcept { return kMetrics; }

}  // namespace benchbench
