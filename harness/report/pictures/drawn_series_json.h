// The series of the base and the point to use, for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/report/formats.h"

namespace benchbench {

// [{"point", "sequence", "series", "unit", "kept": values in the store, "kept_every", "at": [x],
// "values": [y]}]: at most kDrawnValues of each, the least and the most of neighbours; of steps
// ("ms") x is the step's place in the window, of probes seconds since its begin.
nlohmann::ordered_json drawn_series_values(const ReportInput& in);

}  // namespace benchbench
