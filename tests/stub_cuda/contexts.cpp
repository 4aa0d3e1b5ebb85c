#include "tests/stub_cuda/contexts.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace benchbench::stub_cuda {
namespace {

namespace fs = std::filesystem;

std::string folder() {
  const char* const path = std::getenv("BENCHBENCH_STUB_CONTEXTS");
  return path ? path : "";
}

fs::path file_of_this_process() { return fs::path(folder()) / std::to_string(::getpid()); }

bool is_exclusive() {
  const char* const text = std::getenv("BENCHBENCH_STUB_EXCLUSIVE");
  return text && std::string(text) == "1";
}

}  // namespace

std::vector<unsigned> processes_with_context() {
  std::vector<unsigned> pids;
  if (folder().empty()) return pids;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder(), ignored)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && ::kill(pid, 0) == 0) pids.push_back(static_cast<unsigned>(pid));
  }
  return pids;
}

bool take_context() {
  if (folder().empty()) return true;
  const auto others = processes_with_context();
  const auto own = static_cast<unsigned>(::getpid());
  if (is_exclusive() && std::ranges::any_of(others, [&](unsigned pid) { return pid != own; }))
    return false;
  std::ofstream{file_of_this_process()};
  return true;
}

void give_context_back() {
  std::error_code ignored;
  if (!folder().empty()) fs::remove(file_of_this_process(), ignored);
}

}  // namespace benchbench::stub_cuda
