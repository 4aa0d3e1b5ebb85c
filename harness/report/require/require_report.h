// The report of `require`: which supply a step needs, and what gives it.
#pragma once
#include <string>
#include <vector>

#include "harness/report/text/notes.h"
#include "harness/tune/require_findings.h"

namespace benchbench {

struct RequireReport : RequireFindings {
  std::vector<Note> problems = {};
};

std::string require_summary(const RequireReport& report);
std::string require_text(const RequireReport& report);
std::string require_json(const RequireReport& report);

}  // namespace benchbench
