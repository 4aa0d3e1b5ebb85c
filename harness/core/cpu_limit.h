// Runs this process, and what it starts, on a few of the CPUs that it may use.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace benchbench {

// Returns the numbers of the CPUs that the calling thread may run on, ascending; empty where the
// kernel does not say.
std::vector<int> allowed_cpus();

// Returns `cpus` in the order in which a limit takes them: one CPU of each core first, then the
// others of these cores. `root` is "/" but for tests; where it does not tell cores apart, the order
// stays.
std::vector<int> cores_first(std::vector<int> cpus, const std::filesystem::path& root);

// All threads of this process, and every thread and process that they start, run on `count` CPUs,
// the first that cores_first() names. The destructor gives each thread back what it had. Throws
// DeviceError where there are fewer, PartError where the kernel refuses.
class CpuLimit {
 public:
  explicit CpuLimit(std::uint32_t count);
  ~CpuLimit();
  CpuLimit(const CpuLimit&) = delete;
  CpuLimit& operator=(const CpuLimit&) = delete;

 private:
  std::vector<int> before_;                     // of the calling thread
  std::map<int, std::vector<int>> of_threads_;  // of every thread, by its number
};

}  // namespace benchbench
