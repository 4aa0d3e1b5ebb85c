// The document that --json writes.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/report/formats.h"

namespace benchbench {

// Text may hold bytes that are no UTF-8: dump it with error_handler_t::replace.
nlohmann::ordered_json report_document(const ReportInput& in);

}  // namespace benchbench
