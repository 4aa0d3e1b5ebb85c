#include "harness/part/torch/torch_libraries.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/scratch_folder.h"
#include "tests/variable.h"

namespace benchbench::torch_folder_tests {

using test::Variable;
namespace fs = std::filesystem;

// Folders that hold a torch as far as its version can be read.
class Torches {
 public:
  ~Torches() { fs::remove_all(root_); }
  std::string add(const std::string& name, const std::string& version) const {
    const fs::path folder = root_ / name / "torch";
    fs::create_directories(folder / "lib");
    std::ofstream(folder / "version.py")
        << "from typing import Optional\n__version__ = '" << version << "'\ndebug = False\n";
    return folder;
  }
  std::string absent(const std::string& name) const { return root_ / name / "torch"; }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_ = fs::canonical(test::make_scratch_folder("torches"));
};

struct Refusal {
  std::string message, hint;
};
Refusal refusal(const TorchPlaces& places) {
  try {
    find_torch(places, "2.11.0");
  } catch (const DeviceError& e) {
    return {std::string(e.message()), std::string(e.hint())};
  }
  return {};
}

TEST_CASE("torch folder: the named one, else the active python's, the cache's, the build's",
          "[unit][part]") {
  const Torches torches;
  TorchPlaces places{torches.add("named", "2.11.0"), torches.add("python", "2.11.0+cu130"),
                     torches.add("cache", "2.11.0+cu130"), torches.add("built", "2.11.0+cpu")};
  fs::create_directories(places.python + "/lib/libtorch_cuda.so");
  CHECK(find_torch(places, "2.11.0").text() == "2.11.0 without CUDA, of BENCHBENCH_TORCH_DIR");
  places.named = "";
  CHECK(find_torch(places, "2.11.0").path == places.python);
  CHECK(find_torch(places, "2.11.0").text() == "2.11.0+cu130 with CUDA, of the active python");
  places.python = "";
  CHECK(find_torch(places, "2.11.0").text() == "2.11.0+cu130 without CUDA, of the cache folder");
  places.cache = torches.absent("nowhere");
  CHECK(find_torch(places, "2.11.0").text() == "2.11.0+cpu without CUDA, of the build");
}

TEST_CASE("torch folder: another version is passed over for one that fits", "[unit][part]") {
  const Torches torches;
  const TorchPlaces places{"", torches.add("python", "2.9.1+cu128"),
                           torches.add("cache", "2.11.0+cu130"), torches.add("built", "2.11.0")};
  CHECK(find_torch(places, "2.11.0").path == places.cache);
}

TEST_CASE("torch folder: a wrong version is one sentence with both", "[unit][part]") {
  const Torches torches;
  const std::string old = torches.add("old", "2.9.1+cu128"), older = torches.add("older", "2.7.0");
  CHECK(refusal({old, "", "", ""}).message ==
        "needs libtorch: built with torch 2.11.0, but BENCHBENCH_TORCH_DIR (" + old +
            ") holds 2.9.1+cu128");
  CHECK(refusal({"", old, torches.absent("cache"), older}).message ==
        "needs libtorch: built with torch 2.11.0, but there is 2.9.1+cu128 in " + old +
            " and 2.7.0 in " + older);
}

TEST_CASE("torch folder: where there is none, the places are named", "[unit][part]") {
  const Torches torches;
  const std::string site = fs::path(torches.add("site", "2.11.0")).parent_path();
  CHECK(refusal({site, "", "", ""}).message ==
        "needs libtorch: BENCHBENCH_TORCH_DIR is " + site + ", which holds no torch");
  CHECK(refusal({site, "", "", ""}).hint == "name " + site + "/torch");
  CHECK(refusal({"", "", "/a/cache", "/a/build"}).message ==
        "needs libtorch: torch 2.11.0 is not here: looked in the active python's packages, "
        "/a/cache, /a/build");
}

TEST_CASE("torch folder: a link is followed, so that torch finds its neighbours", "[unit][part]") {
  const Torches torches;
  const std::string folder = torches.add("site", "2.11.0"), link = torches.root() / "link";
  fs::create_symlink(folder, link);
  CHECK(find_torch({link, "", "", ""}, "2.11.0").path == folder);
}

TEST_CASE("torch folder: the active python is asked, unless a torch is named", "[unit][part]") {
  const Torches torches;
  const std::string folder = torches.add("site", "2.11.0");
  const Variable packages("PYTHONPATH", fs::path(folder).parent_path()),
      environment("VIRTUAL_ENV", std::nullopt), cache("XDG_CACHE_HOME", "/a/cache");
  {
    const Variable named("BENCHBENCH_TORCH_DIR", "/a/torch");
    CHECK(torch_places().named == "/a/torch");
    CHECK(torch_places().python == "");
  }
  const Variable named("BENCHBENCH_TORCH_DIR", std::nullopt);
  CHECK(torch_places().python == folder);
  CHECK(torch_places().cache.starts_with("/a/cache/benchbench/torch-"));
  const Variable nowhere("PATH", "/nowhere");
  CHECK(torch_places().python == "");
}

TEST_CASE("torch folder: what cannot be loaded is told with its path", "[unit][part]") {
  const Torches torches;
  const std::string folder = torches.add("site", "2.11.0");
  CHECK_THROWS_WITH(load_torch(find_torch({folder, "", "", ""}, "2.11.0")),
                    Catch::StartsWith("needs libtorch: " + folder + "/lib/libc10.so: "));
}

TEST_CASE("torch folder: a torch without CUDA is refused with its version and path",
          "[unit][part]") {
  const Torches torches;
  const std::string folder = torches.add("site", "2.11.0");
  CHECK_THROWS_WITH(load_torch_cuda(find_torch({folder, "", "", ""}, "2.11.0")),
                    "needs torch with CUDA: 2.11.0 in " + folder + " has no libtorch_cuda.so");
}

TEST_CASE("torch folder: a missing library of CUDA is named with the package that brings it",
          "[unit][part]") {
  const auto explained = [](const std::string& library) {
    return explain_missing_library(library +
                                   ": cannot open shared object file: No such file or directory");
  };
  CHECK(explained("libcufile.so.0") ==
        "libcufile.so.0 is not here; the package nvidia-cufile brings it");
  CHECK(explained("libcusparseLt.so.0") ==
        "libcusparseLt.so.0 is not here; the package nvidia-cusparselt-cu13 brings it");
  CHECK(explained("libcusparse.so.12") ==
        "libcusparse.so.12 is not here; the package nvidia-cusparse brings it");
  CHECK(explained("libmine.so") ==
        "libmine.so: cannot open shared object file: No such file or directory");
  CHECK(explain_missing_library("libcufile.so.0: invalid ELF header") ==
        "libcufile.so.0: invalid ELF header");
}

}  // namespace benchbench::torch_folder_tests
