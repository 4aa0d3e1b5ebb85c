// What the group's CPU quota took.
#include "harness/trial/probes/cgroup_files.h"
#include "harness/trial/probes/probe.h"

namespace benchbench::probes {

Made throttled(ProbeContext& context, std::string& why) {
  const auto paths = cgroup_files(context.root, "cpu.stat", "cpu", "cpu.stat");
  return probe_of_files(
      context, paths,
      [](std::string_view text) -> std::optional<std::int64_t> {
        if (const auto us = number_of(text, "throttled_usec "))
          return static_cast<std::int64_t>(*us) * 1000;  // v2
        // v1
        if (const auto ns = number_of(text, "throttled_time "))
          return static_cast<std::int64_t>(*ns);
        return std::nullopt;
      },
      why);
}

}  // namespace benchbench::probes
