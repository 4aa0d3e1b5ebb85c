// `benchbench data FILE`: makes the data sets of a scenario, checks them, or converts data.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "harness/app/data/conversion.h"
#include "harness/app/data/verification.h"
#include "harness/app/interrupt.h"
#include "harness/app/options.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/visible_text.h"
#include "harness/dataset/dataset_need.h"

namespace benchbench {
namespace {

constexpr Option kVerify{"--verify", "",
                         "read every sample once through the loader, and compare them with the "
                         "manifest; data that are not there are made first"};
constexpr Option kConversionOptions[] = {
    {"--to", "PATH",
     "FILE is data: convert it into a new path with the format's extension, or FORMAT=PATH, and "
     "compare every digest"},
    {"--from", "FORMAT", "with --to: FILE's format, if its name and first bytes do not show it"},
    {"--columns", "image=A,...",
     "with --to: columns of FILE: image=NAME,label=NAME,name=NAME; any of them"},
};

// Throws UsageError if an option of a conversion and one of a scenario are given together, or
// --from or --columns without --to.
void check_data_options(const Arguments& arguments) {
  const bool converts = arguments.flag("--to");
  for (const Option& option : joined({{&kVerify, 1}, scenario_options()}))
    if (converts && arguments.flag(option.name))
      throw UsageError(
          fmt::format("{} is of a scenario's data, --to of data to convert", option.name),
          "a conversion compares every digest by itself");
  for (const Option& option : kConversionOptions)
    if (!converts && arguments.flag(option.name))
      throw UsageError(fmt::format("{} goes with --to PATH", option.name),
                       "benchbench data photos --to photos.tar");
}

// Throws UsageError if `path` is data instead of a scenario.
void refuse_data(const std::string& path) {
  std::error_code failed;
  const bool is_data = std::filesystem::is_directory(path, failed) ||
                       (std::filesystem::exists(path, failed) &&
                        !format_of_extension(path, built_in_catalog()).empty());
  if (is_data)
    throw UsageError(
        fmt::format("{} is not a scenario, which is a YAML file", path),
        "if it is data: --to PATH converts it, a scenario takes it by --set dataset.path=" + path);
}

int make_data_sets(const Arguments& arguments) {
  const PreparedPlan p = prepare_plan(arguments);
  if (p.plan.datasets.empty())
    tell("{} reads no dataset: nothing to make\n", p.plan.scenario.source);
  make_datasets(p.plan.trials, p.cache_folder);
  for (const DatasetNeed& d : p.plan.datasets) fmt::print("{}\t{}\n", d.format, visible(d.path));
  return 0;
}

int run_data(const Arguments& arguments) {
  check_data_options(arguments);
  listen_for_interrupts();
  if (arguments.flag("--to")) return convert_data(arguments);
  refuse_data(arguments.positional().front());
  return arguments.flag("--verify") ? verify_data(arguments) : make_data_sets(arguments);
}

}  // namespace

extern const Command data_command{
    "data",
    "check",
    "make a scenario's datasets, check them, or convert between formats",
    "FILE",
    joined({{&kVerify, 1}, kConversionOptions, scenario_options()}),
    "  benchbench data configs/resnet.yaml --set dataset.format=tar\n"
    "  benchbench data configs/resnet.yaml --verify\n"
    "  benchbench data my/photos --to mds=my/shards\n",
    run_data};

}  // namespace benchbench
