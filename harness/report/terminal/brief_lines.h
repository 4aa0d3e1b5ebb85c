// What stands around the numbers, in few lines: a report without --detail.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/report/text/notes.h"

namespace benchbench {

// All notes where they have at most `most` lines of `width` columns, else a line of each, cut;
// beyond `most` lines the last says how many more there are. Why trials are NOISY or INVALID has up
// to three lines in any case. Breaks between the lines of a note are in its text.
std::vector<Note> brief_notes(const Findings& findings, const Plan& plan, std::size_t width,
                              std::size_t most);

// The note on lines of `width` columns, its details below it: at most `most` of them, without the
// middle ones.
std::string with_details(const Note& note, std::size_t width, std::size_t most);

// Name and text: the trainer beside the loader where that was asked for, noise, results.
std::vector<std::pair<std::string, std::string>> brief_surroundings(const Findings& findings,
                                                                    const Plan& plan,
                                                                    const std::string& run_folder);

}  // namespace benchbench
