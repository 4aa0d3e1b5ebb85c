// `benchbench datagen FILE`: makes the data sets a scenario needs, nothing else.
#include <fmt/format.h>

#include <cstdio>

#include "harness/app/dataset_step.h"
#include "harness/app/interrupt.h"
#include "harness/app/prepared_plan.h"

namespace benchbench {
namespace {

int run_datagen(const Arguments& arguments) {
  listen_for_interrupts();
  const PreparedPlan p = prepare_plan(arguments);
  if (p.plan.datasets.empty()) {
    fmt::print(stderr, "{} reads no data set: nothing to make\n", p.plan.scenario.source);
    return 0;
  }
  make_datasets(p.plan, p.cache_folder);
  for (const DatasetNeed& d : p.plan.datasets) fmt::print("{}\t{}\n", d.format, d.path);
  return 0;
}

const std::vector<Option>& options() {
  static const std::vector<Option> all = with_scenario_options({});
  return all;
}

}  // namespace

const Command datagen_command{"datagen", "data", "make the data sets of a scenario, or prove those there", "FILE", 1, 1, options(),
                              "  benchbench datagen configs/resnet.yaml\n"
                              "  benchbench datagen configs/resnet.yaml --set dataset.synthesize.samples=20000\n"
                              "  benchbench datagen my.yaml --set dataset.path=my/photos --sweep dataset.format=tar,hdf5\n",
                              run_datagen};

}  // namespace benchbench
