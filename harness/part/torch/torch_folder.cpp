#include "harness/part/torch/torch_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/files/program_path.h"
#include "harness/part/child_probe.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion = BENCHBENCH_TORCH_VERSION;
constexpr const char* kNamed = "BENCHBENCH_TORCH_DIR";
constexpr const char* kHandedOver = "BENCHBENCH_TORCH_FOUND";
constexpr std::string_view kAnswer = "benchbench-torch ";
// Nothing is imported. An empty entry is the working folder.
constexpr const char* kAsk =
    "import os, sys\n"
    "for folder in filter(None, sys.path):\n"
    "    if os.path.exists(os.path.join(folder, 'torch', 'version.py')):\n"
    "        sys.exit('benchbench-torch ' + os.path.join(folder, 'torch'))\n";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// "" where it has no torch, or there is no python.
std::string torch_of_python() {
  const std::string python = active_python();
  if (python.empty()) return {};
  const std::string said = answer_of_child({python, "-c", kAsk}, std::chrono::seconds{30}).words;
  const auto at = said.rfind(kAnswer);
  if (at == std::string::npos) return {};
  const std::string rest = said.substr(at + kAnswer.size());
  return rest.substr(0, rest.find('\n'));
}

// Returns where scripts/downloads.sh puts it: data have a variable of their own, downloads do not.
std::string torch_of_cache() {
  const std::string xdg = variable("XDG_CACHE_HOME");
  return fmt::format("{}/benchbench/torch-{}/torch",
                     xdg.empty() ? variable("HOME") + "/.cache" : xdg, kVersion);
}

// A torch package has version.py with a line __version__ = '2.11.0+cpu'; a libtorch archive has
// build-version with 2.11.0.
std::string installed_version(const fs::path& folder) {
  std::string line;
  std::ifstream package(folder / "version.py");
  while (std::getline(package, line)) {
    if (!line.starts_with("__version__")) continue;
    const auto first = line.find_first_of("'\""), last = line.find_last_of("'\"");
    if (first == std::string::npos || last <= first) break;
    return line.substr(first + 1, last - first - 1);
  }
  std::ifstream archive(folder / "build-version");
  return std::getline(archive, line) ? line : std::string{};
}

// Some wheels say 2.11.0+cpu: the part before the plus is what binaries depend on.
std::string_view release(std::string_view version) { return version.substr(0, version.find('+')); }

struct Place {
  std::string path, name;
};

TorchFolder torch_in(const Place& place, const std::string& version) {
  std::error_code failed;
  const fs::path whole = fs::canonical(place.path, failed);
  return {whole, version, place.name, fs::exists(whole / "lib" / "libtorch_cuda.so", failed)};
}

TorchFolder named_torch(const std::string& path, std::string_view wanted) {
  const std::string there = installed_version(path);
  if (there.empty())
    throw DeviceError(
        fmt::format("needs libtorch: {} is {}, which holds no torch", kNamed, path),
        installed_version(fs::path(path) / "torch").empty()
            ? "name the folder torch of Python's packages, which holds lib/ and version.py"
            : fmt::format("name {}/torch", path));
  if (release(there) != release(wanted))
    throw DeviceError(fmt::format("needs libtorch: built with torch {}, but {} ({}) holds {}",
                                  wanted, kNamed, path, there),
                      "a module needs exactly the torch that it was built with: name that one, or "
                      "build again with this one");
  return torch_in({path, fmt::format("of {}", kNamed)}, there);
}

[[noreturn]] void refuse_all(const std::vector<Place>& places,
                             const std::vector<std::string>& others, std::string_view wanted) {
  const std::string hint = fmt::format(
      "install torch {} into the active python, or name its folder with {}", wanted, kNamed);
  if (!others.empty())
    throw DeviceError(fmt::format("needs libtorch: built with torch {}, but there is {}", wanted,
                                  fmt::join(others, " and ")),
                      hint);
  std::vector<std::string> looked;
  for (const Place& place : places) looked.push_back(place.path);
  throw DeviceError(
      fmt::format(
          "needs libtorch: torch {} is not here: looked in {}{}", wanted,
          places.front().name == "of the active python" ? "" : "the active python's packages, ",
          fmt::join(looked, ", ")),
      hint);
}

// A program that was started by one of another build may have been handed another version.
std::optional<TorchFolder> handed_over() {
  const std::string known = variable(kHandedOver);
  const std::size_t end = known.find('\t');
  if (end == std::string::npos) return std::nullopt;
  const Place place{known.substr(0, end), known.substr(end + 1)};
  const std::string version = installed_version(place.path);
  if (release(version) != release(kVersion)) return std::nullopt;
  return torch_in(place, version);
}

}  // namespace

TorchPlaces torch_places() {
  if (std::string named = variable(kNamed); !named.empty()) return {std::move(named), "", "", ""};
  return {"", torch_of_python(), torch_of_cache(), BENCHBENCH_TORCH_FOLDER};
}

std::string TorchFolder::text() const {
  return fmt::format("{} {}, {}", version, cuda ? "with CUDA" : "without CUDA", place);
}

TorchFolder find_torch(const TorchPlaces& places, std::string_view version) {
  if (!places.named.empty()) return named_torch(places.named, version);
  std::vector<Place> all;
  for (const auto& [path, name] :
       {Place{places.python, "of the active python"}, Place{places.cache, "of the cache folder"},
        Place{places.built, "of the build"}})
    if (!path.empty()) all.push_back({path, name});
  std::vector<std::string> others;
  for (const Place& place : all) {
    const std::string there = installed_version(place.path);
    if (there.empty()) continue;
    if (release(there) == release(version)) return torch_in(place, there);
    others.push_back(fmt::format("{} in {}", there, place.path));
  }
  refuse_all(all, others, version);
}

TorchFolder find_torch() {
  if (variable(kNamed).empty())
    if (const auto torch = handed_over()) return *torch;
  return find_torch(torch_places(), kVersion);
}

void hand_over_torch() try {
  const TorchFolder torch = find_torch();
  ::setenv(kHandedOver, fmt::format("{}\t{}", torch.path, torch.place).c_str(), 1);
} catch (const DeviceError&) {
  ::unsetenv(kHandedOver);  // whoever loads the module learns why
}

std::string torch_handed_over() {
  const auto torch = handed_over();
  return torch ? torch->text() : "";
}

}  // namespace benchbench
