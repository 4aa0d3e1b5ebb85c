#include "harness/app/version_text.h"

namespace benchbench {
std::string version_line() { return "benchbench " BENCHBENCH_VERSION "\n"; }
}  // namespace benchbench
