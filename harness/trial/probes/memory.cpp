// Memory, and what it costs to get at it.
#include <sys/resource.h>
#include <unistd.h>

#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

MakeProbe faults(long rusage::* which) {
  return [which](ProbeContext&, std::string&) {
    return probe_of([which]() -> std::optional<std::int64_t> {
      rusage usage{};
      if (getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
      return usage.*which;
    });
  };
}

// The second word of statm, in pages. /proc/self/status says it too and costs ten times as much.
std::optional<std::int64_t> resident(std::string_view text) {
  return scaled(first_number(word(text, 1)), sysconf(_SC_PAGESIZE));
}

// v2 has "anon" and "shmem", v1 "total_rss" and "total_shmem" of the group and those below it.
std::optional<std::int64_t> used_by_group(std::string_view text) {
  const auto v1 = number_of(text, "total_rss ");
  const auto own = v1 ? v1 : number_of(text, "anon "),
             shared = number_of(text, v1 ? "total_shmem " : "shmem ");
  return own && shared ? scaled(*own + *shared) : std::nullopt;
}

std::optional<std::int64_t> used_on_host(std::string_view text) {
  const auto all = number_of(text, "MemTotal:"), free = number_of(text, "MemAvailable:");
  return all && free && *free <= *all ? scaled(*all - *free, 1024) : std::nullopt;
}
}  // namespace

std::vector<ProbeRow> memory_rows() {
  return {
      {"memory", "bytes", level, bytes, process, "resident memory of the process",
       number_in_file("proc/self/statm", resident)},
      {"group_memory", "bytes", level, bytes, machine,
       "memory of the cgroup, including its page cache",
       number_in_group(
           "memory.current", [](std::string_view text) { return scaled(first_number(text)); },
           "memory", "memory.usage_in_bytes")},
      {"group_memory_used", "bytes", level, bytes, machine,
       "memory of the cgroup without its page cache",
       number_in_group("memory.stat", used_by_group, "memory", "memory.stat")},
      {"host_memory", "bytes", level, bytes, machine,
       "memory of this machine that is not available to new programs",
       number_in_file("proc/meminfo", used_on_host)},
      {"faults_minor", "1/s", counter, count, process, "page faults that needed no disk",
       faults(&rusage::ru_minflt)},
      {"faults_major", "1/s", counter, count, process, "page faults that read from a disk",
       faults(&rusage::ru_majflt)},
  };
}

}  // namespace benchbench::probes
