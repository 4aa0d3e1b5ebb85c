// Which user's code was planned with: a digest of the bytes of each script, and of each library of
// parts, in the settings of points and trials.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

// Sections of a trial's settings that may name a file of the user's.
inline constexpr const char* kCodeSections[] = {"loader.", "loader.of.", "beside.loader.",
                                                "trainer."};

struct Sealed {
  std::string file, digest;  // as it is now
};
// Returns the file that a section ("loader.", "loader.of.") names; nullopt if it names none.
using SealOf = std::function<std::optional<Sealed>(const std::string& section)>;
// Throws ScenarioError where a file is not what its section's `key` was set to when the run was
// planned.
void check_seals(const SettingsMap& trial, std::string_view key, const SealOf& seal_of);

// Returns the paths of the libraries of the user's own that a trial's loader and trainer are in.
std::vector<std::string> libraries_in(const SettingsMap& trial);

// Each file is read once. One thread.
class CodeSeal {
 public:
  // Sets <loader|trainer>.script_digest where the user's code is a script, or a module in the
  // working directory, and library_digest where it is a library: a run of changed code is another
  // run. Of other modules, and of what the code imports or links, nothing is known. Throws
  // ScenarioError where a file cannot be read.
  void seal(SettingsMap& settings);
  // Throws ScenarioError where the code is not what the settings were sealed with.
  void check_seal(const SettingsMap& trial);

 private:
  const std::string& digest_of_file(const std::string& path);
  std::map<std::string, std::string> digests_;
};

// The first file of code that `now` has otherwise than `then`: "train.py"; "" where none is known
// to have changed.
std::string changed_code(const Plan& then, const Plan& now);

}  // namespace benchbench
