#include "harness/core/process_mark.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "harness/core/descriptor.h"

namespace benchbench {
namespace {

constexpr int kAgainAfterMs = 2;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<int> processes_now() {
  std::vector<int> all;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc", failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename();
    int pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr == name.data() + name.size()) all.push_back(pid);
  }
  return all;
}

// One that has ended and waits to be reaped has no environment any more.
bool is_marked(int pid, const std::string& mark) {
  const std::string variables = contents("/proc/" + std::to_string(pid) + "/environ");
  return variables.starts_with(mark + '\0') || variables.find('\0' + mark + '\0') != std::string::npos;
}

struct Place {
  char state = 'X';
  int parent = 0;
};

// "4711 (a name) S 4242 ..."; the name may hold anything.
Place place_of(int pid) {
  const std::string stat = contents("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t after = stat.rfind(") ");
  if (after == std::string::npos || after + 4 >= stat.size()) return {};
  Place place{.state = stat[after + 2]};
  std::from_chars(stat.data() + after + 4, stat.data() + stat.size(), place.parent);
  return place;
}

void kill_one(int pid, const std::set<int>& expected_parents, const std::string& mark) {
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Held now: its number cannot go to another between this look and the signal.
  if (!process || !(is_marked(pid, mark) || expected_parents.contains(place_of(pid).parent))) return;
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
}

}  // namespace

std::string new_process_mark() {
  static std::atomic<std::uint64_t> count{0};
  return "BENCHBENCH_PROCESS_MARK=" + std::to_string(::getpid()) + "." + std::to_string(count.fetch_add(1));
}

std::vector<int> marked_processes(const std::string& mark) {
  std::multimap<int, int> children;
  std::vector<int> found;
  std::set<int> seen{::getpid()};
  for (const int pid : processes_now()) {
    const Place place = place_of(pid);
    if (place.state == 'Z' || place.state == 'X') continue;
    children.emplace(place.parent, pid);
    if (is_marked(pid, mark) && seen.insert(pid).second) found.push_back(pid);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto at = first; at != last; ++at)
      if (seen.insert(at->second).second) found.push_back(at->second);
  }
  return found;
}

std::size_t kill_marked(const std::string& mark, std::chrono::milliseconds patience) noexcept try {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const std::vector<int> left = marked_processes(mark);
    if (left.empty()) return 0;
    const std::set<int> tree(left.begin(), left.end());
    // The last found are the lowest: a parent that is still there keeps them where they were found.
    for (auto pid = left.rbegin(); pid != left.rend(); ++pid) kill_one(*pid, tree, mark);
    if (std::chrono::steady_clock::now() >= until) return left.size();
    ::poll(nullptr, 0, kAgainAfterMs);
  }
} catch (const std::exception&) {
  return 1;
}

}  // namespace benchbench
