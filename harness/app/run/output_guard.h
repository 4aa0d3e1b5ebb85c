// What a command's outputs may not be written over: its scenario, what the store keeps of a run,
// each other.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/command.h"

namespace benchbench {

struct OutputGuard {
  std::vector<std::string> scenarios;
  // Folders of runs, also of those that are yet to be made; one that holds a run is known by
  // itself.
  std::vector<std::string> folders;
};
// `names`: the options that take an output's file. Throws UsageError; StoreError where the folder
// that one is to lie in is not there and is not made for the run either. A run's folder may hold
// other files; "-" and what is no regular file, such as /dev/null, may be named twice.
void check_output_files(const Arguments& arguments, const std::vector<std::string_view>& names,
                        const OutputGuard& guard);

}  // namespace benchbench
