// Where a trial ran.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace benchbench {

struct Environment {
  std::string machine;  // digest of the lines below that do not change between boots
  std::string cpu_model;
  std::uint32_t cpus_online = 0;
  std::uint32_t cpus_usable = 0;        // by affinity
  double cpu_quota = 0;                 // cores by cgroup quota, 0 = none
  double cores_available = 0;           // the smaller of both
  std::uint64_t memory_bytes = 0;       // usable: the cgroup's limit where there is one
  std::uint64_t host_memory_bytes = 0;  // of the machine; 0: not in the record
  std::string kernel;
  std::string virtualization;  // "kvm", "none"
  std::string governor;        // "performance", "not available"
  std::string huge_pages;      // "madvise"
  std::string allocator;       // "glibc 2.36, blocks up to 1 GiB kept when freed"
  std::string build;           // version, compiler, build type
  std::string build_digest;    // of the program's bytes
  // "2.11.0+cu130 with CUDA, of the active python"; "" where the scenario needs none.
  std::string libtorch;
  std::string cuda;  // driver and its version of CUDA, or why there is none; "" where nobody asked
  std::string gpus;  // "2 x NVIDIA H100 80GB HBM3"; "" where there is none, or nobody asked
  std::vector<std::string> gpu_uuids;  // by the ordinal N of cuda:N
  // The UUID of the one that the ceilings of links and GPUs were measured on.
  std::string gpu_of_ceilings;
  // Environment variables of known_variables.h that are set: "OMP_NUM_THREADS=2".
  std::vector<std::string> variables;
  // Calibration of this process, ns.
  double clock_read_ns = 0;
  double clock_resolution_ns = 0;
  double stage_scope_ns = 0;
  double queue_hop_ns = 0;
  double page_fault_ns = 0;      // one small page touched for the first time; 0: not measured
  double timer_lateness_ns = 0;  // of one 1 ms hybrid wait, median
  // Empty: not measured, five waits have no 99th percentile.
  std::optional<double> timer_lateness_p99_ns;
  // What `doctor --write` measured on this machine, by name ("memory_copy", "disk_read_cold"), in
  // base units.
  std::vector<std::pair<std::string, double>> ceilings;
};

// Cores that this process may use at once: the smaller of its affinity and of the quota that the
// files below `root` tell ("/" but for tests). Some us; all of observe_environment() takes ms.
double cores_available(const std::filesystem::path& root);

Environment observe_environment();  // without libtorch, cuda and calibration

}  // namespace benchbench
