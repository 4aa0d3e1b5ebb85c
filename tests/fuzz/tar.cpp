// A tar file that somebody means harm with: walked, or refused with a ScenarioError.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/core/error.h"
#include "scenarios/formats/tar_walk.h"

namespace {

// In memory where the system has room for it there: a walk opens its file by name.
std::string place() {
  const char* const folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  return std::string(folder) + "/benchbench-fuzz-" + std::to_string(::getpid()) + ".tar";
}

void put(const std::string& path, const std::uint8_t* data, std::size_t size) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = place();
  put(path, data, size);
  try {
    const benchbench::tar::Found found = benchbench::tar::walk({path});
    for (benchbench::SampleId id = 0; id < found.table.size(); ++id)
      if (found.table.offset(id) + found.table.length(id) > size) std::abort();   // every sample lies within the file
  } catch (const benchbench::ScenarioError&) {
  }
  ::unlink(path.c_str());
  return 0;
}
