#include "harness/trial/probes/own_processes.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "harness/core/process_tree.h"
#include "harness/trial/probes/kernel_file.h"

namespace benchbench {
namespace {

constexpr int kDeepest = 64;  // a parent may end, and its number come again, while we look

std::set<unsigned>& remembered() {
  static std::set<unsigned> pids;
  return pids;
}

std::set<unsigned> numbers_of_this_process() {
  std::ifstream file("/proc/self/status");
  const std::string status{std::istreambuf_iterator<char>(file), {}};
  std::set<unsigned> pids = pids_in_status(status);
  pids.insert(static_cast<unsigned>(::getpid()));
  return pids;
}

bool is_below_any(unsigned pid, const std::set<unsigned>& roots) {
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (roots.contains(pid)) return true;
    const auto seen = see_process(static_cast<int>(pid));
    if (!seen || seen->parent <= 0) return false;
    pid = static_cast<unsigned>(seen->parent);
  }
  return false;
}

}  // namespace

std::set<unsigned> pids_in_status(std::string_view status) {
  constexpr std::string_view kName = "NSpid:";
  std::set<unsigned> pids;
  const std::size_t line = status.find(kName);
  if (line == std::string_view::npos) return pids;
  status.remove_prefix(line + kName.size());
  for (unsigned n = 0;; ++n) {
    const std::string_view number = word(status, n);
    if (number.empty()) return pids;
    if (const auto pid = first_number(number)) pids.insert(static_cast<unsigned>(*pid));
  }
}

std::set<unsigned> own_processes() {
  std::set<unsigned> pids = numbers_of_this_process();
  pids.insert(remembered().begin(), remembered().end());
  return pids;
}

void remember_own(const std::set<unsigned>& pids) {
  for (const unsigned pid : pids)
    if (!is_seen_here(pid) || is_below_this_process(pid)) remembered().insert(pid);
}

bool is_below(unsigned pid, unsigned root) { return is_below_any(pid, {root}); }

bool is_below_this_process(unsigned pid) { return is_below_any(pid, numbers_of_this_process()); }

bool is_seen_here(unsigned pid) { return see_process(static_cast<int>(pid)).has_value(); }

}  // namespace benchbench
