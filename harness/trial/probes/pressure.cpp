// Pressure stall information: the share of time in which some task could not go on for want of
// something; and what the group's CPU quota took.
#include "harness/trial/probes/cgroup_files.h"
#include "harness/trial/probes/probe.h"

namespace benchbench::probes {
namespace {

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" in us, then "full ..." (nobody could go on).
std::optional<std::int64_t> stalled(std::string_view text) {
  const std::string_view last = word(text, 4), total = "total=";
  if (!text.starts_with("some ") || !last.starts_with(total)) return std::nullopt;
  return scaled(first_number(last.substr(total.size())), 1000);
}

std::optional<std::int64_t> throttled(std::string_view text) {
  const auto v2 = scaled(number_of(text, "throttled_usec "), 1000);
  return v2 ? v2 : scaled(number_of(text, "throttled_time "));
}

}  // namespace

std::vector<ProbeRow> pressure_rows() {
  std::vector<ProbeRow> rows{
      {"throttled", "share", counter, ns, machine, "time the cgroup was throttled by its CPU quota",
       [](ProbeContext& context, std::string& why) {
         return probe_of_files(context, cgroup_files(context.root, "cpu.stat", "cpu", "cpu.stat"),
                               throttled, why);
       }}};
  const auto add = [&rows](std::string_view name, std::string_view watches, MakeProbe make) {
    rows.push_back({name, "share", counter, ns, machine, watches, std::move(make)});
  };
  add("pressure_cpu", "time in which some task on this machine was stalled on CPU",
      number_in_file("proc/pressure/cpu", stalled));
  add("pressure_io", "time in which some task on this machine was stalled on I/O",
      number_in_file("proc/pressure/io", stalled));
  add("pressure_memory", "time in which some task on this machine was stalled on memory",
      number_in_file("proc/pressure/memory", stalled));
  add("group_pressure_cpu", "the same for our cgroup: stalled on CPU",
      number_in_group("cpu.pressure", stalled));
  add("group_pressure_io", "the same for our cgroup: stalled on I/O",
      number_in_group("io.pressure", stalled));
  add("group_pressure_memory", "the same for our cgroup: stalled on memory",
      number_in_group("memory.pressure", stalled));
  return rows;
}

}  // namespace benchbench::probes
