// Files of raw records that somebody means harm with: refused on opening, or every record can be
// read. The digest is set to "not given", or hardly a change would come past it.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"

namespace benchbench {
namespace parts {
PartMaker sample_format_raw_maker();
}
namespace {

void read_all(const std::string& path) try {
  const auto runtime = make_real_runtime();
  const auto archive = parts::sample_format_raw_maker().format.open(path);
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  for (SampleId id = 0; id < std::min<SampleId>(archive->layout().samples, 64); ++id)
    reader->read(id, 0, meter);
} catch (const ScenarioError&) {  // opening, and nothing else, may refuse
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  static const std::string path = (std::filesystem::temp_directory_path() /
                                   ("benchbench-fuzz-" + std::to_string(::getpid()) + ".raw"))
                                      .string();
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= 120) std::memset(bytes.data() + 104, 0, 16);
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  read_all(path);
  return 0;
}
