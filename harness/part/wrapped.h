// The seam of a training script that runs unchanged, in a process that is not ours, and that is
// measured from within: short stretches of the script as it is, of its step alone, of its loader
// alone. Of what `benchbench wrap` starts, any number of processes may connect: launchers, ranks,
// the script itself.
#pragma once
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/part/external.h"

namespace benchbench {

// What is to be measured.
struct WrapOrder {
  // Above 0: rounds are planned as if they were `rounds`, go on until they settle the side, and are
  // these at most.
  std::uint32_t rounds = 5, most_rounds = 0;
  Nanoseconds stretch{0};              // at least, of each kind
  std::uint64_t stretch_batches = 16;  // at least
  // From the first stretch on; absent: what the rounds need, between the next two.
  std::optional<Nanoseconds> budget;
  Nanoseconds least{0}, most{0};
  std::uint64_t skip_steps = 0;  // before anything is measured
  std::uint64_t seed = 0;        // of the order
  // Settings by name, "num_workers": a copy of the loader with them takes turns with it.
  std::map<std::string, ExternalValue> other;
  bool tune = false;          // copies with other settings are made for rounds; `other` is not read
  std::string loader;         // by name, where several feed the steps; empty: whichever does
  int observer = 1;           // 0: no hooks in the workers
  bool keep_going = false;    // the script runs to its end, and is watched only
  bool check = false;         // it ends before the loop: what would be measured
  bool by_exception = false;  // it is stopped by an exception, which its own clean-up sees
  bool exact = false;         // as many rounds, however short: the user asked for them
};

// A process that connected, by its number.
struct WrapHello {
  int pid = 0, parent = 0;
  std::string interpreter, version;  // a path; "3.11.2"
  std::string torch, failed;         // "2.7.1"; why not all of it could be patched, empty: all is
  std::string mute;  // why its stacks cannot be read where it hangs; empty: they can be
  std::optional<std::uint32_t> rank, world;
};

// A loader of the script.
struct WrapLoader {
  std::string name;                               // of the variable that holds it; may be empty
  std::string kind, where, getitem_where;         // its class, "train.py:31"
  std::optional<std::uint64_t> batches, samples;  // of an epoch
  std::map<std::string, ExternalValue> own;       // "num_workers"
  std::uint64_t epochs = 0, served = 0;           // begun; batches that the script got
  bool streams = false;  // each worker has samples of its own: an IterableDataset
  bool trains = false;   // its batches are followed by a backward pass
};

// The times and sizes of a loop, from which its stretches are planned.
struct WrapLoop {
  Nanoseconds batch{0};  // of the script as it is
  Nanoseconds step{0};   // the same without the wait for the loader
  // The loader's that is measured, or its copy's where that has more.
  std::uint64_t workers = 0, prefetched = 0;
  std::optional<std::uint64_t> epoch_batches, epoch_left;
  Nanoseconds epoch_beginning{0};  // before the first batch of each epoch
  // Saves of the script that were seen, and the batches from one to the next.
  std::uint64_t saves = 0, between_saves = 0;
  bool will_save = false;       // its code names a saver
  std::uint64_t distinct = 16;  // batches that may be held; 0: one takes too much memory
  bool is_rank = false;         // it trains together with other processes
  std::string full_alone;       // why F alone can be measured, a sentence; empty: all can be

