// `benchbench list`: every part, with what is missing.
#include <iostream>
#include <set>

#include "harness/app/output_file.h"
#include "harness/app/run/prepared_plan.h"
#include "harness/report/terminal/part_list.h"

namespace benchbench {
namespace {

int run_list(const Arguments&) {
  const Catalog& catalog = built_in_catalog();
  std::set<std::string> modules;
  for (const PartRow& row : catalog.rows())
    if (!row.module.empty()) modules.insert(std::string(row.module));
  write_part_list(std::cout, catalog, missing_of(modules), page_width());
  return 0;
}

}  // namespace

constinit const Command list_command{
    "list",
    "check",
    "list loaders, trainers, formats and samplers, and what is missing",
    "",
    0,
    0,
    {},
    "  benchbench list\n"
    "  benchbench list | grep needs\n"
    "  benchbench describe native      # explains one of them\n",
    run_list};

}  // namespace benchbench
