// A tar file that somebody means harm with: walked, or refused with a ScenarioError.
#include <cstdlib>

#include "harness/core/error.h"
#include "scenarios/formats/shards/tar_walk.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const benchbench::fuzz::InputFile input(".tar");
  const std::string& path = input.hold(data, size);
  try {
    const benchbench::tar::Found found = benchbench::tar::walk({path});
    // Every sample is within the file.
    for (benchbench::SampleId id = 0; id < found.table.size(); ++id)
      if (found.table.offset(id) + found.table.length(id) > size) std::abort();
  } catch (const benchbench::ScenarioError&) {
  }
  return 0;
}
