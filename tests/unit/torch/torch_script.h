// Files that a Python script with torchvision writes for a test.
#pragma once
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/places.h"
#include "tests/scratch_folder.h"

namespace benchbench::test {

// A folder of our own, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() : path_(make_scratch_folder("torchvision")) {}
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs tests/unit/torch/`script` with `arguments` in the python named by the variable of the
// environment, else in the active python3. True where it ended well.
inline bool run_torch_script(const char* variable, const std::string& script,
                             const std::string& arguments) {
  const char* const named = std::getenv(variable);
  for (const char* python : {named && *named ? named : "python3", "python3"}) {
    const std::string command = std::string(python) + " " +
                                source_path("tests/unit/torch/" + script) + " " + arguments +
                                " > /dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return true;
  }
  return false;
}

template <class Value>
std::vector<Value> read_values(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

}  // namespace benchbench::test
