#include "harness/core/process_mark.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "harness/core/descriptor.h"
#include "harness/core/process_tree.h"

namespace benchbench {
namespace {

constexpr int kAgainAfterMs = 2;
constexpr int kExecLooks = 1000, kExecLookEveryMs = 1;

// Returns what can be read of a file of /proc: of a process that ends meanwhile, the read fails.
std::string contents(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t n; file && (n = ::read(file.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(n));
  return text;
}

// True while the kernel replaces the program of a process: its old environment is gone and the new
// one cannot be read yet. Numbers of fields as in proc(5).
bool is_in_exec(const std::string& folder) {
  constexpr std::size_t kState = 3, kEnvironmentEnd = 51;
  const std::string text = contents(folder + "/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  std::vector<std::string> fields(kState);
  fields.insert(fields.end(), std::istream_iterator<std::string>(rest), {});
  return fields.size() > kEnvironmentEnd && fields[kState] != "Z" && fields[kState] != "X" &&
         fields[kEnvironmentEnd] == "0";
}

// Returns the environment of a process; of one in exec, the one that it gets. Empty where there is
// none: of a process that has ended and waits to be reaped, of a kernel's thread.
std::string read_environment(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid), path = folder + "/environ";
  std::string variables = contents(path);
  for (int look = 0; variables.empty() && look < kExecLooks; ++look) {
    if (!Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)))
      return "";  // it may not be read, or is of a kernel's thread
    const bool in_exec = is_in_exec(folder);
    variables = contents(path);  // again: exec may have ended between the two looks
    if (!in_exec) break;
    ::poll(nullptr, 0, kExecLookEveryMs);
  }
  return variables;
}

bool is_marked(int pid, const std::string& mark) {
  const std::string variables = read_environment(pid);
  return variables.starts_with(mark + '\0') ||
         variables.find('\0' + mark + '\0') != std::string::npos;
}

using Clock = std::chrono::steady_clock;

// Until it has ended: one that lost the mark, and whose parent is gone, could not be found again.
void kill_one(int pid, const std::set<int>& expected_parents, const std::string& mark,
              Clock::time_point until) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Held now: its number cannot go to another between this look and the signal.
  const auto seen = see_process(pid);
  if (!process || !seen || !(is_marked(pid, mark) || expected_parents.contains(seen->parent)))
    return;
  if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) != 0) return;
  pollfd ended{process.get(), POLLIN, 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  ::poll(&ended, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000)));
}

}  // namespace

std::string new_process_mark() {
  static std::atomic<std::uint64_t> count{0};
  return "BENCHBENCH_PROCESS_MARK=" + std::to_string(::getpid()) + "." +
         std::to_string(count.fetch_add(1));
}

std::vector<int> marked_processes(const std::string& mark) {
  std::multimap<int, int> children;
  std::vector<int> found;
  std::set<int> seen{::getpid()};
  const auto add = [&](int pid) {
    if (seen.insert(pid).second) found.push_back(pid);
  };
  for (const ProcessSeen& p : every_process()) {
    if (p.state == 'Z' || p.state == 'X') continue;
    children.emplace(p.parent, p.pid);
    if (is_marked(p.pid, mark)) add(p.pid);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    std::for_each(first, last, [&](const auto& child) { add(child.second); });
  }
  return found;
}

std::size_t kill_marked(const std::string& mark, std::chrono::milliseconds patience) noexcept try {
  const auto until = Clock::now() + patience;
  for (;;) {
    const std::vector<int> left = marked_processes(mark);
    if (left.empty()) return 0;
    const std::set<int> tree(left.begin(), left.end());
    // The last found are the lowest: a parent that is still there keeps them where they were found.
    for (auto pid = left.rbegin(); pid != left.rend(); ++pid) kill_one(*pid, tree, mark, until);
    if (Clock::now() >= until) return left.size();
    ::poll(nullptr, 0, kAgainAfterMs);
  }
} catch (const std::exception&) {
  return 1;
}

}  // namespace benchbench
