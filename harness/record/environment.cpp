#include "harness/record/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "harness/core/cpus/cpu_limit.h"
#include "harness/core/descriptor.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/memory/allocator.h"
#include "harness/record/machine_facts.h"
#include "harness/record/variables/known_variables.h"

extern char** environ;

namespace benchbench {
namespace {

std::uint32_t online_cpus() {
  return static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

// hardware_concurrency() ignores affinity and quota, so both are asked for.
std::uint32_t usable_cpus(std::uint32_t online) {
  const auto count = static_cast<std::uint32_t>(allowed_cpus().size());
  return count > 0 ? count : online;
}

// Adds a file's bytes. A digest without one of its files would be that of another build.
void add_file(Digester& digester, const std::string& path) {
  const auto failed = [&path] {
    throw StoreError(fmt::format("{}: cannot be read, to tell this build from others: {}", path,
                                 strerrordesc_np(errno)));
  };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!file || fstat(file.get(), &about) != 0) failed();
  if (about.st_size <= 0) return;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
  if (bytes == MAP_FAILED) failed();
  digester.add(std::span(static_cast<const std::byte*>(bytes), size));
  munmap(bytes, size);
}

// The modules beside the program, in the order of their names: trainers live there.
std::vector<std::string> module_files() {
  std::vector<std::string> files;
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libbenchbench_") && name.ends_with(".so"))
      files.push_back(entry.path().string());
  }
  if (error)
    throw StoreError(fmt::format("{}: cannot be listed, to tell this build from others: {}",
                                 folder.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

// Of the bytes of the program and its modules: two builds of one version are told apart.
std::string program_digest() {
  Digester digester;
  add_file(digester, "/proc/self/exe");
  for (const std::string& file : module_files()) add_file(digester, file);
  return digester.finish().text();
}

// What the processor itself says of the hypervisor below it, where the firmware keeps silent (micro
// virtual machines have no DMI tables).
std::string hypervisor_signature() {
#if defined(__x86_64__)
  unsigned a = 0, words[3] = {};
  __cpuid(0x40000000, a, words[0], words[1], words[2]);
  const std::string_view signature(reinterpret_cast<const char*>(words), sizeof words);
  if (signature.starts_with("KVMKVMKVM")) return "kvm";
  if (signature == "Microsoft Hv") return "hyperv";
  if (signature == "VMwareVMware") return "vmware";
  if (signature == "XenVMMXenVMM") return "xen";
#endif
  return "unknown hypervisor";
}

std::vector<std::string> variables_set() {
  std::vector<std::string> found;
  for (char** variable = environ; variable && *variable; ++variable) {
    if (is_recorded(*variable)) found.emplace_back(*variable);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine)
                           : "not available";
}

// The hardware only: a new kernel, quota or build is another environment on the same machine.
// Memory counts in GiB, since kernels keep more or less of it for themselves.
std::string machine_digest(const Environment& e, std::uint64_t physical_bytes) {
  const std::uint64_t gib = (physical_bytes + (1ull << 29)) >> 30;
  return digest_of(
             fmt::format("{}\n{}\n{}\n{}\n", e.cpu_model, e.cpus_online, gib, e.virtualization))
      .text();
}

}  // namespace

double cores_available(const std::filesystem::path& root) {
  const double quota = cgroup_cpu_quota(root);
  const double usable = usable_cpus(online_cpus());
  return quota > 0 ? std::min(quota, usable) : usable;
}

Environment observe_environment() {
  Environment e;
  e.cpu_model = cpu_model("/");
  e.cpus_online = online_cpus();
  e.cpus_usable = usable_cpus(e.cpus_online);
  e.cpu_quota = cgroup_cpu_quota("/");
  e.cores_available = cores_available("/");
  const std::uint64_t physical = physical_memory("/"), limit = cgroup_memory_limit("/");
  e.host_memory_bytes = physical;
  e.memory_bytes = limit ? std::min(limit, physical) : physical;
  e.kernel = kernel_release();
  e.virtualization = virtualization("/");
  if (e.virtualization == "unknown hypervisor") e.virtualization = hypervisor_signature();
  e.governor = frequency_governor("/");
  e.huge_pages = transparent_huge_pages("/");
  e.allocator = allocator_text();
  e.build = fmt::format("benchbench {}, {}, {}", BENCHBENCH_VERSION, BENCHBENCH_COMPILER,
                        BENCHBENCH_BUILD_TYPE);
  e.build_digest = program_digest();
  e.variables = variables_set();
  e.machine = machine_digest(e, physical);
  return e;
}

}  // namespace benchbench
