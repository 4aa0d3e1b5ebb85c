// The document that --json writes, and its schema.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "harness/report/text/formats.h"

namespace benchbench {

// Text may hold bytes that are no UTF-8: json_text() writes it.
nlohmann::ordered_json report_document(const ReportInput& in);

// Returns docs/report.schema.json. `added`: the schemas of members that some reports have too.
std::string report_schema(std::span<const AddedMember> added);

}  // namespace benchbench
