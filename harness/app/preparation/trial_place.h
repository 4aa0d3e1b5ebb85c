// The processes that trials run in.
#pragma once
#include <string>

#include "harness/core/child_process.h"
#include "harness/record/environment.h"

namespace benchbench {

struct TrialPlace {
  std::string program = kOwnProgram;  // its `child` runs them
  std::string cache_folder;
  bool simulated = false;
  Environment environment;
};

}  // namespace benchbench
