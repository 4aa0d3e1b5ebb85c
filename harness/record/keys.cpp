#include "harness/record/keys.h"

#include "harness/record/measure_limits.h"

namespace benchbench {
namespace {

using enum ParameterType;

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

constexpr Parameter kDataset[] = {
    {"format", text, "none",
     "Storage format of the samples (see `benchbench describe formats`), such as image_folder, "
     "tar, hdf5. If "
     "the data at `path` have a different format, they are converted once, into the cache folder."},
    {"path", text, "none",
     "Your own data, a folder or a file, relative to the working directory; never modified. "
     "Mutually exclusive with `synthesize`."},
    {"columns.image", text, "none",
     "Which column of your own data holds the samples: a column of a table, a feature of a record, "
     "a data set (/train/images) or a member of a file, the end of a key. Default: the usual names "
     "(docs/formats.md). `columns: {image: img_bytes, label: cls}` names several."},
    {"columns.label", text, "none", "Which column holds the labels; see `columns.image`."},
    {"columns.name", text, "none", "Which column holds the samples' names; see `columns.image`."},
    {"prepare", text, "none",
     "Offline preprocessing of every image, done once into the cache folder (see `benchbench "
     "list`). decoded: shorter side resized, centre-cropped, stored as pixels [size, size, 3]; "
     "needs a format for pixels (raw, npy, hdf5_contiguous). jpeg: shorter side resized, "
     "re-encoded with quality 90. none: images unchanged."},
    {"prepare_size", integer, "none", "Shorter side in pixels after `prepare`. Default: 256.", 1,
     4096},
    {"keep", real, "none",
     "Share of the samples that the job keeps, such as 0.1 of a filtered data set; the others are "
     "not read. Chosen by loader.seed and measure.seed, the same ones in every round, and at least "
     "one. Default: all.",
     0.000001, 1},
    {"keep_by", choice, "random",
     "How `keep` chooses: random (each sample is as likely as any other), class (classes drawn at "
     "random, with all their samples; of the last one as many as are left to choose).",
     -kNoLimit, kNoLimit, kKeepBy},
    {"cache", choice, "as_is",
     "State of the page cache when a window begins: cold (data evicted and verified, each sample "
     "read at most once between evictions), warm (data read beforehand and verified), as_is (left "
     "alone; the cached share is reported).",
     -kNoLimit, kNoLimit, kCache},
    {"storage.like", choice, "none",
     "Emulates slower storage below the loader: sata_hdd, sata_ssd, nvme, nfs_10gbe, s3 (figures: "
     "`benchbench describe storage`). The other storage keys override single figures of it, or "
     "define a device of their own.",
     -kNoLimit, kNoLimit, kStores},
    {"storage.bandwidth", bandwidth, "none", "Total bandwidth of the emulated storage.", 1,
     kFastest},
    {"storage.connection_bandwidth", bandwidth, "none",
     "Bandwidth limit per connection to the emulated storage.", 1, kFastest},
    {"storage.latency", duration, "none",
     "Time from a request to the emulated storage to its first byte.", 0, kDay},
    {"storage.connections", integer, "none",
     "Reads that the emulated storage serves concurrently; further reads wait.", 1, 65536},
    {"storage.seek", duration, "none",
     "Extra time of a read that is not contiguous with the previous one.", 0, kDay},
};

constexpr Parameter kLoader[] = {
    {"use", text, "",
     "Which loader makes the batches (see `benchbench describe loaders`), or the path of a shared "
     "library of "
     "your own (docs/own_part.md)."},
    {"num_workers", integer, "0",
     "Worker threads that make batches. 0 makes them in the trainer's thread, as PyTorch does.", 0,
     1024},
    {"batch_size", integer, "1", "Samples per batch.", 1, 1048576},
    {"prefetch_factor", integer, "2",
     "Batches in flight per worker; with num_workers it sets how far the loader may run ahead.", 1,
     4096},
    {"in_order", boolean, "true",
     "Deliver batches in the order they were requested. false delivers whichever is ready first, "
     "so that one slow batch does not hold up the others."},
    {"drop_last", boolean, "true", "Drop the last batch of an epoch if it is incomplete."},
    {"pin_memory", boolean, "false",
     "Allocate batches in page-locked memory, from which an accelerator copies faster and, with "
     "trainer.non_blocking, without blocking the host."},
    {"access", text, "random",
     "The order in which samples are read: sequential, random, or another sampler of `benchbench "
     "list`. `shuffle: true` means random, `shuffle: false` sequential."},
    {"dispatch", choice, "auto",
     "Which worker gets the next batch: shared (any free worker), round_robin (worker k makes "
     "every W-th batch, as PyTorch does in order), least_loaded (the worker with the fewest "
     "outstanding batches, as PyTorch does out of order). auto is shared.",
     -kNoLimit, kNoLimit, kDispatch},
    {"work_unit", choice, "batch",
     "What a worker makes at a time: a whole batch, or (sample) part of one, so that all workers "
     "share the rows of a batch.",
     -kNoLimit, kNoLimit, kWorkUnit},
    {"max_jobs", integer, "none",
     "Limit on batches requested and not yet delivered, over all workers. Default: max(1, "
     "num_workers) x prefetch_factor.",
     1, 1048576},
    {"seed", integer, "0",
     "With measure.seed and the round: seeds the sample order, every random crop and flip, and the "
     "times a mock draws.",
     0, kLargest},
};

constexpr Parameter kTrainer[] = {
    {"use", text, "",
     "Which trainer consumes the batches (see `benchbench describe trainers`), or the path of a "
     "shared library "
     "of your own (docs/own_part.md)."},
    {"device", text, "auto",
     "Where steps run: cpu, cuda:N, emulated (an accelerator that takes the time of "
     "trainer.emulated), or auto (the first CUDA device where every trainer of the scenario has "
     "steps for it, else the CPU)."},
    {"non_blocking", boolean, "false",
     "On an accelerator: a copy from pinned memory does not hold the host, as `.to(device, "
     "non_blocking=True)`. From pageable memory it does either way."},
    {"copy_stream", choice, "current",
     "On an accelerator: batches are copied on the stream of the steps (current), as PyTorch does, "
     "or on a stream of their own (own), so that a copy can overlap with a step.",
     -kNoLimit, kNoLimit, kCopyStream},
    {"in_flight", integer, "2",
     "On an accelerator: batches that it has room for, and so steps that may be under way. With 1 "
     "each step is waited for before the next batch is asked for, one of your own Python's while "
     "the next batch is copied.",
     1, 64},
    {"copy", choice, "each",
     "On an accelerator: copy each batch, or each buffer's first alone (once), which shows what "
     "the copies cost.",
     -kNoLimit, kNoLimit, kCopy},
    {"device_wait", choice, "spin",
     "On a CUDA device: the trainer's thread waits for it by asking again and again (spin), which "
     "is soonest and keeps a core busy, or asleep (block), which takes some 10 us to wake up.",
     -kNoLimit, kNoLimit, kDeviceWait},
    {"emulated.like", choice, "none",
     "Of device emulated, its link to the host: pcie3_x16, pcie4_x16 (if none is given), "
     "pcie5_x16, or a card that was measured: h200 (figures: `benchbench describe emulated`). The "
     "other emulated keys override single figures.",
     -kNoLimit, kNoLimit, kLinks},
    {"emulated.pinned", bandwidth, "none",
     "Bandwidth of copies between the emulated device and pinned memory.", 1, kFastest},
    {"emulated.pageable", bandwidth, "none",
     "Bandwidth of copies between the emulated device and pageable memory.", 1, kFastest},
    {"emulated.copy_call", duration, "none",
     "Time of the host per copy that it enqueues. Default: 3us.", 0, kDay},
    {"emulated.launch_call", duration, "none",
     "Time of the host per kernel that it launches. Default: 3us.", 0, kDay},
    {"emulated.queue", integer, "none",
     "Kernels that may be under way; a further launch waits. Default: 1024.", 1, 1048576},
    {"emulated.memory", bytes, "none", "Memory of the emulated device. Default: 80GiB.", 1,
     kNoLimit},
    {"emulated.memory_rate", bandwidth, "none",
     "Bandwidth of the emulated device's memory, which normalising images takes (a byte read and "
     "four written for each value) and trainer touch. Default: 2TB/s, or that of `like`.",
     1, kFastest},
    {"emulated.moves", boolean, "none",
     "Bytes are really copied, which takes the host's memory bandwidth and, if it is slower than "
     "the link, more time. Default: false."},
    {"intra_op_threads", text, "auto",
     "CPU threads of one training step, at least 1. auto uses the cores that the sweep's largest "
     "num_workers leaves free; in your own Python it leaves the number as your code has it."},
    {"postprocess.every", integer, "none",
     "Post-processing every this many steps, in the trainer's thread.", 1, 1e9},
    {"postprocess.time", duration, "none", "Duration of one post-processing.", 0, kDay},
    {"postprocess.images", integer, "none",
     "Instead of a duration: this many images of the batch are read back, scaled to bytes and "
     "summed, as plotting them would.",
     1, 1e6},
    {"checkpoint.every", integer, "none", "A checkpoint, a real file, every this many steps.", 1,
     1e9},
    {"checkpoint.bytes", text, "model",
     "Size of a checkpoint: model (4 bytes per parameter) or a size such as 64MiB."},
    {"checkpoint.path", text, "none",
     "Folder of the checkpoint file, which is overwritten each time. Default: the temporary "
     "folder."},
    {"checkpoint.fsync", boolean, "true", "Wait until a checkpoint is on disk."},
    {"log_every", integer, "none",
     "Read the loss back every this many steps, which waits for the device.", 1, 1e9},
    {"seed", integer, "0",
     "With measure.seed and the round: seeds a network's initial weights and the times a mock "
     "draws.",
     0, kLargest},
};

constexpr Parameter kMeasure[] = {
    {"rounds", integer, "3",
     "How often every point is measured, in a new random order each time. 3 for a first look; 10 "
     "to confirm a difference.",
     1, 10000},
    {"class", choice, "normal",
     "Minimum length of a window: normal 1 s and 5 batches, gate 10 s and 100 batches, selftest "
     "0.2 s and 100 batches, stretch (of a wrapped script) 0.1 s and 4 batches. A shorter one is "
     "INVALID (rule R07); set window and window_batches to match.",
     -kNoLimit, kNoLimit, kClass},
    {"window", duration, "1s",
     "Minimum time one trial is measured for, after its warm-up. Batches of several workers come "
     "in bursts: it ends with a whole one, and after a multiple of trainer.postprocess.every, "
     "trainer.checkpoint.every and trainer.log_every, as far as ten windows and half of timeout "
     "hold them (not with cold data or a loader in Python).",
     1e6, kDay},
    {"window_batches", integer, "5",
     "Minimum number of batches one trial is measured for; both this and window must be met. With "
     "several workers it is at least two batches of each.",
     1, static_cast<double>(kMostWindowBatches)},
    {"warmup", text, "until_steady",
     "What is discarded before the window: until_steady (until step times show no trend) or a "
     "duration."},
    {"warmup_cap", duration, "none",
     "Maximum warm-up; beyond it the trial counts as not steady (rule R06). Default: the largest "
     "of 2 windows, 10 steps and 3 batches of each worker, after the steps on prefetched batches.",
     0, kDay},
    {"budget", duration, "none",
     "Wall time for the whole run, including making data; the run ends within 10 % of it. A longer "
     "plan loses rounds (down to 3), then window length, then middle values of long axes, then "
     "whole axes from the last (never all), then a third round; axes of the command line last of "
     "all. The report lists the cuts.",
     1e9, 30 * kDay},
    {"modes", text, kAllModes,
     "Which of the three measurements each point gets: loader (how fast batches can be made), "
     "trainer (how fast they can be consumed), pipeline (both together)."},
    {"isolation", choice, "round",
     "What runs in a separate process: every round, every trial, or none (all in this process, for "
     "a debugger).",
     -kNoLimit, kNoLimit, kIsolation},
    {"observer", integer, "1",
     "Level of detail recorded while measuring: 0 rates only, 1 also the stages of each batch, 2 "
     "also each sample. A higher level costs more; the cost is printed.",
     0, 2},
    {"timeout", duration, "10min",
     "A trial that takes longer is killed and FAILED; the run continues. Real time, also in "
     "virtual time; with isolation: none nothing ends a trial in virtual time.",
     1e9, kDay},
    {"seed", integer, "0",
     "Seeds the order in which points and modes are measured and, with loader.seed, trainer.seed "
     "and the round, everything else that is random: sample order, crops and flips, initial "
     "weights, the times mocks draw.",
     0, kLargest},
    {"content_check", integer, "16",
     "While measuring, check the bytes of one sample in this many against the dataset's manifest.",
     1, kLargest},
    {"stop_at", real, "none",
     "Continue beyond `rounds` until the 95 % interval of every pipeline rate is within this share "
     "to either side (such as 0.02), or until max_rounds or the budget.",
     0.001, 1},
    {"max_rounds", integer, "30", "Maximum number of rounds with stop_at.", 2, 10000},
    {"au_at_least", real, "none",
     "Required accelerator utilisation (au, pipeline rate over trainer rate): the report says for "
     "each point whether it is reached.",
     0.01, 1},
    {"substitute", boolean, "false",
     "Also measure how much shorter a step would be without each component; the plan and its "
     "estimate include these trials."},
    {"interference", boolean, "false",
     "Also measure the trainer while the loader runs in the background, its batches discarded."},
    {"trace", boolean, "false",
     "Record the events of the base point's first pipeline window (--trace FILE writes them)."},
    {"probe_every", duration, "100ms",
     "Interval at which probes sample the machine during a window; 0s for never.", 0, kMinute},
    {"alarms.memory", real, "none",
     "Memory in use over this share raises the alarm. Default: 0.9. See `benchbench describe "
     "alarms`.",
     0, 1000},
    {"alarms.cores", real, "none",
     "Cores in use over this share while the trainer waits raise the alarm. Default: 0.95. See "
     "`benchbench describe alarms`.",
     0, 1000},
    {"alarms.throttled", real, "none",
     "CPU quota stopping the cgroup for over this share of the time raises the alarm. Default: "
     "0.01. See `benchbench describe alarms`.",
     0, 1000},
    {"alarms.memory_growth", real, "none",
     "Memory growing by over this share a minute from round to round raises the alarm. Default: "
     "0.01. See `benchbench describe alarms`.",
     0, 1000},
    {"alarms.loader_growth", real, "none",
     "The loader's time per sample growing by over this share from the first to the last round "
     "raises the alarm. Default: 0.05. See `benchbench describe alarms`.",
     0, 1000},
    {"alarms.exposed_wait", real, "none",
     "The trainer waiting for batches over this share of the time raises the alarm. Default: 0.1. "
     "See `benchbench describe alarms`.",
     0, 1000},
    {"alarms.other_writes", real, "none",
     "Checkpoint or log writes over this share of the bytes of the data's disk raise the alarm. "
     "Default: 0.05. See `benchbench describe alarms`.",
     0, 1000},
    {"alarms.disk", real, "none",
     "The data's disk over this share of its measured ceiling raises the alarm. Default: 0.9. See "
     "`benchbench describe alarms`.",
     0, 1000},
    {"alarms.network", real, "none",
     "The network over this share of its ceiling raises the alarm. Default: 0.9. See `benchbench "
     "describe alarms`.",
     0, 1000},
    {"alarms.device_idle", real, "none",
     "The device without a step's work for over this share of the time raises the alarm. Default: "
     "0.1. See `benchbench describe alarms`.",
     0, 1000},
    {"alarms.device_memory", real, "none",
     "The GPU's memory in use over this share raises the alarm. Default: 0.95. See `benchbench "
     "describe alarms`.",
     0, 1000},
    {"declare", text, "none",
     "Environment variables that are set on purpose, comma-separated: rule R15 ignores them."},
};

constexpr Parameter kRun[] = {
    {"cpus", integer, "none",
     "CPUs that every trial's processes run on, your own Python and its workers included, by "
     "affinity: of the usable ones, one of each core first. Swept, it shows how many cores a rate "
     "takes. Default: all.",
     1, 1048576},
};

}  // namespace

std::span<const Parameter> dataset_keys() noexcept { return kDataset; }
std::span<const Parameter> loader_keys() noexcept { return kLoader; }
std::span<const Parameter> trainer_keys() noexcept { return kTrainer; }
std::span<const Parameter> measure_keys() noexcept { return kMeasure; }
std::span<const Parameter> run_keys() noexcept { return kRun; }

}  // namespace benchbench
