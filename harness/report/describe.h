// A part, a metric, a validity rule or a scenario key in plain words.
#pragma once
#include <string>
#include <string_view>

#include "harness/part/catalog.h"

namespace benchbench {

// Everything known by that word: "native", "headroom" or its symbol, "R06", "loader.num_workers",
// "num_workers", "timed.step_time". Several where a word has several meanings ("replay" is a loader and a
// trainer). Throws UsageError with the nearest spelling where there is none. Lines of at most `width`
// columns.
std::string describe(std::string_view word, const Catalog& catalog, std::size_t width = 100);

}  // namespace benchbench
