// A cache folder of a test's own, and settings for small data sets in it.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "harness/dataset/dataset_need.h"
#include "harness/part/catalog.h"
#include "tests/scratch_folder.h"

namespace benchbench::test {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(make_scratch_folder("dataset")) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& below = "") const {
    return below.empty() ? path_ : path_ + "/" + below;
  }

 private:
  std::string path_;
};

// dataset.synthesize.* of 40 pictures of about 48 × 32, with `changes` laid on ("samples",
// "image.quality", ...).
inline SettingsMap small_synthesis(const std::string& format,
                                   const std::map<std::string, std::string>& changes = {}) {
  std::map<std::string, std::string> wanted = {
      {"samples", "40"}, {"classes", "5"}, {"image.mean_width", "48"}, {"image.mean_height", "32"}};
  for (const auto& [key, text] : changes) wanted[key] = text;
  SettingsMap map;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::synthesis, "image")->description->parameters) {
    const auto given = wanted.find(std::string(p.key));
    map.set("dataset.synthesize." + std::string(p.key),
            Value::parse(p.type, given == wanted.end() ? p.standard : given->second).value());
  }
  map.set("dataset.format", {ParameterType::text, format});
  return map;
}

inline SettingsMap users_data(const std::string& path, const std::string& format = "") {
  SettingsMap map;
  map.set("dataset.path", {ParameterType::text, path});
  if (!format.empty()) map.set("dataset.format", {ParameterType::text, format});
  return map;
}

inline void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace benchbench::test
