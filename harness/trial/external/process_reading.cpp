#include "harness/trial/external/process_reading.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "harness/core/descriptor.h"
#include "harness/core/process_tree.h"
#include "harness/trial/probes/kernel_file.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kKib = 1024;

// The file's text, which ends where the room does.
class SmallFile {
 public:
  explicit SmallFile(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t n = file ? ::read(file.get(), text_.data(), text_.size()) : 0;
    length_ = n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  std::string_view text() const noexcept { return {text_.data(), length_}; }

 private:
  std::array<char, 4096> text_;
  std::size_t length_ = 0;
};

SmallFile file_of(int pid, std::string_view name) {
  return SmallFile(fmt::format("/proc/{}/{}", pid, name));
}

// To the nanosecond, where /proc/PID/stat has ticks of 10 ms.
std::optional<std::int64_t> cpu_time_of(int pid) {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void read_main_thread(int pid, ProcessCounters& c) {
  const SmallFile file = file_of(pid, fmt::format("task/{}/schedstat", pid));
  const auto number = [&](unsigned nth) -> std::optional<std::int64_t> {
    const auto ns = first_number(word(file.text(), nth));
    return ns ? std::optional(static_cast<std::int64_t>(*ns)) : std::nullopt;
  };
  c.ran_ns = number(0);
  c.core_wait_ns = number(1);
}

bool runs(int pid, const char* thread) {
  const SmallFile file = file_of(pid, fmt::format("task/{}/stat", thread));
  const std::size_t end = file.text().rfind(')');
  return end != std::string_view::npos && file.text().substr(end).starts_with(") R");
}

}  // namespace

std::int64_t ns_of_ticks(std::uint64_t ticks) noexcept {
  static const long per_second = ::sysconf(_SC_CLK_TCK);
  return static_cast<std::int64_t>(ticks) * (1'000'000'000 / per_second);
}

std::optional<ProcessCounters> read_counters(int pid) {
  const auto seen = see_process(pid);
  if (!seen || seen->state == 'Z' || seen->state == 'X') return std::nullopt;
  ProcessCounters c;
  c.user_ticks = seen->user_ticks;
  c.system_ticks = seen->system_ticks;
  c.waited_user_ticks = seen->waited_user_ticks;
  c.waited_system_ticks = seen->waited_system_ticks;
  c.cpu_ns = cpu_time_of(pid).value_or(ns_of_ticks(c.user_ticks + c.system_ticks));
  read_main_thread(pid, c);
  c.device_bytes = number_of(file_of(pid, "io").text(), "read_bytes");
  return c;
}

std::uint32_t runnable_threads(int pid) {
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(
      ::opendir(fmt::format("/proc/{}/task", pid).c_str()), ::closedir);
  std::uint32_t count = 0;
  while (const dirent* entry = threads ? ::readdir(threads.get()) : nullptr)
    if (entry->d_name[0] != '.') count += runs(pid, entry->d_name);
  return count;
}

std::optional<ProcessMemory> read_memory(int pid) {
  const SmallFile file = file_of(pid, "smaps_rollup");
  const auto kib = [&](std::string_view key) {
    return number_of(file.text(), key).value_or(0) * kKib;
  };
  if (!number_of(file.text(), "Pss:")) return std::nullopt;
  return ProcessMemory{
      .pss = kib("Pss:"),
      .unshared = kib("Private_Clean:") + kib("Private_Dirty:") + kib("Private_Hugetlb:"),
      .resident = kib("Rss:"),
      .shared = kib("Shared_Dirty:")};
}

}  // namespace benchbench
