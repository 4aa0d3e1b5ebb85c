// A folder of its own for a test, and files in it.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/part/catalog.h"
#include "harness/part/null_meter.h"
#include "tests/scratch_folder.h"

namespace benchbench::test {

// Removed at the end; holds the cache folder too.
class TestFolder {
 public:
  TestFolder() : path_(make_scratch_folder("formats")) {
    ::setenv("BENCHBENCH_CACHE", (path_ / "cache").c_str(), 1);
  }
  ~TestFolder() {
    ::unsetenv("BENCHBENCH_CACHE");
    std::filesystem::remove_all(path_);
  }
  std::string at(const std::string& name) const { return path_ / name; }
  // Makes the folders on the way.
  std::string put(const std::string& name, std::string_view bytes = "bytes") const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::unique_ptr<SampleArchive> open_archive(std::string_view format, const std::string& path,
                                                   const ColumnNames& columns = {}) {
  return built_in_catalog().maker(PartKind::sample_format, format).format.open(path, columns);
}
inline ColumnNames named_columns(std::string image, std::string label = "", std::string name = "") {
  return {std::move(image), std::move(label), std::move(name)};
}
inline std::unique_ptr<SampleWriter> create_archive(std::string_view format,
                                                    const std::string& path) {
  return built_in_catalog().maker(PartKind::sample_format, format).format.create({path, 1});
}

// "name:label name:label ..." in id order.
inline std::string listing_of(const SampleArchive& archive) {
  std::string text;
  for (SampleId id = 0; id < archive.layout().samples; ++id) {
    text += std::string(id ? " " : "") + std::string(archive.name_of(id)) + ":" +
            std::to_string(archive.label_of(id));
  }
  return text;
}

inline std::string payload_of(SampleArchive& archive, SampleId id) {
  static const auto runtime = make_real_runtime();
  NullMeter meter;
  const auto reader = archive.reader(*runtime);
  const auto payload = reader->read(id, 0, meter).payload;
  return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

// The message of the Error that `call` throws, with its hint; "" where it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(error.message()) + " | " + std::string(error.hint());
  }
  return "";
}
inline std::string error_opening(std::string_view format, const std::string& path,
                                 const ColumnNames& columns = {}) {
  return error_of([&] { open_archive(format, path, columns); });
}

}  // namespace benchbench::test
