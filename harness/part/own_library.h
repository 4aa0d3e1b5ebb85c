// Libraries of parts of the user's own, by their paths: part/own_part.h is what they are built
// with. A library that is loaded stays so until the process ends.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/part/catalog.h"

namespace benchbench {

// True if `use`, a part's name in a scenario, is the path of a library instead: it has a slash, or
// ends in ".so".
bool is_library(std::string_view use) noexcept;

// Returns the parts of the library, loaded once; each is named by `path`. Throws ScenarioError
// where there is no such file, where it is no library of parts, and where it was built for another
// interface: nothing of it is called then. Any threads.
std::span<const PartRow> library_parts(const std::string& path);

// Returns the library's loader, or its trainer. Throws as library_parts(), and where it has none.
const PartRow& library_part(PartKind kind, const std::string& path);

// Returns the same if the library is loaded already; else nullptr.
const PartRow* find_library_part(PartKind kind, std::string_view path) noexcept;

// Loads the library in a throw-away child first, so that one that crashes or hangs at load costs
// nothing. Throws ScenarioError with what is wrong. Only in a program that has the command
// `probe-module`.
void try_library(const std::string& path);

}  // namespace benchbench
