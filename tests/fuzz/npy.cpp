// .npy files that somebody means harm with: one array [samples, ...] is refused or every sample of
// it can be read; as a member of an .npz its frame is.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"
#include "scenarios/formats/arrays/npy_header.h"
#include "scenarios/formats/arrays/zip_member.h"

namespace benchbench {
namespace parts {
PartMaker sample_format_npy_maker();
}
namespace {

void read_all(const std::string& path) try {
  const auto runtime = make_real_runtime();
  const auto archive = parts::sample_format_npy_maker().format.open(path);
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  for (SampleId id = 0; id < std::min<SampleId>(archive->layout().samples, 64); ++id)
    reader->read(id, 0, meter);
} catch (const ScenarioError&) {  // opening, and nothing else, may refuse
}

void read_zip(std::span<const std::byte> bytes) try {
  const zip::Member member = zip::find(bytes, ".npy");
  if (member.stored.data() < bytes.data() ||
      member.stored.data() + member.stored.size() > bytes.data() + bytes.size())
    std::abort();
} catch (const PartError&) {
}

void parse(std::span<const std::byte> bytes) try {
  if (npy::parse(bytes).size > bytes.size()) std::abort();
} catch (const PartError&) {
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  static const std::string path = (std::filesystem::temp_directory_path() /
                                   ("benchbench-fuzz-" + std::to_string(::getpid()) + ".npy"))
                                      .string();
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  parse(bytes);
  read_zip(bytes);
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  read_all(path);
  return 0;
}
