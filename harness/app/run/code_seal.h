// Which user's code was planned with: a digest of each script's bytes in the settings of points and trials.
#pragma once
#include <map>
#include <string>

#include "harness/record/trial.h"

namespace benchbench {

// Each file is read once. One thread.
class CodeSeal {
 public:
  // Sets <loader|trainer>.script_digest where the user's code is a script, or a module in the working directory: a run of
  // changed code is another run. Of other modules, and of what the code imports, nothing is known. Throws ScenarioError
  // where a script cannot be read.
  void seal(SettingsMap& settings);
  // Throws ScenarioError where the code is not what the settings were sealed with.
  void check_seal(const SettingsMap& trial);

 private:
  const std::string& digest_of_file(const std::string& path);
  std::map<std::string, std::string> digests_;
};

// The first file of code that `now` has otherwise than `then`: "train.py"; "" where none is known to have changed.
std::string changed_code(const Plan& then, const Plan& now);

}  // namespace benchbench
