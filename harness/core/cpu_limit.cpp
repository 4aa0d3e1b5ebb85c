#include "harness/core/cpu_limit.h"

#include <errno.h>
#include <fmt/format.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "harness/core/error.h"

namespace benchbench {
namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

// A set with room for `room` CPUs.
class CpuSet {
 public:
  explicit CpuSet(std::size_t room)
      : room_(room), bytes_(CPU_ALLOC_SIZE(room)), set_(CPU_ALLOC(room)) {
    CPU_ZERO_S(bytes_, set_.get());
  }
  // Returns false where the kernel refuses.
  bool read(int thread) { return sched_getaffinity(thread, bytes_, set_.get()) == 0; }
  bool give(int thread) const { return sched_setaffinity(thread, bytes_, set_.get()) == 0; }
  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, set_.get()); }
  std::vector<int> cpus() const {
    std::vector<int> all;
    for (std::size_t cpu = 0; cpu < room_; ++cpu)
      if (CPU_ISSET_S(cpu, bytes_, set_.get())) all.push_back(static_cast<int>(cpu));
    return all;
  }

 private:
  std::size_t room_, bytes_;
  std::unique_ptr<cpu_set_t, FreeSet> set_;
};

// The kernel refuses a set smaller than its own.
constexpr std::size_t kSmallest = 1024, kLargest = 1024 * 1024;

std::vector<int> read_cpus(int thread) {
  for (std::size_t room = kSmallest; room <= kLargest; room *= 4)
    if (CpuSet set(room); set.read(thread)) return set.cpus();
  return {};
}

// Returns false where the kernel refuses.
bool put_on(int thread, const std::vector<int>& cpus) {
  if (cpus.empty()) return true;
  const auto last = static_cast<std::size_t>(*std::ranges::max_element(cpus));
  CpuSet set(std::max(kSmallest, last + 1));
  for (const int cpu : cpus) set.add(cpu);
  return set.give(thread);
}

std::vector<int> threads_here() {
  std::vector<int> threads;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error))
    threads.push_back(std::atoi(entry.path().filename().c_str()));
  return threads;
}

// Returns "0,4" of a CPU whose core is also CPU 4; "" where the kernel does not say.
std::string read_siblings(int cpu, const std::filesystem::path& root) {
  std::ifstream file(
      root / fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::vector<int> allowed_cpus() { return read_cpus(0); }

std::vector<int> cores_first(std::vector<int> cpus, const std::filesystem::path& root) {
  std::set<std::string> seen;
  std::ranges::stable_partition(cpus, [&](int cpu) {
    const std::string core = read_siblings(cpu, root);
    return core.empty() || seen.insert(core).second;
  });
  return cpus;
}

CpuLimit::CpuLimit(std::uint32_t count) : before_(allowed_cpus()) {
  std::vector<int> cpus = cores_first(before_, "/");
  if (count > cpus.size())
    throw DeviceError(
        fmt::format("needs {} CPUs, but this process may use {}", count, cpus.size()));
  cpus.resize(count);
  // The calling thread first: what it starts from here on is held too.
  if (!put_on(0, cpus))
    throw PartError(
        fmt::format("this process cannot be held on {} CPUs: {}", count, strerrordesc_np(errno)));
  // One that ended meanwhile needs nothing.
  for (const int thread : threads_here()) {
    of_threads_.emplace(thread, thread == ::gettid() ? before_ : read_cpus(thread));
    put_on(thread, cpus);
  }
}

CpuLimit::~CpuLimit() {
  for (const int thread : threads_here()) {
    const auto known = of_threads_.find(thread);
    put_on(thread, known == of_threads_.end() ? before_ : known->second);
  }
}

}  // namespace benchbench