  bool waits() const noexcept { return batch - step > batch / 20; }
  // Batches that are not counted after each switch.
  std::uint64_t discarded() const noexcept { return workers + prefetched; }
};

// A loop that is steady: what can be measured.
struct WrapSteady {
  WrapLoop loop;
  WrapLoader loader;
  std::vector<WrapLoader> partners;          // that feed the same steps
  std::vector<std::string> others;           // names of those that do not
  std::optional<std::uint32_t> rank, world;  // of several processes that train together
  std::string group;  // the same of all of them, and of no others here; may be empty
  std::string versions;
  // The device that steps run on: "cuda:0", "NVIDIA H200"; of the CPU there is no name.
  std::string device = "cpu", device_name;
  std::int64_t startup_ns = 0, first_batch_ns = 0, warmup_ns = 0;
  std::uint64_t warmup_steps = 0;
  std::uint64_t cycle = 1;  // batches for each step of the optimizer: gradients are accumulated
  bool steady = true;
  // The copy with other settings; absent: none was asked for, or it cannot be.
  std::optional<WrapLoader> changed;
  // Those settings that are not applied, and why: sentences; or why no others can be tried.
  std::vector<std::string> dropped;
  bool tunes = false;                        // copies with other settings can be made for a round
  std::map<std::string, std::string> fixed;  // then: settings that no copy can have, and why
};

// The kinds of stretches; the last two are of the changed copy.
enum class WrapKind : std::uint8_t { full, trainer, loader, changed_full, changed_loader };
template <>
inline constexpr auto kWordsOf<WrapKind> =
    std::to_array<std::string_view>({"F", "T", "L", "f", "l"});

inline constexpr bool is_changed(WrapKind kind) noexcept {
  return kind == WrapKind::changed_full || kind == WrapKind::changed_loader;
}

// A stretch that is asked for, with its least time and its least number of batches.
struct WrapStretchOrder {
  WrapKind kind = WrapKind::full;
  Nanoseconds least{0};
  std::uint64_t batches = 0;
  std::uint32_t round = 0, place = 0;  // the round that it is of, and its place in that
};

// The stretches that a process measures next, in their order.
struct WrapNext {
  std::vector<WrapStretchOrder> stretches;
  std::uint64_t distinct = 16;  // batches that are held for the trainer alone
  bool after_save = false;      // they begin once the script has saved
  // The settings of the copy in these stretches, which has all of them or is refused; empty: the
  // copy that was asked for at first.
  std::map<std::string, ExternalValue> settings;
};

// The beginning of what a process measures.
struct WrapStart {
  WrapNext first;             // several ranks have all of it in this
  Nanoseconds ends_after{0};  // the script is stopped then, if it has not ended
};

// The state of a process that asks for more.
struct WrapState {
  std::uint64_t saves = 0;                  // of the script, so far
  std::uint64_t between_saves = 0;          // batches from one to the next
  std::uint64_t until_save = 0;             // batches that are left to the next one
  std::uint64_t epochs = 0;                 // of the loader that began since it was steady
  std::optional<std::uint64_t> epoch_left;  // batches; absent: the loader has no length
  std::vector<std::string> refused;  // why the copy that was asked for was not made: sentences
};

struct WrapStretch {
  WrapKind kind = WrapKind::full;
  std::uint32_t round = 0, order = 0;
  bool idle = true;          // of the trainer alone: the workers had nothing to do when it began
  std::int64_t busy_ns = 0;  // and what they took of the processors all the same
  // With WrapOrder::tune: of the copy, as they were asked for.
  std::map<std::string, ExternalValue> settings;
  ExternalResult result;
};

// Why a process says no more.
enum class WrapReason : std::uint8_t {
  answer,
  budget_over,
  saver_called,
  checked,
  refused,
  script_failed,
  script_ended,
  internal,
  stopped,
  hangs,
  no_fetch,   // its steps went on without a batch of a loader
  no_loader,  // from the beginning
  lost
};
template <>
inline constexpr auto kWordsOf<WrapReason> = std::to_array<std::string_view>(
    {"answer", "budget over", "saver called", "checked", "refused", "script failed", "script ended",
     "internal", "stopped", "hangs", "no fetch", "no loader", ""});

// What was seen of a loader over all its stretches.
struct WrapServed {
  std::uint64_t epochs = 0;  // that ended
  // With the waits for an epoch's first `epoch_gap_batches`.
  std::optional<std::int64_t> epoch_gap_ns;
  std::uint32_t epoch_gap_batches = 1;
  std::int64_t startup_ns = 0, first_batch_ns = 0;
  ExternalFacts facts;  // and what is known of the process
};

// A function of the user's.
struct WrapFunction {
  std::string name, where;  // "get_batch", "train.py:31"
};

// The steps of the optimizer in a script, whatever their batches come from.
struct WrapSteps {
  std::uint64_t timed = 0;  // those that these times are of
  // Until the first backward of each, which is its batch and its forward; in backwards; the rest.
  Nanoseconds before{0}, backward{0}, rest{0};
  std::optional<std::uint64_t> last_fetch;  // the step of the last fetch; absent: there was none
  std::uint64_t since = 0;                  // steps since then
  std::vector<WrapFunction> calls;          // that the loop names

