// Every part of this build by kind, with what is missing.
#pragma once
#include <iosfwd>
#include <map>
#include <string>

#include "harness/part/catalog.h"

namespace benchbench {

// Module name -> why it cannot be used here.
using MissingModules = std::map<std::string, std::string>;

// Aligned lines within `width` columns: name, "mock" or "real", summary; "needs libtorch: <reason>"
// where the module is missing. Kinds without a part are left out.
void write_part_list(std::ostream& out, const Catalog& catalog, const MissingModules& missing,
                     std::size_t width = 80);

}  // namespace benchbench
