// Token files that somebody means harm with: the index is refused or every sequence that it names
// can be read. The first two bytes say how long the index is; the rest is the .bin.
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
#include "scenarios/formats/token_index.h"

namespace benchbench {
namespace parts {
PartMaker sample_format_tokens_maker();
}
namespace {

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("benchbench-fuzz-tokens-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string put(const char* name, std::span<const std::byte> bytes) const {
    const std::string path = path_ / name;
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void read_all(const std::string& path) {
  static const auto runtime = make_real_runtime();
  static const FormatPart format = parts::sample_format_tokens_maker().format;
  try {
    const auto archive = format.open(path);
    const auto reader = archive->reader(*runtime);
    NullMeter meter;
    std::size_t sum = 0;
    for (SampleId id = 0; id < archive->layout().samples; ++id)
      for (const std::byte b : reader->read(id, 0, meter).payload)
        sum += static_cast<std::size_t>(b);
    if (sum == ~std::size_t{0}) std::abort();
  } catch (const ScenarioError&) {
  }  // a PartError on reading is a finding: what was opened can be read
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace benchbench;
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(2);
  const std::size_t split = std::min<std::size_t>(bytes.size(), data[0] + 256u * data[1]);
  const auto index = bytes.first(split), bin = bytes.subspan(split);
  try {
    parse_token_index(index, bin.size(), "the index");
  } catch (const ScenarioError&) {
  }
  static const Folder folder;
  folder.put("x.idx", index);
  folder.put("x.bin", bin);
  read_all(folder.path());
  read_all(folder.put("stream.bin", bin));
  return 0;
}
