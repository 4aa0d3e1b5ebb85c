// `benchbench version`: what this build is and what it was built with.
#include <cstdio>

#include "harness/app/command.h"
#include "harness/app/version_text.h"
#include "harness/part/module.h"

namespace benchbench {
namespace {

int run_version(const Arguments& arguments) {
  std::fputs(version_line().c_str(), stdout);
  if (arguments.flag("--short")) return 0;
  std::printf("compiler  %s, %s\nseam      %.*s\ntorch     %s\n", BENCHBENCH_COMPILER,
              BENCHBENCH_BUILD_TYPE, static_cast<int>(seam_id().size()), seam_id().data(),
              BENCHBENCH_TORCH_TEXT);
  return 0;
}

constexpr Option kVersionOptions[] = {{"--short", "", "only the version", false}};

}  // namespace

constinit const Command version_command{
    "version",
    "check",
    "version and build information",
    "",
    0,
    0,
    kVersionOptions,
    "  benchbench version\n  benchbench version --short\n  benchbench --version\n",
    run_version};

}  // namespace benchbench
