#include "harness/trial/external/tree_watch.h"

#include <algorithm>
#include <utility>

#include "harness/core/process_tree.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kSearchEvery = std::chrono::seconds{1};
constexpr int kPause = 200;  // times as long as a search took, until the next one
// Memory at a segment's end, where nothing is measured: a short window has no look within it.
constexpr Nanoseconds kLeastGrowth = std::chrono::milliseconds{250};
constexpr int kPauseAtEnds = 20, kGentlePause = 500;
// After the workers' start, for the first look at them.
constexpr Nanoseconds kSettled = std::chrono::milliseconds{200};

template <class Number>
void add(std::optional<Number>& sum, std::optional<Number> begin, std::optional<Number> end) {
  if (begin && end) sum = sum.value_or(0) + (*end - *begin);
}

// Returns its CPU time and that of the processes that it started and waited for.
std::int64_t with_ended(const ProcessCounters& c) {
  return c.cpu_ns + ns_of_ticks(c.waited_user_ticks + c.waited_system_ticks);
}

}  // namespace

// Adds the CPU time of its own thread, while it lives, to the cost.
class TreeWatch::Billed {
 public:
  explicit Billed(TreeWatch& watch) : watch_(watch), from_(watch.runtime_.thread_cpu_time()) {}
  ~Billed() {
    if (watch_.in_segment_) watch_.seen_.cost += so_far();
  }
  Billed(const Billed&) = delete;
  Billed& operator=(const Billed&) = delete;
  Nanoseconds so_far() const noexcept { return watch_.runtime_.thread_cpu_time() - from_; }

 private:
  TreeWatch& watch_;
  const Nanoseconds from_;
};

TreeWatch::TreeWatch(Runtime& runtime, int root, Nanoseconds every, bool gentle)
    : runtime_(runtime),
      root_(root),
      every_(every),
      pause_at_ends_(gentle ? kGentlePause : kPauseAtEnds) {}

bool TreeWatch::is_worker(int pid) const noexcept {
  return std::ranges::find(workers_, pid) != workers_.end();
}

// New workers are to be found before they are billed.
void TreeWatch::workers(std::span<const int> pids) {
  if (std::ranges::equal(pids, workers_)) return;
  workers_.assign(pids.begin(), pids.end());
  for (auto& [pid, process] : processes_) process.worker = process.worker || is_worker(pid);
  for (const int pid : workers_)
    if (const auto seen = see_process(pid)) track(pid, seen->started, true);
  next_search_ = std::min(next_search_, runtime_.now() + kSettled);
}

// A number that came again is another process; what the first one had used is kept under a number
// that no process has.
void TreeWatch::track(int pid, std::uint64_t started, bool worker) {
  const auto [at, fresh] = processes_.try_emplace(pid);
  if (!fresh && at->second.started != started) {
    int free_number = std::min(processes_.begin()->first, 0) - 1;
    at->second.gone = true;
    processes_.emplace(free_number, at->second);
    at->second = {};
  }
  at->second.started = started;
  at->second.worker = at->second.worker || worker;
}

// What a worker started is its own. Parents come before their children.
void TreeWatch::find_processes() {
  found_ = runtime_.now();
  if (const auto root = see_process(root_)) track(root_, root->started, false);
  for (const ProcessSeen& p : descendants_of(root_)) {
    const auto parent = processes_.find(p.parent);
    track(p.pid, p.started,
          is_worker(p.pid) || (parent != processes_.end() && parent->second.worker));
  }
}

// Once a process has ended, its time is among what its parent waited for.
void TreeWatch::read_all() {
  std::int64_t of_each = 0, of_all = 0;
  for (auto& [pid, process] : processes_) {
    if (process.gone) continue;
    const ProcessCounters before = process.last;
    of_all -= with_ended(before);
    if (const auto counters = read_counters(pid)) {
      process.last = *counters;
      of_each += std::max<std::int64_t>(0, counters->cpu_ns - before.cpu_ns);
      of_all += with_ended(*counters);
    } else {
      process.gone = true;
    }
  }
  spent_ns_ += std::max(of_each, of_all);
}

// A search within a segment would be a part of its cost.
std::int64_t TreeWatch::read_spent_ns() {
  const bool due = !in_segment_ && runtime_.now() - found_ >= kSearchEvery;
  if (due || !processes_.contains(root_)) find_processes();
  read_all();
  return spent_ns_;
}

