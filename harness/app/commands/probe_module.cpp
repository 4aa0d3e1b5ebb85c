// Hidden: loads one module, or starts the CUDA driver, in a throw-away process, so that the asking one learns whether it can be loaded.
#include <cstdio>
#include <cstdlib>

#include "harness/app/command.h"
#include "harness/app/doctor/expected_device.h"
#include "harness/core/error.h"
#include "harness/part/module.h"

namespace benchbench {
namespace {

[[noreturn]] void say_and_end(const std::string& reason) {
  if (!reason.empty()) std::fprintf(stderr, "%s\n", reason.c_str());
  std::fflush(nullptr);
  std::_Exit(reason.empty() ? 0 : 1);
}

int run_probe_module(const Arguments& arguments) {
  if (arguments.positional().at(0) == "cuda-driver") say_and_end(start_cuda_driver());
  try {
    module_rows(arguments.positional().at(0));
  } catch (const Error& e) {
    say_and_end(e.what());
  }
  say_and_end("");
}

}  // namespace

constinit const Command probe_module_command{
    "probe-module",  "", "loads one module and exits", "NAME", 1, 1, {}, "  benchbench probe-module torch\n",
    run_probe_module};

}  // namespace benchbench
