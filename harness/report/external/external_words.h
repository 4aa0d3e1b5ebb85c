// What is wrong with a loader in the user's Python, in words: what, what it costs, the change,
// where.
#pragma once
#include <string>
#include <string_view>

#include "harness/analysis/findings.h"

namespace benchbench {

// One sentence. `brief`: as for the last paragraph, from 1 on without what explains it. `certain`:
// what to change is said as such, else as what may help.
std::string finding_words(const ExternalFinding& finding, int brief = 0, bool certain = true);
// Returns the change that finding_words() asks for as a clause of its own, with its place: "keep
// the iterator, and make another one only where it ends (train.py:9)".
std::string change_words_alone(const ExternalFinding& finding);
// The change that finding_words() asks for.
Remedy remedy_for(const ExternalFinding& finding);
// "12 ms a step (11.8 ms to 12.2 ms)", "48 MiB (47 MiB to 49 MiB)"; "" of what costs neither.
std::string finding_cost(const ExternalFinding& finding);
// What of the user's code takes most of making a batch: "Make __getitem__ (train.py:40) cheaper:
// ..."; "" where find_costliest_part() names none.
std::string own_code_words(const ExternalPoint& seen);

}  // namespace benchbench
