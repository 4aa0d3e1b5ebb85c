// What was seen of a loader in the user's Python, a line each: a report with --detail.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// Name and text, in the order to print, of external_subject(); each finding of any point has a
// line. Empty where no loader was over there.
std::vector<std::pair<std::string, std::string>> external_lines(const Findings& findings,
                                                                const Plan& plan);
// "L self-timed, T replayed, F all in Python"; "" where nothing was over there.
std::string ways_words(const Findings& findings);
// "Python 3.11.2, torch 1.13.1 (/usr/bin/python3)"; "" where no record says it.
std::string versions_words(const Findings& findings);

}  // namespace benchbench
