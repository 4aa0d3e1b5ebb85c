// When a record was started, as text.
#pragma once
#include <string>

namespace benchbench {

std::string utc_now();  // "2026-11-21T10:29:00Z"

}  // namespace benchbench
