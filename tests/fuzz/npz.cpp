// .npz files that somebody means harm with: a folder of one array, and the file by itself, is
// refused, or its samples are read or refused by themselves.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"

namespace benchbench {
namespace parts {
PartMaker sample_format_npz_maker();
PartMaker sample_format_npz_deflated_maker();
}  // namespace parts
namespace {

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("benchbench-fuzz-npz-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "a");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void put(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(path_ / "a" / "0.npz", std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void read_all(const FormatPart& format, const std::string& path) try {
  static const auto runtime = make_real_runtime();
  const auto archive = format.open(path);
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  for (SampleId id = 0; id < std::min<SampleId>(archive->layout().samples, 64); ++id) try {
      reader->read(id, 0, meter);
    } catch (const PartError&) {
    }
} catch (const ScenarioError&) {
} catch (const PartError&) {
}

}  // namespace
}  // namespace benchbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchbench;
  static const Folder folder;
  static const FormatPart stored = parts::sample_format_npz_maker().format,
                          deflated = parts::sample_format_npz_deflated_maker().format;
  folder.put(data, size);
  read_all(stored, folder.path());
  read_all(deflated, folder.path());
  read_all(stored, folder.path() + "/a/0.npz");  // as one file of all samples
  return 0;
}
