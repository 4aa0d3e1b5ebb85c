// Where a trial ran.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/memory/allocator.h"
#include "harness/core/units.h"
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
  std::string gpus;  // "2 x NVIDIA H100 80GB HBM3"; "" where there is none, or nobody asked
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

// What a difference between two runs is, in the order of suspicion.
enum class DifferenceKind : std::uint8_t { software, setting, environment, hardware };
template <>
inline constexpr auto kWordsOf<DifferenceKind> =
    std::to_array<std::string_view>({"software", "setting", "environment", "hardware"});

// The line of a report that a field stands in.
enum class EnvironmentLine : std::uint8_t { none, machine, software };

// What is known of a field besides its value.
struct EnvironmentField {
  std::string_view name;             // in the store
  std::string_view reported = name;  // in the JSON report; "": it is not there
  bool null_if_zero = false;         // 0 is "not known" there
  std::string_view title = name;     // in texts
  // What a difference between two runs is; nullopt: none. A history keeps software and environment
  // of each night, and formats for other programs name all that may differ.
  std::optional<DifferenceKind> differs = {};
  EnvironmentLine line = EnvironmentLine::none;
  std::string_view before = {};  // the value in that line
  // Its text for people; nullptr: as its type has it.
  std::string (*text)(const Environment&) = nullptr;
  // Its text in the line; nullptr: `before` and the text.
  std::string (*line_text)(const Environment&) = nullptr;
};

// How the fields are observed where machine_facts.h does not say it.
namespace observed {
std::uint64_t memory_bytes();
std::string virtualization();
std::string machine(const Environment& so_far);
std::string build();
// Throws StoreError if a file of the program cannot be read.
std::string build_digest();
std::vector<std::string> variables();
}  // namespace observed

// Cores that this process may use at once: the smaller of its affinity and of the quota that the
// files below `root` name ("/" but for tests). Some us; all of observe_environment() takes ms.
double cores_available(const std::filesystem::path& root);
// "2 of 4 CPUs".
std::string cpus_text(const Environment& environment);
std::string cpus_and_quota_text(const Environment& environment);
std::string calibrated_text(double ns);  // "" if it was not measured

// Visits each field in the store's order: visit(EnvironmentField, value) or, of what is observed,
// visit(EnvironmentField, value, observe), where `observe` takes nothing or what was observed so
// far. To add a field is to add its member and its line here.
template <Like<Environment> T, class Visit>
void visit_environment(T& e, Visit&& visit) {
  using Field = EnvironmentField;
  constexpr auto software = DifferenceKind::software, environment = DifferenceKind::environment,
                 hardware = DifferenceKind::hardware;
  constexpr auto in_machine = EnvironmentLine::machine, in_software = EnvironmentLine::software;
  visit(Field{.name = "cpu_model", .title = "processor", .differs = hardware, .line = in_machine},
        e.cpu_model, [] { return cpu_model("/"); });
  visit(Field{.name = "cpus_online",
              .title = "processors online",
              .differs = hardware,
              .line = in_machine,
              .line_text = cpus_and_quota_text},
        e.cpus_online, [] { return online_cpus(); });
  visit(Field{.name = "cpus_usable"}, e.cpus_usable, [] { return usable_cpus(); });
  visit(Field{.name = "cpu_quota", .reported = "cpu_quota_cores"}, e.cpu_quota,
        [] { return cgroup_cpu_quota("/"); });
  visit(Field{.name = "cores_available", .title = "cores available", .differs = environment},
        e.cores_available, [] { return cores_available("/"); });
  visit(Field{.name = "memory_bytes",
              .title = "memory limit",
              .differs = environment,
              .line = in_machine,
              .text =
                  [](const Environment& of) {
                    return human_bytes(static_cast<double>(of.memory_bytes));
                  }},
        e.memory_bytes, [] { return observed::memory_bytes(); });
  visit(Field{.name = "host_memory_bytes", .null_if_zero = true}, e.host_memory_bytes,
        [] { return physical_memory("/"); });
  visit(Field{.name = "gpus", .differs = environment, .line = in_machine}, e.gpus);
  visit(Field{.name = "gpu_uuids", .reported = ""}, e.gpu_uuids);
  visit(Field{.name = "gpu_of_ceilings", .reported = ""}, e.gpu_of_ceilings);
  visit(Field{.name = "virtualization", .differs = hardware, .line = in_machine}, e.virtualization,
        [] { return observed::virtualization(); });
  visit(Field{.name = "machine", .differs = hardware}, e.machine,
        [](const Environment& so_far) { return observed::machine(so_far); });
  visit(Field{.name = "build", .differs = software, .line = in_software}, e.build,
        [] { return observed::build(); });
  visit(Field{.name = "build_digest", .title = "program", .differs = software}, e.build_digest,
        [] { return observed::build_digest(); });
  visit(Field{.name = "allocator", .line = in_software}, e.allocator,
        [] { return allocator_text(); });
  visit(Field{.name = "libtorch", .differs = software, .line = in_software, .before = "libtorch"},
        e.libtorch);
  visit(Field{.name = "cuda", .differs = software, .line = in_software, .before = "CUDA"}, e.cuda);
  visit(Field{.name = "kernel", .differs = software, .line = in_machine}, e.kernel,
        [] { return kernel_release(); });
  visit(Field{.name = "governor", .differs = environment, .line = in_machine, .before = "governor"},
        e.governor, [] { return frequency_governor("/"); });
  visit(Field{.name = "huge_pages",
              .title = "huge pages",
              .differs = environment,
              .line = in_machine,
              .before = "huge pages"},
        e.huge_pages, [] { return transparent_huge_pages("/"); });
  visit(Field{.name = "clock_read_ns",
              .line = in_software,
              .before = "clock read",
              .text = [](const Environment& of) { return calibrated_text(of.clock_read_ns); }},
        e.clock_read_ns);
  visit(Field{.name = "clock_resolution_ns"}, e.clock_resolution_ns);
  visit(Field{.name = "stage_scope_ns",
              .line = in_software,
              .before = "stage scope",
              .text = [](const Environment& of) { return calibrated_text(of.stage_scope_ns); }},
        e.stage_scope_ns);
  visit(Field{.name = "queue_hop_ns",
              .line = in_software,
              .before = "queue hop",
              .text = [](const Environment& of) { return calibrated_text(of.queue_hop_ns); }},
        e.queue_hop_ns);
  visit(Field{.name = "page_fault_ns"}, e.page_fault_ns);
  visit(Field{.name = "timer_lateness_ns"}, e.timer_lateness_ns);
  visit(Field{.name = "timer_lateness_p99_ns", .reported = ""}, e.timer_lateness_p99_ns);
  visit(Field{.name = "variables", .differs = environment, .line = in_software, .before = "set:"},
        e.variables, [] { return observed::variables(); });
  visit(Field{.name = "ceilings", .reported = ""}, e.ceilings);
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
