#include "harness/record/keys.h"

#include "harness/record/measure_limits.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kMinute = 60e9;
constexpr double kDay = 24 * 60 * kMinute;
// Seeds and counters are held as signed 64 bit; reals are exact up to here.
constexpr double kLargest = 9007199254740991.0;
constexpr double kFastest = 1e15;  // bytes a second, as the mocks take

constexpr std::string_view kDispatch[] = {"auto", "shared", "round_robin", "least_loaded"};
constexpr std::string_view kWorkUnit[] = {"batch", "sample"};
constexpr std::string_view kClass[] = {"normal", "gate", "selftest", "stretch"};
constexpr std::string_view kIsolation[] = {"round", "trial", "none"};

constexpr std::string_view kCache[] = {"cold", "warm", "as_is"};
constexpr std::string_view kKeepBy[] = {"random", "class"};
constexpr std::string_view kStores[] = {"none", "sata_hdd", "sata_ssd", "nvme", "nfs_10gbe", "s3"};

constexpr std::string_view kCopyStream[] = {"current", "own"};
constexpr std::string_view kDeviceWait[] = {"spin", "block"};
constexpr std::string_view kCopy[] = {"each", "once"};
constexpr std::string_view kLinks[] = {"none", "pcie3_x16", "pcie4_x16", "pcie5_x16", "h200"};

template <class T>
constexpr Parameter row(const SettingKey<T>& key, std::string_view standard, std::string_view help,
                        double min = -kNoLimit, double max = kNoLimit) {
  return {key.below_section(), key.type, standard, help, min, max};
}
constexpr Parameter row(const SettingKey<std::string>& key, std::string_view standard,
                        std::string_view help, std::span<const std::string_view> choices) {
  return {key.below_section(), key.type, standard, help, -kNoLimit, kNoLimit, choices};
}

// A share that an alarm is raised beyond.
constexpr Parameter alarm(const SettingKey<double>& key, std::string_view help) {
  return row(key, "none", help, 0, 1000);
}

constexpr Parameter kDataset[] = {
    row(keys::dataset.format, "none",
        "Storage format of the samples (see `benchbench describe formats`), such as image_folder, "
        "tar, hdf5. If "
        "the data at `path` have a different format, they are converted once, into the cache "
        "folder."),
    row(keys::dataset.path, "none",
        "Your own data, a folder or a file, relative to the working directory; never modified. "
        "Mutually exclusive with `synthesize`."),
    row(keys::dataset.columns.image, "none",
        "Which column of your own data holds the samples: a column of a table, a feature of a "
        "record, "
        "a data set (/train/images) or a member of a file, the end of a key. Default: the usual "
        "names "
        "(docs/formats.md). `columns: {image: img_bytes, label: cls}` names several."),
    row(keys::dataset.columns.label, "none", "Which column holds the labels; see `columns.image`."),
    row(keys::dataset.columns.name, "none",
        "Which column holds the samples' names; see `columns.image`."),
    row(keys::dataset.prepare, "none",
        "Offline preprocessing of every image, done once into the cache folder (see `benchbench "
        "list`). decoded: shorter side resized, centre-cropped, stored as pixels [size, size, 3]; "
        "needs a format for pixels (raw, npy, hdf5_contiguous). jpeg: shorter side resized, "
        "re-encoded with quality 90. none: images unchanged."),
    row(keys::dataset.prepare_size, "none", "Shorter side in pixels after `prepare`. Default: 256.",
        1, 4096),
    row(keys::dataset.keep, "none",
        "Share of the samples that the job keeps, such as 0.1 of a filtered data set; the others "
        "are "
        "not read. Chosen by loader.seed and measure.seed, the same ones in every round, and at "
        "least "
        "one. Default: all.",
        0.000001, 1),
    row(keys::dataset.keep_by, "random",
        "How `keep` chooses: random (each sample is as likely as any other), class (classes drawn "
        "at "
        "random, with all their samples; of the last one as many as are left to choose).",
        kKeepBy),
    row(keys::dataset.cache, "as_is",
        "State of the page cache when a window begins: cold (data evicted and verified, each "
        "sample "
        "read at most once between evictions), warm (data read beforehand and verified), as_is "
        "(left "
        "alone; the cached share is reported).",
        kCache),
    row(keys::dataset.storage.like, "none",
        "Emulates slower storage below the loader: sata_hdd, sata_ssd, nvme, nfs_10gbe, s3 "
        "(figures: "
        "`benchbench describe storage`). The other storage keys override single figures of it, or "
        "define a device of their own.",
        kStores),
    row(keys::dataset.storage.bandwidth, "none", "Total bandwidth of the emulated storage.", 1,
        kFastest),
    row(keys::dataset.storage.connection_bandwidth, "none",
        "Bandwidth limit per connection to the emulated storage.", 1, kFastest),
    row(keys::dataset.storage.latency, "none",
        "Time from a request to the emulated storage to its first byte.", 0, kDay),
    row(keys::dataset.storage.connections, "none",
        "Reads that the emulated storage serves concurrently; further reads wait.", 1, 65536),
    row(keys::dataset.storage.seek, "none",
        "Extra time of a read that is not contiguous with the previous one.", 0, kDay),
};

