#include "harness/trial/readings/shared_cpus.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <limits>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "harness/core/cpu_limit.h"
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
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

RunDelays read_run_delays() {
  RunDelays waits;
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

// Keeps what it reads where that took less than `closest`. Returns how long it took.
double read_once(SharedCpus& read, double closest) {
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double begin = monotonic_s(), own = own_cpu_s();
  KernelFile stat("/proc/stat");
  const auto ticks = spare_ticks(stat.text(1), read.cpus);
  const double own_after = own_cpu_s(), took = monotonic_s() - begin;
  if (took >= closest) return took;
  read.at_s = begin + took / 2;
  read.own_s = (own + own_after) / 2;
  read.spare_s = ticks ? std::optional(static_cast<double>(*ticks) * tick_s) : std::nullopt;
  return took;
}

using Known = std::optional<double>;
Known scaled(const Known& s, double scale) noexcept {
  return s ? Known(std::max(0.0, scale * *s)) : std::nullopt;
}

}  // namespace

std::optional<double> delayed_s(const RunDelays& before, const RunDelays& after,
                                std::optional<int> thread) noexcept {
  if (before.empty() || after.empty()) return std::nullopt;
  std::int64_t most = 0;
  for (const auto& [number, ns] : after) {
    if (thread && number != *thread) continue;
    const auto then = before.find(number);
    const bool is_same = then != before.end() && then->second <= ns;
    most = std::max(most, is_same ? ns - then->second : ns);
  }
  return 1e-9 * static_cast<double>(most);
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

double timeval_s(const timeval& t) noexcept {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

SharedCpus read_shared_cpus() {
  SharedCpus read;
  read.cpus = allowed_cpus();
  read.run_delays = read_run_delays();
  read.reader = ::gettid();
  double closest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kReadings && closest >= kCloseEnough_s; ++i)
    closest = std::min(closest, read_once(read, closest));
  return read;
}

SharedUse operator+(const SharedUse& a, const SharedUse& b) noexcept {
  return {a.span_s + b.span_s, both(a.others_s, b.others_s),
          both(a.run_delay_most_s, b.run_delay_most_s),
          both(a.run_delay_reader_s, b.run_delay_reader_s)};
}

SharedUse used_between(const SharedCpus& before, const SharedCpus& after) noexcept {
  SharedUse use{after.at_s - before.at_s, others_between(before, after),
                delayed_s(before.run_delays, after.run_delays), std::nullopt};
  if (before.reader == after.reader)
    use.run_delay_reader_s = delayed_s(before.run_delays, after.run_delays, after.reader);
  return use;
}

SharedUse scaled_to(const SharedUse& use, double window_s) noexcept {
  if (!(use.span_s > 0) || use.span_s < kLeastOfWindow * window_s) return {window_s, {}, {}, {}};
  const double scale = window_s / use.span_s;
  return {window_s, scaled(use.others_s, scale), scaled(use.run_delay_most_s, scale),
          scaled(use.run_delay_reader_s, scale)};
}

}  // namespace benchbench
