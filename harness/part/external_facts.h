// What is known of a loader or a step that lives in a process of its own, such as the user's
// Python. Data only. An empty optional is "not measured", which is not 0.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/words.h"

namespace benchbench {

// How a trial used the other process.
enum class ExternalWay : std::uint8_t {
  none,        // not at all: every thread is the harness's
  self_timed,  // batches were got and dropped there; the stamps came back
  hand_over,   // batches were copied into slots of the harness, or out of them
  all_there,   // loader and step both there
  replayed,    // the step there, with batches of the scenario's own loader fetched before
};
template <>
inline constexpr auto kWordsOf<ExternalWay> =
    std::to_array<std::string_view>({"", "self-timed", "hand-over", "all in Python", "replayed"});

// The kinds of times that the series of a trial's steps may hold.
enum class StepTimes : std::uint8_t {
  known,       // what the steps took, by the clock of what ran them
  of_enqueue,  // what the host took to hand them to a device
};
template <>
inline constexpr auto kWordsOf<StepTimes> =
    std::to_array<std::string_view>({"known", "of the host"});

// Time added up over the window and over all workers.
struct ExternalTime {
  std::int64_t ns = 0;
  std::uint64_t count = 0;
};

struct ExternalWorker {
  std::uint64_t samples = 0, batches = 0;  // in all epochs until the window's end
  // Time that each of its last batches took; of workers in turn, from the same turn on.
  std::vector<std::int64_t> made_ns;
};

// A random generator that several workers, or every epoch, start in the same state.
struct ExternalSameDraws {
  std::string what;           // "self.rng (numpy Generator)"
  std::string where;          // "train.py:12", where it is made; empty: not known
  std::uint32_t workers = 0;  // that draw alike; 1: none does
  bool every_epoch = false;   // and again alike in each epoch
};

// Begins the notice in a wrapped script's records that says why only F was measured.
inline constexpr std::string_view kOnlyF = "neither L nor T was measured: ";

// Kinds of what the program itself notices of a wrapped script: where it hung; steps of the
// optimizer without a DataLoader, as `count` with before_ns, backward_ns and rest_ns of all of
// them.
inline constexpr std::string_view kHang = "hang", kStepsAlone = "steps without a loader";

// What is seen of a wrapped script's loaders beside their times (`noticed` of python/WRAP.md).
struct ExternalNoticed {
  std::string kind, what, where;
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;
  std::int64_t ns = 0;
  std::vector<std::pair<std::string, std::int64_t>> numbers{};  // by name, "iter_ns"
};

// Another loader that feeds the same steps, and what they waited for it over the window.
struct ExternalPartner {
  std::string name;
  std::int64_t wait_ns = 0;
};

// A part of the wall time of a wrapped script's training thread (`ledger` of python/WRAP.md). Of
// the times what was before the training's first step is named apart: it comes once in a job.
struct ExternalSpent {
  std::string state =
      {};  // "step", "wait", "iter", "first", "shutdown", "after step", "save", "other"
  std::string loader = {};    // whose loop it is in; empty: in none, or in one without a name
  std::string made = {};      // "train.py:36", where that loader is made
  std::string saver = {};     // "torch.save"
  std::string where = {};     // "train.py:50", the line that iterates or saves; empty: not known
  bool trains = false;        // that loader's batches are followed by an optimizer's steps
  std::uint32_t workers = 0;  // that each iter() of it starts
  std::int64_t ns = 0, before_ns = 0;
  std::uint64_t count = 0, before = 0;
};

// All of it, from the first iter() on, without what only measuring took.
struct ExternalLedger {
  std::uint64_t batches = 0;  // of the loader that is measured
  bool whole = false;         // no part of the training was left out
  std::vector<ExternalSpent> rows;
};

// Memory of the workers, all together, in bytes, between the first look in the window and the last.
struct ExternalMemory {
  std::uint64_t pss = 0;  // at the last look: shared pages counted once, over the sharers
  std::int64_t pss_growth = 0;
  std::int64_t private_growth = 0;  // pages that one process alone has
  // Pages of any kind: what grew privately and not here was shared before.
  std::int64_t resident_growth = 0;
  std::uint64_t samples = 0;  // delivered meanwhile
  // At the last look: pages written before the fork that workers still share (Shared_Dirty).
  std::optional<std::uint64_t> shared;
  // The pace at which pages became private that had been shared, where it was least from one look
  // to the next, over its mean: 1 is steady, 0 came at once. nullopt: two looks alone.
  std::optional<double> steadiness = {};
};

// As a whole, of one trial. Times in ns.
struct ExternalFacts {
  ExternalWay way = ExternalWay::none;
  std::string interpreter;                // path
  std::string versions;                   // "Python 3.11.2, torch 1.13.1, torchvision 0.14.1"
  std::string loader_call, trainer_call;  // "train.py:make_data"; empty: not in that process
  std::string kind;   // what the loader's call returned: "Dataset", "DataLoader", "iterable"
  std::string where;  // "train.py:31": where the DataLoader is made, or the class of the Dataset
  std::string getitem_where;  // where __getitem__ or __iter__ is defined
  std::string device;         // that the steps used, as torch says: "cuda:0"; empty: none
  // On a device the times of single steps may be those in which the host handed work over, which
  // say nothing of how steady the device was.
  StepTimes step_times = StepTimes::known;
  std::string start_method;  // of the workers: "fork", "forkserver", "spawn"
  std::optional<std::uint64_t> epoch_samples, epoch_batches;
  std::optional<std::int64_t> spawn_ns;  // from the start of the process to its first word
  std::optional<std::int64_t> import_ns, call_ns;
  // The trials that its process had run before. Such a trial has neither spawn_ns nor import_ns.
  std::uint32_t trials_before = 0;
  std::string why_fresh;  // a sentence: why the process of the trial before did not go on; or empty
  std::optional<std::int64_t> workers_start_ns;  // iter() of the first epoch
  std::optional<std::int64_t> epoch_start_ns;    // mean of iter() of the later ones
  std::optional<bool> persistent_workers;
  std::optional<bool> streams;   // of an IterableDataset: a worker's batches are its own
  std::optional<bool> in_order;  // absent: this torch has none, and delivers in order
  std::optional<std::uint32_t> prefetch_factor;
  std::optional<ExternalTime> getitem, collate, handover, pin;
  // The cost of the hooks in the workers over the window, estimated.
  std::optional<std::int64_t> hooks_ns;
  std::vector<ExternalWorker> workers;
  std::optional<ExternalMemory> memory;
  // Threads of the process tree that run or wait for a core.
  std::optional<double> runnable_mean, runnable_max;
  std::optional<double> runnable_workers_mean;  // of them those of the workers alone
  // Workers' main threads waiting for a core, summed over them.
  std::optional<std::int64_t> core_wait_loader_ns;
  std::optional<std::int64_t> core_wait_main_ns;  // the main process's main thread
  std::optional<std::int64_t> main_ran_ns;        // and the time that this thread had a core
  std::optional<std::uint32_t> cpu_count;  // os.cpu_count(), whatever the process may use of it
  std::optional<std::uint32_t> threads;    // torch.get_num_threads() in the main process
  std::optional<std::uint64_t> shm_free_bytes, shm_bytes;  // /dev/shm
  std::optional<std::int64_t> direct_ns;  // one batch by indexing tensors that are in memory anyhow
  std::vector<ExternalSameDraws> same_draws;
  std::vector<ExternalNoticed> noticed;
  std::vector<ExternalPartner> partners;
  std::optional<ExternalLedger> ledger;  // of the script as it is
  // Batches of `replayed`; of them changed in place by the step.
  std::uint32_t distinct = 0, changed = 0;
};

}  // namespace benchbench
