// Every part of this build by kind, with what is missing.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/catalog.h"

namespace benchbench {

// Module name -> why it cannot be used here.
using MissingModules = std::map<std::string, std::string>;

// Returns the kind that the list calls `word` ("loaders"), nullopt if it has no such title.
std::optional<PartKind> find_listed_kind(std::string_view word);
// Returns the titles of all kinds.
std::vector<std::string_view> listed_kinds();

// Returns aligned lines within `width` columns, of one kind or of all: name, "mock" or "real",
// summary; "needs libtorch: <reason>" if the module is missing. Leaves out kinds without a part.
std::string part_list(const Catalog& catalog, const MissingModules& missing,
                      std::optional<PartKind> only = {}, std::size_t width = 80);

}  // namespace benchbench
