// Where a trial ran.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/allocator.h"
#include "harness/core/words.h"
#include "harness/record/like.h"
#include "harness/record/machine_facts.h"

namespace benchbench {

struct Environment {
  std::string machine;  // digest of the lines below that do not change between boots
  std::string cpu_model;
  std::uint32_t cpus_online = 0;
  std::uint32_t cpus_usable = 0;        // by affinity
  double cpu_quota = 0;                 // cores by cgroup quota, 0 = none
  double cores_available = 0;           // the smaller of both
  std::uint64_t memory_bytes = 0;       // usable: the cgroup's limit where there is one
  std::uint64_t host_memory_bytes = 0;  // of the machine; 0: not known
  std::string gpus;  // "2 x NVIDIA H100 80GB HBM3"; "" where there is none, or none was asked for
  std::vector<std::string> gpu_uuids;  // by the ordinal N of cuda:N
  // The UUID of the one that the ceilings of links and GPUs were measured on.
  std::string gpu_of_ceilings;
  std::string virtualization;  // "kvm", "none"
  std::string build;           // version, compiler, build type
  std::string build_digest;    // of the program's bytes
  std::string allocator;       // "glibc 2.36, blocks up to 1 GiB kept when freed"
  // "2.11.0+cu130 with CUDA, of the active python"; "" where the scenario needs none.
  std::string libtorch;
  std::string cuda;  // driver and its version of CUDA, or why there is none; "" where nobody asked
  std::string kernel;
  std::string governor;    // "performance", "not available"
  std::string huge_pages;  // "madvise"
  // Calibration of this process, ns.
  double clock_read_ns = 0;
  double clock_resolution_ns = 0;
  double stage_scope_ns = 0;
  double queue_hop_ns = 0;
  double page_fault_ns = 0;      // one small page touched for the first time; 0: not measured
  double timer_lateness_ns = 0;  // of one 1 ms hybrid wait, median
  // Empty: not measured, five waits have no 99th percentile.
  std::optional<double> timer_lateness_p99_ns;
  // Environment variables of known_variables.h that are set: "OMP_NUM_THREADS=2".
  std::vector<std::string> variables;
  // What `doctor --write` measured on this machine, by name ("memory_copy", "disk_read_cold"), in
  // base units.
  std::vector<std::pair<std::string, double>> ceilings;
};

// The kinds of difference between two runs, in the order of suspicion.
enum class DifferenceKind : std::uint8_t { software, setting, environment, hardware };
template <>
inline constexpr auto kWordsOf<DifferenceKind> =
    std::to_array<std::string_view>({"software", "setting", "environment", "hardware"});

// The line of a report that a field stands in.
enum class EnvironmentLine : std::uint8_t { none, machine, software };

// Describes a field: all that is known of it besides its value.
struct EnvironmentField {
  std::string_view name;  // in the store, its unit behind it
  // The kind of a difference between two runs; nullopt: none. A history keeps software and
  // environment of each night, and formats for other programs name all that may differ.
  std::optional<DifferenceKind> differs = {};
  EnvironmentLine line = EnvironmentLine::none;
  std::string_view before = {};      // the value in that line
  std::string_view reported = name;  // in the JSON report; "": it is not there
  // Its text in that line; nullptr: `before` and the value.
  std::string (*line_text)(const Environment&) = nullptr;

