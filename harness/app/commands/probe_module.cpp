// Hidden: loads one module in a throw-away process, so that the asking one learns whether it can be loaded.
#include <cstdio>
#include <cstdlib>

#include "harness/app/command.h"
#include "harness/core/error.h"
#include "harness/part/module.h"

namespace benchbench {
namespace {

int run_probe_module(const Arguments& arguments) {
  try {
    module_rows(arguments.positional().at(0));
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::fflush(nullptr);
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace

constinit const Command probe_module_command{
    "probe-module",  "", "loads one module and exits", "NAME", 1, 1, {}, "  benchbench probe-module torch\n",
    run_probe_module};

}  // namespace benchbench
