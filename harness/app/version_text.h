// The text of `benchbench --version`.
#pragma once
#include <string>

namespace benchbench {

// Returns "benchbench 0.1.0", then the compiler, the seam for modules and the torch of this build,
// a line each.
std::string version_text();

}  // namespace benchbench