  std::string title() const;  // in texts: "huge pages"
};

// Observes the fields that are not in machine_facts.h.
namespace this_machine {
std::uint64_t memory_bytes();
std::string virtualization();
std::string machine(const Environment& so_far);
std::string build();
// Throws StoreError if a file of the program cannot be read.
std::string build_digest();
std::vector<std::string> variables();
}  // namespace this_machine

// Cores that this process may use at once: the smaller of its affinity and of the quota that the
// files below `root` name ("/" but for tests). Some us; all of observe_environment() takes ms.
double cores_available(const std::filesystem::path& root);
// "2 of 4 CPUs".
std::string cpus_text(const Environment& environment);
std::string cpus_and_quota_text(const Environment& environment);

// Visits each field in the store's order: visit(EnvironmentField, value) or, of what is observed,
// visit(EnvironmentField, value, observe), where `observe` takes nothing, the root of the kernel's
// files, or what was observed so far. To add a field is to add its member and its line here.
void visit_environment(Like<Environment> auto& e, auto&& visit) {
  using Field = EnvironmentField;
  constexpr auto software = DifferenceKind::software, environment = DifferenceKind::environment,
                 hardware = DifferenceKind::hardware;
  constexpr auto none = EnvironmentLine::none, line_1 = EnvironmentLine::machine,
                 line_2 = EnvironmentLine::software;
  visit(Field{"cpu_model", hardware, line_1}, e.cpu_model, cpu_model);
  visit(Field{"cpus_online", hardware, line_1, "", "cpus_online", cpus_and_quota_text},
        e.cpus_online, online_cpus);
  visit(Field{"cpus_usable"}, e.cpus_usable, usable_cpus);
  visit(Field{"cpu_quota", {}, none, "", "cpu_quota_cores"}, e.cpu_quota, cgroup_cpu_quota);
  visit(Field{"cores_available", environment}, e.cores_available, cores_available);
  visit(Field{"memory_bytes", environment, line_1}, e.memory_bytes, this_machine::memory_bytes);
  visit(Field{"host_memory_bytes"}, e.host_memory_bytes, physical_memory);
  visit(Field{"gpus", environment, line_1}, e.gpus);
  visit(Field{"gpu_uuids", {}, none, "", ""}, e.gpu_uuids);
  visit(Field{"gpu_of_ceilings", {}, none, "", ""}, e.gpu_of_ceilings);
  visit(Field{"virtualization", hardware, line_1}, e.virtualization, this_machine::virtualization);
  visit(Field{"machine", hardware}, e.machine, this_machine::machine);
  visit(Field{"build", software, line_2}, e.build, this_machine::build);
  visit(Field{"build_digest", software}, e.build_digest, this_machine::build_digest);
  visit(Field{"allocator", {}, line_2}, e.allocator, allocator_text);
  visit(Field{"libtorch", software, line_2, "libtorch"}, e.libtorch);
  visit(Field{"cuda", software, line_2, "CUDA"}, e.cuda);
  visit(Field{"kernel", software, line_1}, e.kernel, kernel_release);
  visit(Field{"governor", environment, line_1, "governor"}, e.governor, frequency_governor);
  visit(Field{"huge_pages", environment, line_1, "huge pages"}, e.huge_pages,
        transparent_huge_pages);
  visit(Field{"clock_read_ns", {}, line_2, "clock read"}, e.clock_read_ns);
  visit(Field{"clock_resolution_ns"}, e.clock_resolution_ns);
  visit(Field{"stage_scope_ns", {}, line_2, "stage scope"}, e.stage_scope_ns);
  visit(Field{"queue_hop_ns", {}, line_2, "queue hop"}, e.queue_hop_ns);
  visit(Field{"page_fault_ns"}, e.page_fault_ns);
  visit(Field{"timer_lateness_ns"}, e.timer_lateness_ns);
  visit(Field{"timer_lateness_p99_ns", {}, none, "", ""}, e.timer_lateness_p99_ns);
  visit(Field{"variables", environment, line_2, "set:"}, e.variables, this_machine::variables);
  visit(Field{"ceilings", {}, none, "", ""}, e.ceilings);
}

// A field's value as text.
struct EnvironmentValue {
  EnvironmentField field;
  std::string text;   // "31.1 GiB"; "" if it is not known, or has none
  std::string plain;  // for programs: "33394515968"
};
std::vector<EnvironmentValue> environment_values(const Environment& environment);

// Returns name and value of what may differ between runs, for formats whose reader compares them by
// it; what is not known is left out.
std::vector<std::pair<std::string, std::string>> environment_labels(const Environment& environment);

// "AMD EPYC 7B13, 8 CPUs, 31.1 GiB, kvm, Linux 6.1, governor performance".
std::string environment_line(const Environment& environment, EnvironmentLine line);

Environment observe_environment();  // without libtorch, cuda and calibration

}  // namespace benchbench
