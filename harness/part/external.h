// The seam of a loader or a step that runs in a process of its own, which the harness does not
// schedule: the user's Python.
//
// A row of the catalogue whose description says `external` has, beside its loader or trainer
// factory (which serve the hand-over of batches), an ExternalMaker. Where everything that costs
// time in a trial is over there, the trial is run by the external executor
// (harness/trial/external):
//
//   check()            once a run, before anything is measured; by the main program
//   start()            the trial's thread: the process runs, the user's code is loaded
//   run()              the trial's thread: warm-up and window; what it hears meanwhile it tells
//                      the listener
//   ~ExternalSession   ends the process and everything that it started, or keeps the process for a
//                      later trial: ExternalOrder::shares
//
// Errors: DeviceError where a package is absent (the trial is SKIPPED with the reason),
// ScenarioError for what cannot be as it is asked for, PartError with the user's traceback for what
// the user's code raised, and for a process that died, hung or talked nonsense. Every wait has a
// deadline.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/core/units.h"
#include "harness/part/external_facts.h"
#include "harness/part/settings.h"

namespace benchbench {

// The harness's keys, as far as they are to be given; an empty one leaves the user's own value.
struct ExternalLoaderKeys {
  std::optional<std::uint32_t> num_workers, batch_size, prefetch_factor;
  std::optional<bool> in_order, drop_last, pin_memory, shuffle;
};

// What a loader or trainer is told that hands batches over from, or to, a process of its own, where
// the harness runs the trial. Outlives the part.
struct ExternalTerms {
  ExternalLoaderKeys keys;
  int observer = 1;     // 0: no hooks in the user's process
  bool images = false;  // the trainer takes images as [H, W, C] with labels, and nothing else
  std::uint32_t intra_op_threads = 0;  // of the loader's process; 0: as the user's code has them
  std::string_view root;               // where the data lie; empty: none
  std::string_view device = "cpu";     // that the step is to use
  std::uint32_t in_flight = 2;         // steps whose work may be under way on the device at once
  // To be called at least every 100 ms of a wait for that process; throws to end it. May be empty.
  std::function<void()> look;
};

// What is to be run. Views are valid during the call of the maker.
struct ExternalOrder {
  // The external loader's, without "loader."; null: there is none.
  const Settings* loader = nullptr;
  const Settings* trainer = nullptr;  // of the external trainer; null: batches are dropped
  ExternalWay way = ExternalWay::self_timed;
  ExternalLoaderKeys keys;
  std::string_view root;  // where the data lie; empty: none
  std::string_view device = "cpu";
  std::optional<double> rate;  // of `replayed`: samples/s at which batches come
  std::uint64_t loader_seed = 0, trainer_seed = 0;
  std::uint32_t intra_op_threads = 1;
  int observer = 1;  // 0: no hooks in the user's process
  Nanoseconds window{0};
  std::uint64_t window_batches = 1;
  std::optional<Nanoseconds> warmup;  // absent: until steady
  std::optional<Nanoseconds> warmup_cap;
  double slope = 0.05;     // the largest share that counts as steady
  Nanoseconds timeout{0};  // of one exchange; 0: none
  // True if the process of an earlier trial with the same code may run it, and its own process may
  // run another, where nothing of one reaches the next.
  bool shares = false;
};

enum class ExternalPhase : std::uint8_t { starting, warming_up, measuring, finishing };

// Heard while it runs; all calls on the thread of run().
class ExternalListener {
 public:
  virtual ~ExternalListener() = default;
  // A few times a second. `workers`: process ids.
  virtual void progressed(ExternalPhase phase, double share, double samples_per_second,
                          std::span<const int> workers) = 0;
  // The edges of a measured segment, as they are heard: the result has their times.
  virtual void segment_begins(std::span<const int> workers) = 0;
  virtual void segment_ends() = 0;
  // At least every 100 ms. Throws to end the run.
  virtual void look() = 0;
};

// A batch that a worker made: begin in ns of CLOCK_MONOTONIC.
struct ExternalFill {
  std::int64_t worker = 0, begin_ns = 0, ns = 0;
  bool operator==(const ExternalFill&) const = default;
};

struct ExternalResult {
  // Begin and end, ns of CLOCK_MONOTONIC.
  std::vector<std::pair<std::int64_t, std::int64_t>> segments;
  std::uint64_t steps = 0, samples = 0;  // in all segments
  // For each step; step_ns is empty where batches are dropped.
  std::vector<std::int64_t> get_ns, step_ns;
  std::vector<ExternalFill> fills;  // the last batches of each worker, where they are observed
  std::int64_t startup_ns = 0, first_batch_ns = 0, warmup_ns = 0;
  std::uint64_t warmup_steps = 0;
  bool steady = true;
  std::uint64_t epochs = 0;
  // With the waits for an epoch's first `epoch_gap_batches`.
  std::optional<std::int64_t> epoch_gap_ns;
  std::uint32_t epoch_gap_batches = 1;
  std::optional<double> loss_first, loss_last;
  std::uint64_t parameters = 0;
  // All but memory, runnable threads and waits for a core, which are seen from outside.
  ExternalFacts facts;
  std::vector<std::string> notices;  // settings that were not applied, and the like: sentences
};

// One process of the user's interpreter. One thread.
class ExternalSession {
 public:
  virtual ~ExternalSession() = default;
  // Starts the process and loads the user's code. Calls look() of the listener while it waits.
  virtual void start(ExternalListener& listener) = 0;
  // The listener outlives the session, whose end may call look(), too.
  virtual ExternalResult run(ExternalListener& listener) = 0;
  // After start().
  virtual int pid() const noexcept = 0;
  // The trials that this process ran before; after start().
  virtual std::uint32_t trials_before() const noexcept { return 0; }
};

// The key under which a trial's trainer finds ExternalCheck::batch, where the scenario names a
// loader of the user's own and another loader's batches are handed to the step.
inline constexpr std::string_view kOwnBatch = "own_batch";

// A value of one setting, as the user's code has it.
using ExternalValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// What a look at the user's code showed, before anything is measured.
struct ExternalCheck {
  std::string kind;  // "Dataset", "DataLoader", "iterable"; empty: no external loader
  std::optional<std::uint64_t> epoch_samples;
  std::map<std::string, ExternalValue> own;  // of a DataLoader, by the harness's key: "num_workers"
  std::map<std::string, std::string> fixed;  // keys that cannot be given here: why, as a sentence
  // The description of its first batch, in the part's own words; empty if not asked for.
  std::string batch;
};

struct ExternalCheckOrder {
  const Settings* loader = nullptr;
  const Settings* trainer = nullptr;
  std::string_view root;
  std::string_view device = "cpu";
  bool names_only = false;  // the code is imported and its functions are looked up, but not called
  bool batch = false;       // one batch is made, too, to see what it is like
  Nanoseconds timeout{0};
  std::function<void()> look;  // at least every 100 ms; throws to end it. May be empty
};

// The answer to whether steps in the user's interpreter can use a CUDA device.
struct ExternalCuda {
  bool available = false;
  std::string reason;  // why not: "torch 2.11.0+cpu of /usr/bin/python3 finds no CUDA device"
};

struct ExternalCudaOrder {
  std::string_view interpreter;  // as `python` of loader and trainer; empty: the one found without
  std::string kept_in;           // a folder, where the answer is kept
  Nanoseconds timeout{0};
  std::function<void()> look;  // as in ExternalCheckOrder
};

// Processes that wait for a later trial.
enum class IdleProcesses : std::uint8_t {
  on_cards,  // those whose steps used a CUDA device
  all,
};

// What an external row of the catalogue can do; all members are set. The orders' views are valid
// during the call.
struct ExternalMaker {
  std::unique_ptr<ExternalSession> (*session)(const ExternalOrder&) = nullptr;
  // Throws as the session does, for the first thing that is wrong.
  ExternalCheck (*check)(const ExternalCheckOrder&) = nullptr;
  // Starts the interpreter where its answer is not kept. Throws as check() does.
  ExternalCuda (*cuda)(const ExternalCudaOrder&) = nullptr;
  // Ends them, on the thread of the trials. Null: none ever waits.
  void (*end_idle)(IdleProcesses) = nullptr;
};

}  // namespace benchbench