  Nanoseconds took() const noexcept { return before + backward + rest; }
};

struct WrapEnd {
  WrapReason reason = WrapReason::lost;  // `lost`: killed, or it has called os._exit
  std::string message, saver, versions;
  bool caught = false;                 // the exception that was to stop it, and it went on
  bool steered = false;                // it was given batches that the script would not have got
  bool seen = false;                   // a loader that feeds steps was found
  std::optional<std::uint32_t> saves;  // calls of savers that are known; absent: not counted
  WrapSteps steps;
  std::vector<WrapLoader> loaders;
  WrapServed served;                  // of the loader that is measured
  std::optional<WrapServed> changed;  // of its copy
  std::vector<std::string> notes;
};

// A call that a thread is in.
struct WrapFrame {
  std::string where, function;  // "train.py:27"
  bool users = false;           // of the script's own code
};
struct WrapThread {
  std::string name;
  std::vector<WrapFrame> frames;  // innermost first
};
// A lock that is held, by whom as far as it is known: else both are empty.
struct WrapHeldLock {
  std::string name, thread, where;
  bool forked = false;  // that thread is of the process which forked this one, and not in it
};

// The stacks of a process, as it says them when it is asked by a signal.
struct WrapStacks {
  int pid = 0;
  std::optional<std::uint32_t> worker;  // its number among its loader's; absent: it is none
  bool saves = false;                   // it is writing a checkpoint
  std::vector<WrapThread> threads;      // the main one first
  std::optional<WrapHeldLock> lock;     // that the main one seems to wait for
  // The script has `if __name__ == "__main__":`, so that workers can be spawned.
  bool guarded = false;
  std::optional<bool> kept = {};  // by its loader, for all epochs; absent: it is no worker
};

// Signals that the script's processes say their stacks at. The first one interrupts no system call,
// which a thread that waits for a lock has to be. At the last one C code writes all stacks into a
// file in memory of that name, without waiting for Python's lock. None is for a process that does
// not catch it.
inline const int kAskSignal = SIGURG, kWakeSignal = SIGRTMAX - 4, kLastSignal = SIGRTMAX - 3;
inline constexpr const char* kStacksFile = "benchbench-stacks";

// Heard by hear(), on its thread.
class WrapListener {
 public:
  virtual ~WrapListener() = default;
  virtual void connected(const WrapHello& process) = 0;
  // Returns what that process measures first; nullopt: it goes on as it is, and no more comes of
  // it. Throws ScenarioError where it cannot be measured: it is stopped.
  virtual std::optional<WrapStart> steady(int pid, const WrapSteady& steady) = 0;
  // `phase`: "starting", "warming up", "waiting", "fetching", "measuring", "stepping". `workers`:
  // absent where they are as they were.
  virtual void progressed(int pid, const std::string& phase, std::optional<WrapKind> kind,
                          std::optional<std::uint32_t> round,
                          const std::optional<std::vector<int>>& workers) = 0;
  // Every few seconds, the division of its time so far, and its loaders: a script that is killed
  // says no end.
  virtual void spent(int pid, ExternalLedger ledger, std::vector<WrapLoader> loaders) = 0;
  virtual void segment_begins(int pid, std::optional<WrapKind> kind,
                              const std::vector<int>& workers) = 0;
  virtual void segment_ends(int pid) = 0;
  virtual void finished(int pid, WrapStretch stretch) = 0;
  // Returns what comes after the stretches that were asked for; nullopt: enough. The script stands
  // still meanwhile. Several ranks are never asked: they have all of it from the beginning.
  virtual std::optional<WrapNext> next(int pid, const WrapState& state) = 0;
  // It trains together with others, as this rank of so many.
  virtual void ready(int pid, std::uint32_t rank, std::uint32_t world) = 0;
  // Ranks wait for others: a sentence, and how much longer they do.
  virtual void waits(const std::string& why, Nanoseconds longer) = 0;
  virtual void stood(const WrapStacks&) {}
  // For each that connected; once more where it caught what was to stop it.
  virtual void ended(int pid, const WrapEnd& end) = 0;
};

// Listens for processes of the script. One thread. The script is never harmed: what makes no sense
// ends that conversation.
class WrapSession {
 public:
  virtual ~WrapSession() = default;
  // "NAME=value", for the process that is started.
  virtual std::vector<std::string> environment() const = 0;
  // Whatever comes within that time, at least what is there already.
  virtual void hear(int milliseconds) = 0;
  // Returns the number of messages that have come; stacks do not count.
  virtual std::uint64_t messages() const noexcept = 0;
  // From now on a process that says its stacks is answered that it ends, for this reason.
  virtual void end_who_is_asked(WrapReason reason) = 0;
  // Some process is still connected.
  virtual bool connected() const noexcept = 0;
  // Ranks were stopped at their budget's end half a minute ago, and not all of them have ended.
  virtual bool hangs() const = 0;
};

// In scenarios/python: there is one for the whole program, as there is one catalogue. PartError
// where it cannot listen. `now`: of any clock; empty: the monotonic one.
std::unique_ptr<WrapSession> make_wrap_session(const WrapOrder& order, WrapListener& listener,
                                               std::function<Nanoseconds()> now = {});

}  // namespace benchbench
