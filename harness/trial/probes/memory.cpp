// Memory, and what it costs to get at it.
#include <sys/resource.h>
#include <unistd.h>

#include "harness/trial/probes/cgroup_files.h"
#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

template <long rusage::* Count>
class Faults final : public Probe {
 public:
  std::optional<std::int64_t> sample() override {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
    return usage.*Count;
  }
};

// Returns null, with why, for the group that is the whole machine: other programs' memory is in it.
Made probe_of_group(ProbeContext& context, const std::vector<std::string>& paths,
                    const TakeNumber& take, std::string& why) {
  if (paths.empty() || !in_root_group(paths.front()))
    return probe_of_files(context, paths, take, why);
  why = kRootGroup;
  return nullptr;
}

}  // namespace

// The second word of statm, in pages. /proc/self/status says it too and costs ten times as much.
Made memory(ProbeContext& context, std::string& why) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return probe_of_file(
      context, context.path("proc/self/statm"),
      [page](std::string_view text) -> std::optional<std::int64_t> {
        const auto pages = first_number(word(text, 1));
        return pages ? std::optional(static_cast<std::int64_t>(*pages) * page) : std::nullopt;
      },
      why);
}

Made group_memory(ProbeContext& context, std::string& why) {
  const auto paths =
      cgroup_files(context.root, "memory.current", "memory", "memory.usage_in_bytes");
  return probe_of_group(
      context, paths,
      [](std::string_view text) -> std::optional<std::int64_t> {
        const auto bytes = first_number(text);
        return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
      },
      why);
}

// v2 has "anon" and "shmem", v1 "total_rss" and "total_shmem" of the group and those below it.
Made group_memory_used(ProbeContext& context, std::string& why) {
  const auto paths = cgroup_files(context.root, "memory.stat", "memory", "memory.stat");
  return probe_of_group(
      context, paths,
      [](std::string_view text) -> std::optional<std::int64_t> {
        const bool v1 = number_of(text, "total_rss ").has_value();
        const auto own = number_of(text, v1 ? "total_rss " : "anon "),
                   shared = number_of(text, v1 ? "total_shmem " : "shmem ");
        return own && shared ? std::optional(static_cast<std::int64_t>(*own + *shared))
                             : std::nullopt;
      },
      why);
}

Made host_memory(ProbeContext& context, std::string& why) {
  return probe_of_file(
      context, context.path("proc/meminfo"),
      [](std::string_view text) -> std::optional<std::int64_t> {
        const auto all = number_of(text, "MemTotal:"), free = number_of(text, "MemAvailable:");
        return all && free && *free <= *all
                   ? std::optional(static_cast<std::int64_t>(*all - *free) * 1024)
                   : std::nullopt;
      },
      why);
}

Made faults_minor(ProbeContext&, std::string&) {
  return std::make_unique<Faults<&rusage::ru_minflt>>();
}
Made faults_major(ProbeContext&, std::string&) {
  return std::make_unique<Faults<&rusage::ru_majflt>>();
}

}  // namespace benchbench::probes
