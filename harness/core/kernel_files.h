// File systems whose files are the kernel's answers, not data.
#pragma once
#include <string>

namespace benchbench {

// What lies at `path` is of /proc, /sys, a control group or the like: it has no size, may have no
// end, and leads round in circles. False where nobody can tell.
bool is_of_kernel(const std::string& path) noexcept;

}  // namespace benchbench
