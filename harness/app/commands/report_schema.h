// The JSON Schema of what `run`, `report`, `require` and `wrap` write with --json.
#pragma once
#include <string>

namespace benchbench {

// Returns docs/report.schema.json.
std::string write_report_schema();

}  // namespace benchbench
