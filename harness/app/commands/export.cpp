// `benchbench export DIR`: builds results.h5 again from the journal.
#include <fmt/format.h>

#include <cstdio>

#include "harness/app/command.h"
#include "harness/app/run/dataset_step.h"
#include "harness/core/text/visible_text.h"

namespace benchbench {
namespace {

int run_export(const Arguments& arguments) {
  const std::string& folder = arguments.positional().at(0);
  export_in_child(folder);
  fmt::print("{}/results.h5\n", visible(folder));
  return 0;
}

}  // namespace

constinit const Command export_command{
    "export",
    "data",
    "rebuild results.h5 from a run's journal",
    "DIR",
    1,
    1,
    {},
    "  benchbench export results/runs/resnet-20261120-221500\n"
    "  benchbench export DIR && h5ls -r DIR/results.h5\n"
    "  benchbench export DIR   # after a crash that left no results.h5\n",
    run_export};

}  // namespace benchbench
