// `benchbench contract LIBRARY`: the contract tests of every loader and trainer, run on the parts
// of a library of the user's own.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/core/error.h"
#include "harness/part/own_library.h"

namespace benchbench {
namespace {

constexpr char kKit[] = "test_contract_parts";

std::string kit_path() {
  std::error_code failed;
  const auto kit = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / kKit;
  if (std::filesystem::exists(kit, failed)) return kit.string();
  throw UsageError(
      fmt::format("the contract tests are not built: there is no {} next to the program", kKit),
      fmt::format("cmake --preset dev && ninja -C build/dev benchbench {}", kKit));
}

// Returns the tags that choose the tests: tests/contract has one for each kind of part.
std::string tags_of(std::span<const PartRow> parts) {
  std::string tags = "[parts]";
  for (const PartRow& part : parts) tags += fmt::format(",[{}s]", name_of(part.description->kind));
  return tags;
}

// Returns "loader.size=4\n" for each --set.
std::string settings_text(const Arguments& arguments, std::span<const PartRow> parts) {
  std::string text;
  for (const std::string& set : arguments.list("--set")) {
    const std::string key = set.substr(0, set.find('='));
    const bool known = std::ranges::any_of(parts, [&](const PartRow& part) {
      return std::ranges::any_of(part.description->parameters, [&](const Parameter& p) {
        return key == fmt::format("{}.{}", name_of(part.description->kind), p.key);
      });
    });
    if (!known || key.size() == set.size())
      throw UsageError(fmt::format("--set {}: expected loader.KEY=VALUE or trainer.KEY=VALUE of "
                                   "a parameter of the library's",
                                   set),
                       "`benchbench describe LIBRARY` lists them");
    text += set + '\n';
  }
  return text;
}

int run_contract(const Arguments& arguments) {
  const std::string path =
      std::filesystem::absolute(arguments.positional().at(0)).lexically_normal().string();
  try_library(path);
  const auto parts = library_parts(path);
  const std::string kit = kit_path(), tags = tags_of(parts);
  ::setenv("BENCHBENCH_CONTRACT_LIBRARY", path.c_str(), 1);
  ::setenv("BENCHBENCH_CONTRACT_SETTINGS", settings_text(arguments, parts).c_str(), 1);
  ::execl(kit.c_str(), kit.c_str(), tags.c_str(), "--reporter", "contract",
          static_cast<char*>(nullptr));
  throw PartError(fmt::format("{} cannot be started: {}", kit, std::strerror(errno)));
}

constexpr Option kContractOptions[] = {
    {"--set", "KEY=VALUE", "a parameter of the part: loader.KEY or trainer.KEY", true},
};

}  // namespace

extern const Command contract_command{
    "contract",
    "check",
    "test whether the loader and trainer of your own library do what the harness relies on",
    "LIBRARY",
    joined({kContractOptions}),
    "  benchbench contract ./libmine.so\n"
    "  benchbench contract ./libmine.so --set loader.size=32\n"
    "  benchbench describe ./libmine.so     # its parameters\n",
    run_contract};

}  // namespace benchbench
