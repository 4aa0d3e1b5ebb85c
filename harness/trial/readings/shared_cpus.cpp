#include "harness/trial/readings/shared_cpus.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "harness/core/cpus/cpu_limit.h"
#include "harness/trial/probes/kernel_file.h"

namespace benchbench {
namespace {

// The clock, /proc/stat and our own CPU time are read one after another: where a thread loses its
// CPU in between, they are of different instants. So the closest of some readings counts.
constexpr int kReadings = 3;
constexpr double kCloseEnough_s = 0.5e-3;

constexpr double kLeastOfWindow = 0.5;
// The kernel's column iowait may step back by little (proc(5)).
constexpr double kMayStepBack_s = 0.1;

double monotonic_s() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double timeval_s(const timeval& t) noexcept {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

double own_cpu_s() noexcept {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0
             ? timeval_s(usage.ru_utime) + timeval_s(usage.ru_stime)
             : 0;
}

// Adds up words 4 to 8 of "cpu0 user nice system idle iowait irq softirq steal ...". The columns
// user and system are sampled by ticks, and a thread that wakes by a timer is never seen by one;
// idle time is exact.
std::optional<std::uint64_t> spare_ticks_in(std::string_view line) noexcept {
  std::uint64_t sum = 0;
  for (unsigned n = 4; n <= 8; ++n) {
    const auto ticks = first_number(word(line, n));
    if (!ticks) return std::nullopt;
    sum += *ticks;
  }
  return sum;
}

// Returns the number of "cpu0 ..."; nullopt for the line of all of them, and for any other.
std::optional<int> cpu_of(std::string_view line) noexcept {
  if (!line.starts_with("cpu") || line.size() < 4 || line[3] < '0' || line[3] > '9')
    return std::nullopt;
  return static_cast<int>(first_number(line.substr(3)).value_or(0));
}

CoreWaits read_core_waits() {
  CoreWaits waits;
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir("/proc/self/task"), ::closedir);
  while (const dirent* entry = threads ? ::readdir(threads.get()) : nullptr) {
    const int thread = std::atoi(entry->d_name);
    if (thread <= 0) continue;
    // Its line is "time on a CPU, time it waited for one, times it got one", in ns.
    KernelFile file(fmt::format("/proc/self/task/{}/schedstat", thread));
    if (const auto ns = first_number(word(file.text(1), 1)))
      waits[thread] = static_cast<std::int64_t>(*ns);
  }
  return waits;
}

std::optional<double> others_between(const SharedCpus& before, const SharedCpus& after) noexcept {
  if (before.cpus != after.cpus || !before.spare_s || !after.spare_s) return std::nullopt;
  const double spare = *after.spare_s - *before.spare_s;
  if (spare < -kMayStepBack_s) return std::nullopt;  // a CPU was away in between
  const double all = static_cast<double>(after.cpus.size()) * (after.at_s - before.at_s);
  return all - std::max(0.0, spare) - (after.own_s - before.own_s);
}

CoreWait operator+(const CoreWait& a, const CoreWait& b) noexcept {
  return {a.all_s + b.all_s, a.most_s + b.most_s};
}

template <class T>
std::optional<T> sum_of_known(const std::optional<T>& a, const std::optional<T>& b) noexcept {
  return a && b ? std::optional<T>(*a + *b) : std::nullopt;
}

}  // namespace

std::optional<CoreWait> waited_between(const CoreWaits& before, const CoreWaits& after) noexcept {
  if (before.empty() || after.empty()) return std::nullopt;
  CoreWait wait;
  for (const auto& [thread, ns] : after) {
    const auto then = before.find(thread);
    const bool is_same = then != before.end() && then->second <= ns;
    const double waited_s = 1e-9 * static_cast<double>(is_same ? ns - then->second : ns);
    wait.all_s += waited_s;
    wait.most_s = std::max(wait.most_s, waited_s);
  }
  return wait;
}

std::optional<std::uint64_t> spare_ticks(std::string_view text,
                                         std::span<const int> cpus) noexcept {
  std::uint64_t sum = 0;
  std::size_t found = 0;
  while (text.starts_with("cpu")) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;  // cut short
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto cpu = cpu_of(line);
    if (!cpu || !std::ranges::binary_search(cpus, *cpu)) continue;
    const auto ticks = spare_ticks_in(line);
    if (!ticks) return std::nullopt;
    sum += *ticks;
    ++found;
  }
  if (cpus.empty() || found != cpus.size()) return std::nullopt;
  return sum;
}

SharedCpus read_shared_cpus() {
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  SharedCpus read;
  read.cpus = allowed_cpus();
  read.core_waits = read_core_waits();
  double closest = 0;
  for (int i = 0; i < kReadings; ++i) {
    const double begin = monotonic_s(), own = own_cpu_s();
    KernelFile stat("/proc/stat");
    const auto ticks = spare_ticks(stat.text(1), read.cpus);
    const double own_after = own_cpu_s(), took = monotonic_s() - begin;
    if (i > 0 && took >= closest) continue;
    closest = took;
    read.at_s = begin + took / 2;
    read.own_s = (own + own_after) / 2;
    read.spare_s = ticks ? std::optional(static_cast<double>(*ticks) * tick_s) : std::nullopt;
    if (closest < kCloseEnough_s) break;
  }
  return read;
}

SharedUse operator+(const SharedUse& a, const SharedUse& b) noexcept {
  return {a.span_s + b.span_s, sum_of_known(a.others_s, b.others_s),
          sum_of_known(a.core_wait, b.core_wait)};
}

SharedUse used_between(const SharedCpus& before, const SharedCpus& after) noexcept {
  return {after.at_s - before.at_s, others_between(before, after),
          waited_between(before.core_waits, after.core_waits)};
}

SharedUse scaled_to(const SharedUse& use, double window_s) noexcept {
  if (!(use.span_s > 0) || use.span_s < kLeastOfWindow * window_s)
    return {window_s, std::nullopt, std::nullopt};
  const double scale = window_s / use.span_s;
  SharedUse in{window_s, std::nullopt, std::nullopt};
  if (use.others_s) in.others_s = std::max(0.0, scale * *use.others_s);
  if (use.core_wait)
    in.core_wait = CoreWait{scale * use.core_wait->all_s, scale * use.core_wait->most_s};
  return in;
}

}  // namespace benchbench
