#include "harness/app/wrap/wrap_places.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <vector>

namespace benchbench {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each ends with a zero byte.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream all(text);
  for (std::string word; std::getline(all, word, '\0');) words.push_back(word);
  return words;
}

// True for ".../lib/python3.11/threading.py".
bool is_of_standard_library(const std::string& path) {
  static const std::regex folder("/lib(64)?/python[0-9]+\\.[0-9]+/");
  return std::regex_search(path, folder);
}

bool is_installed(const std::string& path, const std::string& ours) {
  return path.starts_with("<") || path.find("/site-packages/") != std::string::npos ||
         path.find("/dist-packages/") != std::string::npos || is_of_standard_library(path) ||
         (!ours.empty() && path.starts_with(ours + "/"));
}

// `  File "/a/train.py", line 27 in __getitem__`.
std::optional<WrapFrame> parse_frame(const std::string& line, const std::string& ours) {
  const std::string file = "  File \"", number = "\", line ", in = " in ";
  const auto at = line.find(number);
  const auto name = line.find(in, at == std::string::npos ? at : at + number.size());
  if (!line.starts_with(file) || name == std::string::npos) return std::nullopt;
  const std::string path = line.substr(file.size(), at - file.size());
  return WrapFrame{path + ":" + line.substr(at + number.size(), name - at - number.size()),
                   line.substr(name + in.size()), !is_installed(path, ours)};
}

std::string find_flag_without_us(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size() && words[i].starts_with("-"); ++i) {
    if (words[i] == "-c" || words[i] == "-m" || words[i].starts_with("--")) return "";
    for (const char letter : {'I', 'E', 'S'})
      if (words[i][1] != 'W' && words[i][1] != 'X' && words[i].find(letter) != std::string::npos)
        return fmt::format("-{}", letter);
    if (words[i] == "-W" || words[i] == "-X") ++i;
  }
  return "";
}

// Returns its descriptor in /proc; "" where it has none of such a file, or has ended meanwhile.
std::string find_open_file(int pid, const std::string& name) {
  std::error_code failed, closed;
  fs::directory_iterator at(fmt::format("/proc/{}/fd", pid), failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed))
    if (fs::read_symlink(at->path(), closed).string().find(name) != std::string::npos)
      return at->path().string();
  return "";
}

// `call`: as /proc/PID/syscall has it, its number and arguments; the fourth of futex() is a limit.
bool waits_for_good(const std::string& call, bool has_children) {
  std::istringstream words(call);
  long number = -1;
  std::string argument;
  if (!(words >> number)) return false;
  if (number != SYS_futex) return has_children && (number == SYS_wait4 || number == SYS_waitid);
  for (int i = 0; i < 4; ++i) words >> argument;
  return argument == "0x0";
}

bool is_in_other_namespace(int pid) {
  std::error_code failed;
  const auto ours = fs::read_symlink("/proc/self/ns/mnt", failed);
  const auto its = fs::read_symlink(fmt::format("/proc/{}/ns/mnt", pid), failed);
  return !failed && ours != its;
}

}  // namespace

bool catches(int pid, int signal) {
  std::istringstream status(read_text(fmt::format("/proc/{}/status", pid)));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:"))
      return std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1;
  return false;
}

std::string read_wait(int pid) {
  const std::string text = read_text(fmt::format("/proc/{}/syscall", pid));
  if (text.empty() || text[0] < '0' || text[0] > '9') return "";  // "running", or "-1 ..."
  return wait_words(std::stol(text));
}

bool waits_for_good(int pid, bool has_children) {
  std::error_code failed;
  fs::directory_iterator at(fmt::format("/proc/{}/task", pid), failed);
  bool seen = false;
  for (; !failed && at != fs::directory_iterator(); at.increment(failed), seen = true)
    if (!waits_for_good(read_text(at->path().string() + "/syscall"), has_children)) return false;
  return seen && !failed;
}

std::string wait_words(long call) {
  switch (call) {
    case SYS_futex:
      return kWaitsForLock;
#ifdef SYS_poll
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_read:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept4:
      return "waits for data";
    case SYS_write:
    case SYS_sendto:
    case SYS_sendmsg:
      return "waits for a reader of its data";
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return "sleeps";
    case SYS_wait4:
    case SYS_waitid:
      return "waits for another process to end";
    case SYS_flock:
    case SYS_fcntl:
      return "waits for a lock of a file";
    case SYS_openat:
      return "waits for a file to open";
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_rt_sigtimedwait:
      return "waits for a signal";
    default:
      return "";
  }
}

std::optional<WrapStacks> read_last_stacks(int pid, const std::string& ours) {
  const std::string file = find_open_file(pid, kStacksFile);
  if (file.empty()) return std::nullopt;
  WrapStacks stacks = parse_stacks(read_text(file), ours);
  stacks.pid = pid;
  return stacks.threads.empty() ? std::nullopt : std::optional(stacks);
}

WrapStacks parse_stacks(const std::string& text, const std::string& ours) {
  WrapStacks stacks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(most recent call first)") != std::string::npos)
      stacks.threads.push_back({"", {}});
    else if (const auto frame = parse_frame(line, ours); frame && !stacks.threads.empty())
      stacks.threads.back().frames.push_back(*frame);
  }
  std::ranges::reverse(stacks.threads);  // the first that was started comes last
  return stacks;
}

std::string read_program(int pid) {
  std::error_code failed;
  return fs::read_symlink(fmt::format("/proc/{}/exe", pid), failed).string();
}

bool has_torch(int pid) {
  return read_text(fmt::format("/proc/{}/maps", pid)).find("/libtorch") != std::string::npos;
}

bool is_of_multiprocessing(int pid) {
  return std::ranges::any_of(
      split_words(read_text(fmt::format("/proc/{}/cmdline", pid))),
      [](const std::string& word) { return word.starts_with("from multiprocessing."); });
}

std::string explain_unattached(const std::vector<std::string>& words) {
  if (!std::filesystem::path(words.front()).filename().string().starts_with("python")) return "";
  const std::string flag = find_flag_without_us(words);
  return flag.empty() ? ""
                      : fmt::format(
                            "its Python was started with {}, and does not load what "
                            "benchbench adds by PYTHONPATH; start it without {}",
                            flag, flag);
}

// Programs in Go catch all signals, so the name is asked, too.
bool is_attached(int pid, const std::string& site) {
  const std::string name = fs::path(read_program(pid)).filename().string();
  return name.starts_with("python") && catches(pid, kWakeSignal) &&
         explain_unattached(pid, site).empty();
}

std::string explain_unattached(int pid, const std::string& site) {
  if (is_in_other_namespace(pid)) return "it runs in a container; start benchbench in there";
  const auto words = split_words(read_text(fmt::format("/proc/{}/cmdline", pid)));
  if (std::string why = words.empty() ? "" : explain_unattached(words); !why.empty()) return why;
  bool known = false, first = false;
  for (const std::string& variable : split_words(read_text(fmt::format("/proc/{}/environ", pid)))) {
    known = known || variable.starts_with("BENCHBENCH_WRAP=");
    first =
        first || (variable.starts_with("PYTHONPATH=") && variable.find(site) != std::string::npos);
  }
  if (!known)
    return "it was started without the environment of the command; what starts it has to hand that "
           "on";
  return first ? "" : "PYTHONPATH was replaced; what was in it before has to stay there";
}

}  // namespace benchbench
