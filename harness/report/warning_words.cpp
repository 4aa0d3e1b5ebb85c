#include "harness/report/notes.h"

namespace benchbench {

std::vector<std::string> warning_lines(const Findings& f, const Plan&) { return f.warnings; }

}  // namespace benchbench