constexpr Parameter kLoader[] = {
    row(keys::loader.use, "",
        "Which loader makes the batches (see `benchbench describe loaders`), or the path of a "
        "shared "
        "library of "
        "your own (docs/own_part.md)."),
    row(keys::loader.num_workers, "0",
        "Worker threads that make batches. 0 makes them in the trainer's thread, as PyTorch does.",
        0, 1024),
    row(keys::loader.batch_size, "1", "Samples per batch.", 1, 1048576),
    row(keys::loader.prefetch_factor, "2",
        "Batches in flight per worker; with num_workers it sets how far the loader may run ahead.",
        1, 4096),
    row(keys::loader.in_order, "true",
        "Deliver batches in the order they were requested. false delivers whichever is ready "
        "first, "
        "so that one slow batch does not hold up the others."),
    row(keys::loader.drop_last, "true", "Drop the last batch of an epoch if it is incomplete."),
    row(keys::loader.pin_memory, "false",
        "Allocate batches in page-locked memory, from which an accelerator copies faster and, with "
        "trainer.non_blocking, without blocking the host."),
    row(keys::loader.access, "random",
        "The order in which samples are read: sequential, random, or another sampler of "
        "`benchbench "
        "list`. `shuffle: true` means random, `shuffle: false` sequential."),
    row(keys::loader.dispatch, "auto",
        "Which worker gets the next batch: shared (any free worker), round_robin (worker k makes "
        "every W-th batch, as PyTorch does in order), least_loaded (the worker with the fewest "
        "outstanding batches, as PyTorch does out of order). auto is shared.",
        kDispatch),
    row(keys::loader.work_unit, "batch",
        "What a worker makes at a time: a whole batch, or (sample) part of one, so that all "
        "workers "
        "share the rows of a batch.",
        kWorkUnit),
    row(keys::loader.max_jobs, "none",
        "Limit on batches requested and not yet delivered, over all workers. Default: max(1, "
        "num_workers) x prefetch_factor.",
        1, 1048576),
    row(keys::loader.seed, "0",
        "With measure.seed and the round: seeds the sample order, every random crop and flip, and "
        "the "
        "times a mock draws.",
        0, kLargest),
};

