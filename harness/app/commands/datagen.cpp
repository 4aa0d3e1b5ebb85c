// `benchbench datagen FILE`: makes the data sets a scenario needs, nothing else. With --convert:
// one format from another.
#include <fmt/format.h>

#include <cstdio>

#include "harness/app/commands/convert.h"
#include "harness/app/interrupt.h"
#include "harness/app/run/dataset_step.h"
#include "harness/app/run/prepared_plan.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/text/visible_text.h"

namespace benchbench {
namespace {

constexpr Option kDatagenOptions[] = {
    {"--convert", "PATH", "convert the samples at PATH to another format and compare every digest"},
    {"--from", "FORMAT", "format of PATH, if its name and first bytes do not show it"},
    {"--columns", "image=A,...", "columns of PATH: image=NAME,label=NAME,name=NAME; any of them"},
    {"--to", "PATH", "output: a new path with the format's extension, or FORMAT=PATH"},
    {"--format", "FORMAT", "output format, if the name after --to does not show it"},
};

void refuse_lone_options(const Arguments& arguments) {
  for (const Option& option : kDatagenOptions) {
    if (arguments.flag(option.name))
      throw UsageError(fmt::format("{} goes with --convert PATH", option.name),
                       "benchbench datagen --convert photos --to photos.tar");
  }
}

int run_datagen(const Arguments& arguments) {
  if (arguments.flag("--convert")) return run_convert(arguments);
  refuse_lone_options(arguments);
  if (arguments.positional().empty())
    throw UsageError("benchbench datagen: FILE is missing",
                     "a scenario file, or --convert PATH --to PATH");
  listen_for_interrupts();
  const PreparedPlan p = prepare_plan(arguments);
  if (p.plan.datasets.empty()) {
    tell(fmt::format("{} reads no dataset: nothing to make\n", p.plan.scenario.source));
    return 0;
  }
  make_datasets(p.plan, p.cache_folder);
  for (const DatasetNeed& d : p.plan.datasets) fmt::print("{}\t{}\n", d.format, visible(d.path));
  return 0;
}

const std::vector<Option> kOptionsOfDatagen = with_scenario_options(kDatagenOptions);

}  // namespace

const Command datagen_command{"datagen",
                              "data",
                              "make and check the datasets of a scenario; convert between formats",
                              "[FILE]",
                              0,
                              1,
                              kOptionsOfDatagen,
                              "  benchbench datagen configs/resnet.yaml\n"
                              "  benchbench datagen my.yaml --sweep dataset.format=tar,hdf5\n"
                              "  benchbench datagen --convert my/photos --to mds=my/shards\n",
                              run_datagen};

}  // namespace benchbench
