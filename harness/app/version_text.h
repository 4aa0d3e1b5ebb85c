#pragma once
#include <string>

namespace benchbench {
std::string version_line();  // "benchbench 0.1.0\n"
}  // namespace benchbench