constexpr Parameter kTrainer[] = {
    row(keys::trainer.use, "",
        "Which trainer consumes the batches (see `benchbench describe trainers`), or the path of a "
        "shared library "
        "of your own (docs/own_part.md)."),
    row(keys::trainer.device, "auto",
        "Where steps run: cpu, cuda:N, emulated (an accelerator that takes the time of "
        "trainer.emulated), or auto (the first CUDA device where every trainer of the scenario has "
        "steps for it, else the CPU)."),
    row(keys::trainer.non_blocking, "false",
        "On an accelerator: a copy from pinned memory does not hold the host, as `.to(device, "
        "non_blocking=True)`. From pageable memory it does either way."),
    row(keys::trainer.copy_stream, "current",
        "On an accelerator: batches are copied on the stream of the steps (current), as PyTorch "
        "does, "
        "or on a stream of their own (own), so that a copy can overlap with a step.",
        kCopyStream),
    row(keys::trainer.in_flight, "2",
        "On an accelerator: batches that it has room for, and so steps that may be under way. With "
        "1 "
        "each step is waited for before the next batch is asked for, one of your own Python's "
        "while "
        "the next batch is copied.",
        1, 64),
    row(keys::trainer.copy, "each",
        "On an accelerator: copy each batch, or each buffer's first alone (once), which shows what "
        "the copies cost.",
        kCopy),
    row(keys::trainer.device_wait, "spin",
        "On a CUDA device: the trainer's thread waits for it by asking again and again (spin), "
        "which "
        "is soonest and keeps a core busy, or asleep (block), which takes some 10 us to wake up.",
        kDeviceWait),
    row(keys::trainer.emulated.like, "none",
        "Of device emulated, its link to the host: pcie3_x16, pcie4_x16 (if none is given), "
        "pcie5_x16, or a card that was measured: h200 (figures: `benchbench describe emulated`). "
        "The "
        "other emulated keys override single figures.",
        kLinks),
    row(keys::trainer.emulated.pinned, "none",
        "Bandwidth of copies between the emulated device and pinned memory.", 1, kFastest),
    row(keys::trainer.emulated.pageable, "none",
        "Bandwidth of copies between the emulated device and pageable memory.", 1, kFastest),
    row(keys::trainer.emulated.copy_call, "none",
        "Time of the host per copy that it enqueues. Default: 3us.", 0, kDay),
    row(keys::trainer.emulated.launch_call, "none",
        "Time of the host per kernel that it launches. Default: 3us.", 0, kDay),
    row(keys::trainer.emulated.queue, "none",
        "Kernels that may be under way; a further launch waits. Default: 1024.", 1, 1048576),
    row(keys::trainer.emulated.memory, "none", "Memory of the emulated device. Default: 80GiB.", 1,
        kNoLimit),
    row(keys::trainer.emulated.memory_rate, "none",
        "Bandwidth of the emulated device's memory, which normalising images takes (a byte read "
        "and "
        "four written for each value) and trainer touch. Default: 2TB/s, or that of `like`.",
        1, kFastest),
    row(keys::trainer.emulated.moves, "none",
        "Bytes are really copied, which takes the host's memory bandwidth and, if it is slower "
        "than "
        "the link, more time. Default: false."),
    row(keys::trainer.intra_op_threads, "auto",
        "CPU threads of one training step, at least 1. auto uses the cores that the sweep's "
        "largest "
        "num_workers leaves free; in your own Python it leaves the number as your code has it."),
    row(keys::trainer.postprocess.every, "none",
        "Post-processing every this many steps, in the trainer's thread.", 1, 1e9),
    row(keys::trainer.postprocess.time, "none", "Duration of one post-processing.", 0, kDay),
    row(keys::trainer.postprocess.images, "none",
        "Instead of a duration: this many images of the batch are read back, scaled to bytes and "
        "summed, as plotting them would.",
        1, 1e6),
    row(keys::trainer.checkpoint.every, "none", "A checkpoint, a real file, every this many steps.",
        1, 1e9),
    row(keys::trainer.checkpoint.bytes, "model",
        "Size of a checkpoint: model (4 bytes per parameter) or a size such as 64MiB."),
    row(keys::trainer.checkpoint.path, "none",
        "Folder of the checkpoint file, which is overwritten each time. Default: the temporary "
        "folder."),
    row(keys::trainer.checkpoint.fsync, "true", "Wait until a checkpoint is on disk."),
    row(keys::trainer.log_every, "none",
        "Read the loss back every this many steps, which waits for the device.", 1, 1e9),
    row(keys::trainer.seed, "0",
        "With measure.seed and the round: seeds a network's initial weights and the times a mock "
        "draws.",
        0, kLargest),
};

