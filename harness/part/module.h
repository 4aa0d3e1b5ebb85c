// Modules: shared libraries next to the program that hold parts with heavy needs (libtorch, Arrow),
// so that the program starts without those, and runs where they are absent. Program and module are
// built together: they share the headers of core/ and part/, and nothing is promised between two
// builds. A part in a module throws Error and nothing else: what its library throws is translated
// inside the module.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/part/catalog.h"

namespace benchbench {

// One part of a module.
struct ModuleRow {
  PartKind kind;
  const char* name;
  PartMaker maker;
};
// What a module exports, as `extern "C" const benchbench::ModuleTable* benchbench_module()`:
// generated from its benchbench_part() lines, constant, and valid to the program's end, since no
// module is unloaded.
struct ModuleTable {
  const char* seam;         // kSeam of the headers it was built with
  const char* requirement;  // "libtorch 2.11.0": what it was built against
  const ModuleRow* rows;
  std::size_t count;
};

// Identifies the seam's headers and the compiler's ABI: CMake hashes harness/core and harness/part
// headers into BENCHBENCH_SEAM. Checked when a module is loaded.
std::string_view seam_id() noexcept;

// The rows of libbenchbench_<name>.so next to the program, loaded once; those of torch against
// the torch of find_torch(). DeviceError with the reason where it is absent, refuses, or was built
// against another seam; the next call tries again. Any threads.
std::span<const ModuleRow> module_rows(std::string_view name);

// What the module exports under `symbol`, after module_rows() has found it fit. DeviceError as
// there, and where it exports no such name.
void* module_symbol(std::string_view name, const char* symbol);

// "" where the module loads, else the reason; asked of a throw-away child, so that a module that
// crashes at load costs nothing and the asking process stays free of it. Waits for the child, with
// a limit.
std::string probe_module(std::string_view name);

}  // namespace benchbench
