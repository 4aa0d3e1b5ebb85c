#include "harness/record/keys.h"

namespace benchbench {
namespace {

using enum ParameterType;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kMinute = 60e9;
constexpr double kDay = 24 * 60 * kMinute;
// Seeds and counters are held as signed 64 bit; reals are exact up to here.
constexpr double kLargest = 9007199254740991.0;

constexpr std::string_view kDispatch[] = {"auto", "shared", "round_robin", "least_loaded"};
constexpr std::string_view kWorkUnit[] = {"batch", "sample"};
constexpr std::string_view kClass[] = {"normal", "gate", "selftest"};
constexpr std::string_view kIsolation[] = {"round", "trial", "none"};

constexpr std::string_view kCache[] = {"cold", "warm", "as_is"};
constexpr std::string_view kStores[] = {"none", "sata_hdd", "sata_ssd", "nvme", "nfs_10gbe", "s3"};

constexpr Parameter kDataset[] = {
    {"format", text, "none",
     "How the samples lie on disk (see `benchbench list`): image_folder, tar, hdf5. With `path` it may "
     "differ from what lies there; it is then made from it, in the cache folder."},
    {"path", text, "none",
     "Your own data, a folder or a file, relative to the working directory. It is only ever read. Either "
     "this or `synthesize`, never both."},
    {"prepare", text, "none",
     "What is done to every image once, ahead of time, into the cache folder (see `benchbench list`). decoded: shorter side "
     "resized, centre cut out, stored as pixels [size, size, 3]; needs a format that holds pixels (raw, npy, hdf5_contiguous). "
     "jpeg: shorter side resized, encoded anew with quality 90. none: the images as they are."},
    {"prepare_size", integer, "none", "Pixels of the shorter side that `prepare` makes. Not given: 256.", 1, 4096},
    {"cache", choice, "as_is",
     "What the page cache holds of the data as a window begins: cold (evicted and proven, each sample read once until "
     "the next eviction), warm (read before, and proven), as_is (left alone; the share is told).",
     -kNoLimit, kNoLimit, kCache},
    {"storage.like", choice, "none",
     "Plays a slower store below the loader: sata_hdd, sata_ssd, nvme, nfs_10gbe, s3 (figures: `benchbench describe "
     "storage`). The other storage keys change single figures of it, or play a store of their own.",
     -kNoLimit, kNoLimit, kStores},
    {"storage.bandwidth", bandwidth, "none", "What the store played gives in all.", 1, kNoLimit},
    {"storage.connection_bandwidth", bandwidth, "none", "What one connection of the store played gives at most.", 1,
     kNoLimit},
    {"storage.latency", duration, "none", "From asking the store played to its first byte.", 0, kDay},
    {"storage.connections", integer, "none", "Reads that the store played serves at once; more wait for their turn.", 1,
     65536},
    {"storage.seek", duration, "none", "What a read costs more where it does not follow the one before.", 0, kDay},
};

constexpr Parameter kLoader[] = {
    {"use", text, "", "Which loader makes the batches (see `benchbench list`)."},
    {"num_workers", integer, "0",
     "Threads that make batches. 0 makes them in the trainer's own thread, as PyTorch does.", 0, 1024},
    {"batch_size", integer, "1", "Samples in a batch.", 1, 1048576},
    {"prefetch_factor", integer, "2",
     "Batches in flight for each worker; with num_workers it sets how far the loader may run ahead.", 1,
     4096},
    {"in_order", boolean, "true",
     "Hand batches over in the order they were asked for. false hands over whichever is ready first, so that "
     "one slow batch does not hold up the others."},
    {"drop_last", boolean, "true",
     "Leave out the last batch of an epoch where it would be smaller than the others."},
    {"pin_memory", boolean, "false",
     "Make batches in page-locked memory, from which a GPU copies faster and without holding up the host."},
    {"access", text, "random",
     "The order in which samples are read: sequential, random, and whatever other samplers `benchbench list` "
     "shows. `shuffle: true` is another word for random, `shuffle: false` for sequential."},
    {"dispatch", choice, "auto",
     "Which worker gets the next batch: shared (whoever is free), round_robin (worker k makes every W-th "
     "batch, as PyTorch does in order), least_loaded (the one with the fewest outstanding, as PyTorch does "
     "out of order). auto is shared.",
     -kNoLimit, kNoLimit, kDispatch},
    {"work_unit", choice, "batch",
     "What one worker makes: a whole batch, or (sample) a part of one, so that all workers share the rows of "
     "a batch.",
     -kNoLimit, kNoLimit, kWorkUnit},
    {"max_jobs", integer, "none",
     "Most batches issued and not yet handed over, in all. Not given: max(1, num_workers) times "
     "prefetch_factor.",
     1, 1048576},
    {"seed", integer, "0", "Decides the order of samples and every random crop and flip.", 0, kLargest},
};

constexpr Parameter kTrainer[] = {
    {"use", text, "", "Which trainer takes the batches (see `benchbench list`)."},
    {"device", text, "auto", "Where steps run: cpu, cuda:N, or auto (the first CUDA device, else the CPU)."},
    {"intra_op_threads", text, "auto",
     "CPU threads of one training step, a whole number of at least 1. auto leaves the largest num_workers of "
     "the sweep its cores and takes the rest."},
    {"postprocess.every", integer, "none", "Post-processing after every so many steps, in the trainer's thread.", 1, 1e9},
    {"postprocess.time", duration, "none", "How long one post-processing takes.", 0, kDay},
    {"postprocess.images", integer, "none",
     "Instead of a time: that many images of the batch are read back, scaled to bytes and summed up, as a plot would.", 1,
     1e6},
    {"checkpoint.every", integer, "none", "A checkpoint, a real file, after every so many steps.", 1, 1e9},
    {"checkpoint.bytes", text, "model", "How large it is: model (4 bytes a parameter) or a size such as 64MiB."},
    {"checkpoint.path", text, "none",
     "The folder it is written to, one file that is written anew each time. Not given: the temporary folder."},
    {"checkpoint.fsync", boolean, "true", "Wait until it is on the disk."},
    {"log_every", integer, "none", "Read the loss back after every so many steps, which waits for the device.", 1, 1e9},
};

constexpr Parameter kMeasure[] = {
    {"rounds", integer, "3",
     "How often every point is measured, in random order each time. 3 for a first look; 10 where a "
     "difference is to be confirmed.",
     1, 10000},
    {"class", choice, "normal",
     "How long a window must be at least: normal 1 s and 5 batches, gate 10 s and 100 batches, selftest 0.2 "
     "s and 100 batches. Shorter is INVALID (rule R07); set window and window_batches to match.",
     -kNoLimit, kNoLimit, kClass},
    {"window", duration, "1s", "Least time one trial is measured for, after its warm-up.", 1e6, kDay},
    {"window_batches", integer, "5",
     "Fewest batches one trial is measured for; window and this must both be met.", 1, 1e9},
    {"warmup", text, "until_steady",
     "What is not counted before the window: until_steady (until step times have no slope left) or a "
     "duration."},
    {"warmup_cap", duration, "none",
     "Longest warm-up; past it the trial is marked as not steady (rule R06). Not given: the larger of 2 "
     "windows and 10 steps, past the steps on batches made ahead.",
     0, kDay},
    {"budget", duration, "none",
     "Time for the whole run. A tighter one cuts rounds first (never below 2), then windows, then whole axes "
     "from the last, and says what it cut.",
     1e9, 30 * kDay},
    {"modes", text, "loader,trainer,pipeline",
     "Which of the three measurements each point gets: loader (how fast batches could come), trainer (how "
     "fast they could be used), pipeline (both together)."},
    {"isolation", choice, "round",
     "What gets a process of its own: every round, every trial, or none (all in this process, for a "
     "debugger).",
     -kNoLimit, kNoLimit, kIsolation},
    {"observer", integer, "1",
     "How much is recorded while measuring: 0 rates only, 1 also the stages of each batch, 2 also each "
     "sample. More costs more; the cost is printed.",
     0, 2},
    {"timeout", duration, "10min", "A trial that takes longer is ended and FAILED; the run goes on.", 1e9,
     kDay},
    {"seed", integer, "0", "Decides the order in which points and modes are measured.", 0, kLargest},
    {"content_check", integer, "16",
     "Check the bytes of one sample in so many against the data set's manifest while measuring.", 1,
     kLargest},
    {"stop_at", real, "none",
     "Rounds go on, beyond `rounds`, until the 95 % interval of every pipeline rate is narrower than this share to "
     "either side (0.02), or max_rounds or the budget ends it.",
     0.001, 1},
    {"max_rounds", integer, "30", "Most rounds that stop_at may take.", 2, 10000},
    {"substitute", boolean, "false",
     "Measure also what a step would win if each component were free: the extra trials are in the plan and its price."},
    {"interference", boolean, "false", "Measure also the trainer while the loader runs beside it into nothing."},
    {"trace", boolean, "false", "Record the events of the base point's first pipeline window (--trace FILE writes them)."},
    {"probe_every", duration, "100ms", "How often the probes look at the machine during a window; 0s for never.", 0, kMinute},
    {"declare", text, "none",
     "Environment variables that are set on purpose, comma-separated: rule R15 says nothing of them."},
};

}  // namespace

std::span<const Parameter> dataset_keys() noexcept { return kDataset; }
std::span<const Parameter> loader_keys() noexcept { return kLoader; }
std::span<const Parameter> trainer_keys() noexcept { return kTrainer; }
std::span<const Parameter> measure_keys() noexcept { return kMeasure; }

}  // namespace benchbench
