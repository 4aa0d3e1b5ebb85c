#include "scenarios/python/torch_look.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/python/given_settings.h"
#include "tests/unit/python/script_folder.h"

namespace benchbench::python_part {
namespace torch_look_test {

namespace fs = std::filesystem;

// An interpreter that notes each start, with a torch of its own.
class Interpreter {
 public:
  explicit Interpreter(const std::string& cuda) {
    set_torch(cuda);
    path_ = folder_.write("python", "#!/bin/sh\necho >> " + starts() +
                                        "\nPYTHONPATH=" + folder_.path() + " exec " +
                                        test::test_python() + " \"$@\"\n");
    fs::permissions(path_, fs::perms::owner_all);
  }
  // `cuda`: what torch.version.cuda and torch.cuda.is_available() are.
  void set_torch(const std::string& cuda) {
    fs::create_directories(folder_.path() + "/torch");
    folder_.write("torch/__init__.py",
                  "from types import SimpleNamespace as S\n__version__ = '2.11.0'\n"
                  "version, cuda = " +
                      cuda + "\n");
    touch("torch/__init__.py");
  }
  // Makes it a second newer than it was: file systems count in seconds, too.
  void touch(const std::string& name) {
    const fs::path file = folder_.path() + "/" + name;
    fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::seconds(++touched_));
  }
  ExternalCuda look() const {
    return look_for_cuda({.interpreter = path_, .kept_in = folder_.path(), .look = {}});
  }
  // Returns how often it was started, as lines of a file.
  std::size_t times_started() const {
    std::ifstream file(starts());
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
  }
  const std::string& path() const { return path_; }

 private:
  std::string starts() const { return folder_.path() + "/starts"; }
  test::ScriptFolder folder_;
  std::string path_;
  int touched_ = 0;
};

constexpr const char *kFinds = "S(cuda='13.0'), S(is_available=lambda: True)",
                     *kFindsNone = "S(cuda='13.0'), S(is_available=lambda: False)",
                     *kOfCpu = "S(cuda=None), S(is_available=lambda: False)";

TEST_CASE("torch look: an interpreter is asked once, until it or its torch has changed",
          "[unit][python]") {
  Interpreter python(kFinds);
  for (int i = 0; i < 2; ++i) CHECK(python.look().available);
  CHECK(python.times_started() == 1);
  python.touch("python");
  CHECK(python.look().available);
  CHECK(python.times_started() == 2);
  python.set_torch(kOfCpu);
  for (int i = 0; i < 2; ++i)
    CHECK(python.look().reason == "torch 2.11.0 of " + python.path() + " finds no CUDA device");
  CHECK(python.times_started() == 3);
}

TEST_CASE("torch look: what a driver or a package may mend is asked each time", "[unit][python]") {
  Interpreter python(kFindsNone);
  CHECK_FALSE(python.look().available);
  python.set_torch("1 / 0");
  CHECK(python.look().reason ==
        python.path() + " has no torch: ZeroDivisionError: division by zero");
  python.look();
  CHECK(python.times_started() == 3);
}

TEST_CASE("torch look: an interpreter that dies has none, and says why", "[unit][python]") {
  Interpreter python("__import__('os')._exit(3)");
  CHECK_THAT(python.look().reason, Catch::Contains("exited with status 3"));
}

}  // namespace torch_look_test
}  // namespace benchbench::python_part
