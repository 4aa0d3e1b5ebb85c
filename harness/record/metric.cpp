#include "harness/record/metric.h"

namespace benchbench {
namespace {

using enum Better;

// Samples are those delivered to the trainer and stepped within the window, never steps times the nominal
// batch; t is the window's wall time, epoch gaps cut out.
constexpr Metric kMetrics[] = {
    {"loader_rate", "L", "samples/s", higher,
     "Samples delivered / window time, with the loader as written and a trainer that discards each batch at "
     "once: what the loader could deliver."},
    {"trainer_rate", "T", "samples/s", higher,
     "Samples stepped / window time, with the trainer as written and one batch of the scenario's own loader "
     "handed over again and again from host memory, copy to the device included: what the trainer could "
     "take."},
    {"pipeline_rate", "F", "samples/s", higher,
     "Samples stepped / window time, with loader and trainer both as written: what the job gets."},
    {"cpu_rate", "C", "samples/s", higher,
     "Cores available / CPU seconds per sample of loader and trainer together: on shared cores no pipeline "
     "is faster than this."},
    {"headroom", "L/T", "ratio", higher,
     "loader_rate / trainer_rate within the same round. Above 1 the loader could feed the trainer; 1.2 or "
     "more leaves room for its times to vary."},
    {"au", "", "share", higher,
     "pipeline_rate / trainer_rate: the accelerator utilisation of MLPerf Storage, the share of a step that is the step's "
     "own work. It hides long stalls behind long steps: read exposed_wait first."},
    {"overlap_efficiency", "", "share", higher,
     "pipeline_rate / min(loader_rate, trainer_rate, cpu_rate): how much of what both sides could do "
     "together is reached. Below 0.95 the rest is named contention."},
    {"exposed_wait", "", "ms", lower,
     "Time per step that the trainer's thread stood still for want of a batch: mean, p50, p90, p99 and max "
     "over the steps of the window."},
    {"side_cost", "", "ms", lower,
     "What the binding side costs per step: batch x (1/F - 1/T) for the loader, batch x (1/F - 1/L) for the "
     "trainer, whichever is larger."},
    {"loader_cost", "", "ms", lower,
     "batch x (1/F - 1/T): the time per step that would be gained if the loader were free."},
    {"trainer_cost", "", "ms", lower,
     "batch x (1/F - 1/L): the time per step that would be gained if the trainer were free."},
    {"contention", "", "ms", lower,
     "batch x (1/F - 1/min(L, T, C)), named where F is below 0.95 of that minimum: time lost because loader "
     "and trainer get in each other's way, which is neither side's own."},
    {"gain", "", "ratio", higher,
     "pipeline_rate / pipeline_rate of the same settings with num_workers: 0: what loading in the background "
     "brings."},
    {"epoch_gap", "", "ms", lower,
     "Time between the last batch of an epoch and the first of the next, beyond an ordinary step; cut out of "
     "every rate and reported here. Our own loaders run epochs without a gap; measured only for loaders with "
     "their "
     "own epochs."},
    {"first_batch", "", "ms", lower,
     "Time from the first batch asked of the loader to the first one handed over."},
    {"startup", "", "ms", lower,
     "Time to make loader, trainer, workers and slots, before any batch is asked for."},
    {"step", "", "ms", lower, "The trainer's own time per step, without waiting for its batch."},
    {"peak_memory", "", "bytes", lower, "Most memory resident in the process tree at any time of the trial."},
    {"samples_per_cpu_second", "", "samples/s", higher,
     "Samples stepped / CPU seconds of the process tree over the window."},
    {"bytes_payload", "", "bytes", neither,
     "Stored bytes of the samples delivered, as they lie in the data set."},
    {"bytes_read", "", "bytes", neither, "Bytes asked for by read calls over the window."},
    {"bytes_device", "", "bytes", neither, "Bytes that storage devices delivered over the window."},
    {"cache_share", "", "share", neither,
     "1 - bytes_device / bytes_read: how much of what was read came from the page cache. At 1 nothing is "
     "said about storage."},
    {"shuffle_displacement", "", "ratio", neither,
     "How far samples lie in an epoch's order from their place in storage, on average, divided by what a uniform "
     "random permutation gives (a third of all samples): 0 in storage order, 1 shuffled. Told beside the rates "
     "where points differ in it: neighbours are cheaper to read, so a rate without it is not comparable."},
    {"shuffle_together", "", "share", neither,
     "Share of an epoch's samples that are followed by the one that follows them in storage: 1 in storage order, "
     "1/N shuffled."},
    {"padding_share", "", "share", lower,
     "Padding / all elements of the rows handed over, of sequences that are padded to the longest of their batch: "
     "work that trains nothing."},
    {"tokens_per_second", "", "tokens/s", higher,
     "Tokens of samples that the loader put into rows, padding left out, / window time."},
    {"aa_floor", "", "share", lower,
     "By how much two identical trials differed here, today: the spread of the anchor's repeats within a "
     "round. Smaller differences mean nothing."},
    {"slope", "", "share", lower,
     "Change of the step time across the window as a share of its mean. Over 0.05 the trial was not steady "
     "(rule R06)."},
    {"overhead", "", "share", lower,
     "Time spent measuring / window time x threads: meter scopes x calibrated cost of one. Over 0.01 warns, "
     "over 0.03 voids the trial (rule R16)."},
    {"steal", "", "share", lower,
     "CPU time that the host gave to other machines during the window, of all CPU time."},
    {"other", "", "ms", neither,
     "What is left of the step when all measured phases of the trainer's thread are taken off; below -0.5 % "
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