constexpr Parameter kMeasure[] = {
    row(keys::measure.rounds, "3",
        "How often every point is measured, in a new random order each time. 3 for a first look; "
        "10 "
        "to confirm a difference.",
        1, 10000),
    row(keys::measure.window_class, "normal",
        "Minimum length of a window: normal 1 s and 5 batches, gate 10 s and 100 batches, selftest "
        "0.2 s and 100 batches, stretch (of a wrapped script) 0.1 s and 4 batches. A shorter one "
        "is "
        "INVALID (rule R07); set window and window_batches to match.",
        kClass),
    row(keys::measure.window, "1s",
        "Minimum time one trial is measured for, after its warm-up. Batches of several workers "
        "come "
        "in bursts: it ends with a whole one, and after a multiple of trainer.postprocess.every, "
        "trainer.checkpoint.every and trainer.log_every, as far as ten windows and half of timeout "
        "hold them (not with cold data or a loader in Python).",
        1e6, kDay),
    row(keys::measure.window_batches, "5",
        "Minimum number of batches one trial is measured for; both this and window must be met. "
        "With "
        "several workers it is at least two batches of each.",
        1, static_cast<double>(kMostWindowBatches)),
    row(keys::measure.warmup, "until_steady",
        "What is discarded before the window: until_steady (until step times show no trend) or a "
        "duration."),
    row(keys::measure.warmup_cap, "none",
        "Maximum warm-up; beyond it the trial counts as not steady (rule R06). Default: the "
        "largest "
        "of 2 windows, 10 steps and 3 batches of each worker, after the steps on prefetched "
        "batches.",
        0, kDay),
    row(keys::measure.budget, "none",
        "Wall time for the whole run, including making data; the run ends within 10 % of it. A "
        "longer "
        "plan loses rounds (down to 3), then window length, then middle values of long axes, then "
        "whole axes from the last (never all), then a third round; axes of the command line last "
        "of "
        "all. The report lists the cuts.",
        1e9, 30 * kDay),
    row(keys::measure.modes, kAllModes,
        "Which of the three measurements each point gets: loader (how fast batches can be made), "
        "trainer (how fast they can be consumed), pipeline (both together)."),
    row(keys::measure.isolation, "round",
        "What runs in a separate process: every round, every trial, or none (all in this process, "
        "for "
        "a debugger).",
        kIsolation),
    row(keys::measure.observer, "1",
        "Level of detail recorded while measuring: 0 rates only, 1 also the stages of each batch, "
        "2 "
        "also each sample. A higher level costs more; the cost is printed.",
        0, 2),
    row(keys::measure.timeout, "10min",
        "A trial that takes longer is killed and FAILED; the run continues. Real time, also in "
        "virtual time; with isolation: none nothing ends a trial in virtual time.",
        1e9, kDay),
    row(keys::measure.seed, "0",
        "Seeds the order in which points and modes are measured and, with loader.seed, "
        "trainer.seed "
        "and the round, everything else that is random: sample order, crops and flips, initial "
        "weights, the times mocks draw.",
        0, kLargest),
    row(keys::measure.content_check, "16",
        "While measuring, check the bytes of one sample in this many against the dataset's "
        "manifest.",
        1, kLargest),
    row(keys::measure.stop_at, "none",
        "Continue beyond `rounds` until the 95 % interval of every pipeline rate is within this "
        "share "
        "to either side (such as 0.02), or until max_rounds or the budget.",
        0.001, 1),
    row(keys::measure.max_rounds, "30", "Maximum number of rounds with stop_at.", 2, 10000),
    row(keys::measure.au_at_least, "none",
        "Required accelerator utilisation (au, pipeline rate over trainer rate): the report says "
        "for "
        "each point whether it is reached.",
        0.01, 1),
    row(keys::measure.substitute, "false",
        "Also measure how much shorter a step would be without each component; the plan and its "
        "estimate include these trials."),
    row(keys::measure.interference, "false",
        "Also measure the trainer while the loader runs in the background, its batches discarded."),
    row(keys::measure.trace, "false",
        "Record the events of the base point's first pipeline window (--trace FILE writes them)."),
    row(keys::measure.probe_every, "100ms",
        "Interval at which probes sample the machine during a window; 0s for never.", 0, kMinute),
    alarm(keys::measure.alarms.memory,
          "Memory in use over this share raises the alarm. Default: 0.9. See `benchbench describe "
          "alarms`."),
    alarm(
        keys::measure.alarms.cores,
        "Cores in use over this share while the trainer waits raise the alarm. Default: 0.95. See "
        "`benchbench describe alarms`."),
    alarm(
        keys::measure.alarms.throttled,
        "CPU quota stopping the cgroup for over this share of the time raises the alarm. Default: "
        "0.01. See `benchbench describe alarms`."),
    alarm(
        keys::measure.alarms.memory_growth,
        "Memory growing by over this share a minute from round to round raises the alarm. Default: "
        "0.01. See `benchbench describe alarms`."),
    alarm(
        keys::measure.alarms.loader_growth,
        "The loader's time per sample growing by over this share from the first to the last round "
        "raises the alarm. Default: 0.05. See `benchbench describe alarms`."),
    alarm(keys::measure.alarms.exposed_wait,
          "The trainer waiting for batches over this share of the time raises the alarm. Default: "
          "0.1. "
          "See `benchbench describe alarms`."),
    alarm(
        keys::measure.alarms.other_writes,
        "Checkpoint or log writes over this share of the bytes of the data's disk raise the alarm. "
        "Default: 0.05. See `benchbench describe alarms`."),
    alarm(keys::measure.alarms.disk,
          "The data's disk over this share of its measured ceiling raises the alarm. Default: 0.9. "
          "See "
          "`benchbench describe alarms`."),
    alarm(keys::measure.alarms.network,
          "The network over this share of its ceiling raises the alarm. Default: 0.9. See "
          "`benchbench "
          "describe alarms`."),
    alarm(keys::measure.alarms.device_idle,
          "The device without a step's work for over this share of the time raises the alarm. "
          "Default: "
          "0.1. See `benchbench describe alarms`."),
    alarm(
        keys::measure.alarms.device_memory,
        "The GPU's memory in use over this share raises the alarm. Default: 0.95. See `benchbench "
        "describe alarms`."),
    row(keys::measure.declare, "none",
        "Environment variables that are set on purpose, comma-separated: rule R15 ignores them."),
};

constexpr Parameter kRun[] = {
    row(keys::run.cpus, "none",
        "CPUs that every trial's processes run on, your own Python and its workers included, by "
        "affinity: of the usable ones, one of each core first. Swept, it shows how many cores a "
        "rate "
        "takes. Default: all.",
        1, 1048576),
};

constexpr KeySection kSections[] = {{"dataset.", kDataset},
                                    {"loader.", kLoader},
                                    {"trainer.", kTrainer},
                                    {"measure.", kMeasure},
                                    {"run.", kRun}};

}  // namespace

std::span<const KeySection> key_sections() noexcept { return kSections; }
std::span<const Parameter> dataset_keys() noexcept { return kDataset; }
std::span<const Parameter> loader_keys() noexcept { return kLoader; }
std::span<const Parameter> trainer_keys() noexcept { return kTrainer; }
std::span<const Parameter> measure_keys() noexcept { return kMeasure; }
std::span<const Parameter> run_keys() noexcept { return kRun; }

}  // namespace benchbench
