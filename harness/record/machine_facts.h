// What the kernel's files say of a machine. `root` stands before every path, so that tests can
// bring a machine of their own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace benchbench {

// Cores by quota of this process's cgroup and those above it (v1 and v2), 0 where there is none.
double cgroup_cpu_quota(const std::filesystem::path& root);
// The least memory limit of the same, 0 where there is none.
std::uint64_t cgroup_memory_limit(const std::filesystem::path& root);
std::uint64_t physical_memory(const std::filesystem::path& root);
std::uint32_t online_cpus();
// By affinity.
std::uint32_t usable_cpus();
// "Linux 6.1.0 x86_64".
std::string kernel_release();
std::string cpu_model(const std::filesystem::path& root);
// "none", "kvm", "vmware", ... or "unknown hypervisor".
std::string virtualization(const std::filesystem::path& root);
std::string frequency_governor(const std::filesystem::path& root);
std::string transparent_huge_pages(const std::filesystem::path& root);

}  // namespace benchbench
