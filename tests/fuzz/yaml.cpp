// A scenario file that somebody means harm with: loaded, or refused with diagnostics that point into it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/config/scenario_file.h"

namespace {

std::string place() {
  const char* const folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  return std::string(folder) + "/benchbench-fuzz-" + std::to_string(::getpid()) + ".yaml";
}

void put(const std::string& path, const std::uint8_t* data, std::size_t size) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = place();
  put(path, data, size);
  benchbench::ScenarioRequest request;
  request.path = path;
  request.cores = 2;
  try {
    benchbench::load_scenario(request, benchbench::built_in_catalog());
  } catch (const benchbench::ScenarioDiagnostics& error) {
    if (error.all().empty() || error.text().empty()) std::abort();
  } catch (const benchbench::ScenarioError&) {
  }
  ::unlink(path.c_str());
  return 0;
}
