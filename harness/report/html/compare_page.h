// Two runs against each other as a page to look at: one file, as `run --html` writes it.
#pragma once
#include <iosfwd>

#include "harness/report/compare/compare_report.h"

namespace benchbench {

void write_compare_page(std::ostream& out, const CompareReport& report);

}  // namespace benchbench
