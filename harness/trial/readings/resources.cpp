#include "harness/trial/readings/resources.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>

#include "harness/core/descriptor.h"
#include "harness/trial/probes/kernel_file.h"

namespace benchbench {
namespace {

std::string read_small(const std::string& path) { return std::string(KernelFile(path).text(1)); }

// Our own group's quota counts, not the whole machine's.
std::string cgroup_cpu_stat() {
  const std::string groups = read_small("/proc/self/cgroup");
  const std::size_t unified = groups.find("0::");
  if (unified != std::string::npos) {
    const std::string group = groups.substr(unified + 3, groups.find('\n', unified) - unified - 3);
    const std::string text = read_small("/sys/fs/cgroup" + group + "/cpu.stat");
    if (!text.empty()) return text;
  }
  for (const char* path : {"/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat"})
    if (std::string text = read_small(path); !text.empty()) return text;
  return {};
}

std::optional<double> throttled() {
  const std::string text = cgroup_cpu_stat();
  if (const auto us = number_of(text, "throttled_usec ")) return static_cast<double>(*us) * 1e-6;
  const auto ns = number_of(text, "throttled_time ");
  return ns ? std::optional(static_cast<double>(*ns) * 1e-9) : std::nullopt;
}

// The line "cpu user nice system idle iowait irq softirq steal ...", in ticks.
void read_steal(ResourceCounters& counters) {
  const std::string text = read_small("/proc/stat");
  if (!text.starts_with("cpu ")) return;
  double total = 0, steal = 0;
  for (unsigned field = 1; field <= 8; ++field) {
    const auto ticks = first_number(word(text, field));
    if (!ticks) return;
    total += steal = static_cast<double>(*ticks);
  }
  const double per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  counters.steal_s = steal / per_second;
  counters.machine_s = total / per_second;
}

template <class Combine>
void combine(ResourceAmounts& a, const ResourceAmounts& b, Combine with) noexcept {
  a.cpu_user_s = with(a.cpu_user_s, b.cpu_user_s);
  a.cpu_system_s = with(a.cpu_system_s, b.cpu_system_s);
  a.page_faults = with(a.page_faults, b.page_faults);
  a.device_bytes = both(a.device_bytes, b.device_bytes, with);
  using A = ResourceAmounts;
  for (const auto member : {&A::throttled_s, &A::steal_s, &A::machine_s})
    a.*member = both(a.*member, b.*member, with);
}

}  // namespace

void read_cpu_times(ResourceCounters& counters) noexcept {
  counters.cpu_user_s = counters.cpu_system_s = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (getrusage(who, &usage) != 0) continue;
    counters.cpu_user_s += timeval_s(usage.ru_utime);
    counters.cpu_system_s += timeval_s(usage.ru_stime);
    if (who == RUSAGE_SELF) counters.page_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  }
}

ResourceCounters read_resources() noexcept try {
  ResourceCounters counters;
  read_cpu_times(counters);
  counters.device_bytes = number_of(read_small("/proc/self/io"), "read_bytes");
  counters.throttled_s = throttled();
  read_steal(counters);
  counters.shared = read_shared_cpus();
  return counters;
} catch (...) {
  return {};
}

ResourceUse used_between(const ResourceCounters& before, const ResourceCounters& after) noexcept {
  ResourceUse use{after, {}};
  combine(use, before, std::minus<>());
  if (before.shared && after.shared) use.shared = used_between(*before.shared, *after.shared);
  return use;
}

std::optional<double> ResourceUse::steal_share() const noexcept {
  if (!steal_s || !machine_s || !(*machine_s > 0)) return std::nullopt;
  return *steal_s / *machine_s;
}

ResourceUse operator+(const ResourceUse& a, const ResourceUse& b) noexcept {
  ResourceUse sum = a;
  combine(sum, b, std::plus<>());
  sum.shared = both(a.shared, b.shared);
  return sum;
}

void reset_peak_memory() noexcept {
  const Descriptor file(open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  [[maybe_unused]] const ssize_t n = write(file.get(), "5", 1);
}

std::optional<std::uint64_t> peak_memory() noexcept try {
  const auto kib = number_of(read_small("/proc/self/status"), "VmHWM:");
  return kib ? std::optional(*kib * 1024) : std::nullopt;
} catch (...) {
  return std::nullopt;
}

}  // namespace benchbench
