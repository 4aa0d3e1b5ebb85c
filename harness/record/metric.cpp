#include "harness/record/metric.h"

namespace benchbench {
namespace {

using enum Better;

// Samples are those delivered to the trainer and stepped within the window, never steps times the
// nominal batch; t is the window's wall time, epoch gaps cut out.
constexpr Metric kMetrics[] = {
    {"loader_rate", "L", "samples/s", higher,
     "Samples delivered / window time, with the loader as written and a trainer that discards each "
     "batch at once: the most the loader can deliver."},
    {"trainer_rate", "T", "samples/s", higher,
     "Samples stepped / window time, with the trainer as written and one batch of the scenario's "
     "own loader repeated from host memory, including the copy to the device: the most the trainer "
     "can consume."},
    {"pipeline_rate", "F", "samples/s", higher,
     "Samples stepped / window time, with loader and trainer both as written: the rate of the "
     "job."},
    {"cpu_rate", "C", "samples/s", higher,
     "Available cores / CPU seconds per sample of loader and trainer together: the upper bound of "
     "a pipeline whose sides share the cores."},
    {"headroom", "L/T", "ratio", higher,
     "loader_rate / trainer_rate within the same round. Above 1 the loader can keep up with the "
     "trainer; 1.2 or more leaves a margin for variation."},
    {"au", "", "share", higher,
     "pipeline_rate / trainer_rate, of the time without core_wait: the accelerator utilisation of "
     "MLPerf Storage, the share of a step that is the step's own work. The trainer alone keeps its "
     "waits for a core. Not measured where core_wait is over half of the step. Long steps hide "
     "long "
     "stalls in it: read exposed_wait first."},
    {"overlap_efficiency", "", "share", higher,
     "pipeline_rate / min(loader_rate, trainer_rate, cpu_rate): how much of the rate that both "
     "sides allow is reached. Below 0.95 the rest is called contention."},
    {"exposed_wait", "", "ms", lower,
     "Time per step that the trainer's thread waited for a batch: mean, p50, p90, p99 and max over "
     "the steps of the window."},
    {"core_wait", "", "ms", lower,
     "Time per step that the trainer's thread waited for a core, or to be woken, while its batch "
     "was there. No part of exposed_wait. Not known of loaders with workers of their own, such as "
     "those in Python: all of it is exposed_wait then."},
    {"side_takes", "", "ms", lower,
     "Time per step that the named side takes by itself: batch over its rate alone, at most the "
     "step."},
    {"side_cost", "", "ms", lower,
     "Cost of the limiting side per step: batch x (1/F - 1/T) for the loader, batch x (1/F - 1/L) "
     "for the trainer, whichever is larger; contention if that is larger still."},
    {"loader_cost", "", "ms", lower,
     "batch x (1/F - 1/T): the time per step that would be saved if the loader took no time."},
    {"trainer_cost", "", "ms", lower,
     "batch x (1/F - 1/L): the time per step that would be saved if the trainer took no time."},
    {"contention", "", "ms", lower,
     "batch x (1/F - 1/min(L, T, C)), reported if F is below 0.95 of that minimum, else core_wait "
     "as far as it lowers F and the kernel counts it as run delay, reported from 2 % of the step "
     "on (10 % in fewer than 5 rounds): time "
     "lost because loader and trainer hinder each other, caused by neither side alone."},
    {"gain", "", "ratio", higher,
     "pipeline_rate / pipeline_rate of the same settings with num_workers: 0: the speed-up from "
     "loading in the background."},
    {"epoch_gap", "", "ms", lower,
     "Time between the last batch of an epoch and the first of the next, beyond an ordinary step; "
     "excluded from every rate. benchbench's own loaders have no gap; measured only for loaders "
     "that restart at each epoch."},
    {"first_batch", "", "ms", lower,
     "Time from the first batch request to the first delivered batch."},
    {"startup", "", "ms", lower,
     "Time to create loader, trainer, workers and slots, before the first batch request."},
    {"step", "", "ms", lower, "The trainer's own time per step, without the wait for its batch."},
    {"peak_memory", "", "bytes", lower,
     "Peak resident memory of the process tree during the trial."},
    {"samples_per_cpu_second", "", "samples/s", higher,
     "Samples stepped / CPU seconds of the process tree over the window."},
    {"bytes_payload", "", "bytes", neither, "Stored bytes of the samples delivered."},
    {"bytes_read", "", "bytes", neither, "Bytes requested by read calls over the window."},
    {"bytes_device", "", "bytes", neither, "Bytes that storage devices delivered over the window."},
    {"cache_share", "", "share", neither,
     "1 - bytes_device / bytes_read: the share of bytes read that came from the page cache. At 1 "
     "the rates say nothing about storage."},
    {"shuffle_displacement", "", "ratio", neither,
     "Mean distance between a sample's position in an epoch and its position in storage, relative "
     "to a uniform random permutation (a third of all samples): 0 in storage order, 1 fully "
     "shuffled. Shown if points differ in it: reading neighbours is cheaper, so rates of "
     "differently shuffled orders are not comparable."},
    {"shuffle_together", "", "share", neither,
     "Share of an epoch's samples that are followed by their successor in storage: 1 in storage "
     "order, 1/N fully shuffled."},
    {"padding_share", "", "share", lower,
     "Padding / all elements of the rows delivered, for sequences padded to the longest of their "
     "batch: work that contributes nothing to training."},
    {"tokens_per_second", "", "tokens/s", higher,
     "Tokens delivered, without padding, / window time."},
    {"aa_floor", "", "share", lower,
     "How much two identical trials differed in this run: the spread of the anchor's repeats "
     "within a round. Smaller differences are not significant."},
    {"slope", "", "share", lower,
     "Change of the step time across the window as a share of its mean. Above 0.05 the trial was "
     "not steady (rule R06)."},
    {"overhead", "", "share", lower,
     "Time spent measuring / window time x threads: meter scopes x calibrated cost of one. Above "
     "0.01 the trial is NOISY, above 0.03 INVALID (rule R16)."},
    {"steal", "", "share", lower,
     "Share of CPU time that the hypervisor gave to other guests during the window."},
    {"other", "", "ms", neither,
     "The part of the step not covered by any measured phase of the trainer's thread; below -0.5 % "
     "of the step the trial is INVALID."},
};

}  // namespace

std::span<const Metric> metrics() noexcept { return kMetrics; }

const Metric* find_metric(std::string_view name) noexcept {
  for (const Metric& metric : kMetrics) {
    if (metric.name == name || (!metric.symbol.empty() && metric.symbol == name)) return &metric;
  }
  return nullptr;
}

}  // namespace benchbench
