// A module as small as can be; which of its faults it has, CMake says.
#include "harness/part/module.h"

#ifndef TEST_MODULE_WITHOUT_TABLE
extern "C" const benchbench::ModuleTable* benchbench_module() {
  static const benchbench::ModuleRow rows[] = {{benchbench::PartKind::loader, "small", {}}};
  static const benchbench::ModuleTable table{TEST_MODULE_SEAM, "nothing", rows, 1};
  return &table;
}
#endif
