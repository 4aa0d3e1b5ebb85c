// Pressure stall information: the share of time in which some task could not go on for want of
// something.
#include "harness/trial/probes/cgroup_files.h"
#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" in us, then "full ..." (nobody could go on).
std::optional<std::int64_t> stalled(std::string_view text) {
  if (!text.starts_with("some ")) return std::nullopt;
  const std::string_view last = word(text, 4);
  if (!last.starts_with("total=")) return std::nullopt;
  const auto us = first_number(last.substr(6));
  return us ? std::optional(static_cast<std::int64_t>(*us) * 1000) : std::nullopt;
}

Made machine(ProbeContext& context, const char* what, std::string& why) {
  return probe_of_file(context, context.path(std::string("proc/pressure/") + what), stalled, why);
}

Made group(ProbeContext& context, const char* file, std::string& why) {
  const auto paths = cgroup_files(context.root, file);
  if (!paths.empty() && in_root_group(paths.front())) {
    why = kRootGroup;
    return nullptr;
  }
  return probe_of_files(context, paths, stalled, why);
}

}  // namespace

Made pressure_cpu(ProbeContext& context, std::string& why) { return machine(context, "cpu", why); }
Made pressure_io(ProbeContext& context, std::string& why) { return machine(context, "io", why); }
Made pressure_memory(ProbeContext& context, std::string& why) {
  return machine(context, "memory", why);
}
Made group_pressure_cpu(ProbeContext& context, std::string& why) {
  return group(context, "cpu.pressure", why);
}
Made group_pressure_io(ProbeContext& context, std::string& why) {
  return group(context, "io.pressure", why);
}
Made group_pressure_memory(ProbeContext& context, std::string& why) {
  return group(context, "memory.pressure", why);
}

}  // namespace benchbench::probes
