// What a scenario asks of its points, and whether they reach it.
#pragma once
#include <vector>

#include "harness/report/text/notes.h"

namespace benchbench {

// measure.au_at_least: a line a point, "au 0.930 of at least 0.9 asked: pass". Empty where nothing
// is asked.
std::vector<Note> goal_lines(const Findings& findings, const Plan& plan);

}  // namespace benchbench
