#include "harness/trial/external/elsewhere.h"

#include <unistd.h>

#include <algorithm>

#include "harness/core/process_tree.h"
#include "harness/trial/external/process_reading.h"

namespace benchbench {
namespace {

constexpr int kPause = 20;  // times as long as the look took, until the next one

template <class Number>
Number grown(Number from, Number to) {
  return to > from ? to - from : Number{0};
}

template <class Number>
void add(std::optional<Number>& sum, const std::optional<Number>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

}  // namespace

Elsewhere::Elsewhere(Runtime& runtime) : runtime_(runtime) {
  for (const ProcessSeen& p : descendants_of(::getpid()))
    if (p.parent == ::getpid()) others_.push_back(p.pid);
}

std::vector<int> Elsewhere::processes() const {
  std::vector<int> theirs;
  for (const ProcessSeen& p : descendants_of(::getpid())) {  // parents first
    const bool begins =
        p.parent == ::getpid() && std::ranges::find(others_, p.pid) == others_.end();
    if (begins || std::ranges::find(theirs, p.parent) != theirs.end()) theirs.push_back(p.pid);
  }
  return theirs;
}

Elsewhere::Reading Elsewhere::read() const {
  Reading sum;
  for (const int pid : processes()) {
    const auto counters = read_counters(pid);
    if (!counters) continue;
    sum.cpu_ns +=
        counters->cpu_ns + ns_of_ticks(counters->waited_user_ticks + counters->waited_system_ticks);
    sum.user_ticks += counters->user_ticks + counters->waited_user_ticks;
    sum.system_ticks += counters->system_ticks + counters->waited_system_ticks;
    add(sum.device_bytes, counters->device_bytes);
    if (counters->core_wait_ns) sum.run_delays[pid] = *counters->core_wait_ns;
  }
  if (const auto own = read_counters(::getpid())) sum.own_cpu_ns = own->cpu_ns;
  sum.at = runtime_.now();
  return sum;
}

void Elsewhere::begin_segment() {
  look_at_memory();
  begin_ = read();
}

void Elsewhere::end_segment() {
  const Reading end = read();
  seen_.observed += end.at - begin_.at;
  seen_.cpu_ns += grown(begin_.cpu_ns, end.cpu_ns);
  seen_.own_cpu_ns += grown(begin_.own_cpu_ns, end.own_cpu_ns);
  seen_.user_ticks += grown(begin_.user_ticks, end.user_ticks);
  seen_.system_ticks += grown(begin_.system_ticks, end.system_ticks);
  add(seen_.device_bytes, both(begin_.device_bytes, end.device_bytes, grown<std::uint64_t>));
  add(seen_.run_delay_s, delayed_s(begin_.run_delays, end.run_delays));
  look_at_memory();
}

void Elsewhere::look_at_memory() {
  const TimePoint begun = runtime_.now();
  if (begun < next_memory_look_) return;
  std::uint64_t all = 0;
  for (const int pid : processes())
    if (const auto memory = read_memory(pid)) all += memory->pss;
  if (all == 0) return;  // they could not be read
  if (const auto own = read_memory(::getpid())) all += own->pss;
  next_memory_look_ = runtime_.now() + kPause * (runtime_.now() - begun);
  seen_.peak_memory_bytes = std::max(seen_.peak_memory_bytes, all);
}

}  // namespace benchbench
