// Tells series of one machine that have one name apart. Pure.
#pragma once
#include <vector>

#include "harness/analysis/history/history.h"

namespace benchbench {

// Fills SeriesHistory::apart; `series` are sorted by name.
void tell_namesakes_apart(std::vector<SeriesHistory>& series);

}  // namespace benchbench