void TreeWatch::begin_segment(MemoryAtBegin memory) {
  const bool first = seen_.observed.count() == 0;
  const Billed billed(*this);
  if (!processes_.contains(root_)) find_processes();
  read_all();
  std::erase_if(processes_, [](const auto& p) { return p.second.gone; });
  for (auto& [pid, process] : processes_) process.begin = process.last;
  segment_began_ = next_count_ = runtime_.now();
  // The warm-up has just seen them.
  next_search_ = std::max(next_search_, segment_began_ + kSearchEvery);
  if (std::exchange(anew_, false)) memory_.begin_anew();
  if (first) memory_.begin_counting();
  in_segment_ = true;
  seen_at_begin_ = memory == MemoryAtBegin::of_new_workers && every_.count() > 0 &&
                   !workers_.empty() && !memory_.knows(workers_) &&
                   segment_began_ >= next_begin_look_;
  if (!seen_at_begin_) return;
  look_at_memory();
  next_begin_look_ = runtime_.now() + kPause * (runtime_.now() - segment_began_);
}

void TreeWatch::end_segment() {
  if (!in_segment_) return;
  in_segment_ = false;
  read_all();
  seen_.observed += runtime_.now() - segment_began_;
  bill_segment();
  if (seen_at_begin_ || runtime_.now() >= next_end_look_) look_at_memory();
}

void TreeWatch::bill_segment() {
  std::optional<std::int64_t> most;
  for (const auto& [pid, process] : processes_) {
    const ProcessCounters &from = process.begin, &to = process.last;
    (process.worker ? seen_.workers_cpu_ns : seen_.main_cpu_ns) +=
        std::max<std::int64_t>(0, to.cpu_ns - from.cpu_ns);
    seen_.user_ticks += to.user_ticks - std::min(from.user_ticks, to.user_ticks);
    seen_.system_ticks += to.system_ticks - std::min(from.system_ticks, to.system_ticks);
    add(seen_.device_bytes, from.device_bytes, to.device_bytes);
    if (pid == root_) add(seen_.main_core_wait_ns, from.core_wait_ns, to.core_wait_ns);
    if (pid == root_) add(seen_.main_ran_ns, from.ran_ns, to.ran_ns);
    if (is_worker(pid)) add(seen_.workers_core_wait_ns, from.core_wait_ns, to.core_wait_ns);
    if ((pid == root_ || is_worker(pid)) && from.core_wait_ns && to.core_wait_ns)
      most = std::max(most.value_or(0), *to.core_wait_ns - *from.core_wait_ns);
  }
  add(seen_.most_core_wait_ns, std::optional<std::int64_t>(0), most);
}

TreeSeen TreeWatch::take() {
  anew_ = true;
  runnable_sum_ = runnable_max_ = runnable_workers_sum_ = 0;
  runnable_looks_ = 0;
  return std::exchange(seen_, {});
}

void TreeWatch::look() {
  const TimePoint now = runtime_.now();
  if (in_segment_ && every_.count() <= 0) return;
  const Billed billed(*this);
  if (in_segment_ && now >= next_count_) count_runnable();
  if (now < next_search_) return;
  const Nanoseconds before = billed.so_far();
  find_processes();
  if (in_segment_) read_all();
  look_at_memory();
  next_search_ = runtime_.now() + std::max(kSearchEvery, kPause * (billed.so_far() - before));
}

void TreeWatch::count_runnable() {
  next_count_ = runtime_.now() + every_;
  double running = 0, in_workers = 0;
  for (const auto& [pid, process] : processes_) {
    if (process.gone) continue;
    const double threads = runnable_threads(pid);
    running += threads;
    if (is_worker(pid)) in_workers += threads;
  }
  runnable_sum_ += running;
  runnable_workers_sum_ += in_workers;
  runnable_max_ = std::max(runnable_max_, running);
  seen_.runnable_mean = runnable_sum_ / static_cast<double>(++runnable_looks_);
  seen_.runnable_workers_mean = runnable_workers_sum_ / static_cast<double>(runnable_looks_);
  seen_.runnable_max = runnable_max_;
}

void TreeWatch::look_at_memory() {
  const TimePoint now = runtime_.now();
  std::vector<int> others;
  for (const auto& [pid, process] : processes_)
    if (!process.gone && !is_worker(pid)) others.push_back(pid);
  memory_.look(now, workers_, others);
  next_end_look_ = runtime_.now() + std::max(kLeastGrowth, pause_at_ends_ * (runtime_.now() - now));
}

}  // namespace benchbench
