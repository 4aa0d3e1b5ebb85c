// The parts of what binds. Each gives a clause without a full stop, unless it says otherwise.
#pragma once
#include <string>
#include <string_view>

#include "harness/report/conclusion/conclusion_part_words.h"

namespace benchbench {

// "12 ms of each 20 ms step (60 %)", "all of each 20 ms step"; `more` is added in the brackets.
std::string of_step(double part_ms, double step_ms, std::string_view more = "");
// Returns " with num_workers: 4", or "" of the base.
std::string where_words(const Telling& t, const PointFindings& p);
// Returns what the side that is named takes of a step alone, else what it costs.
const Measured& side_ms(const PointFindings& p);
// Returns the same in ms, of a wrapped script as its table has it. `side_ms` has a value.
double taken_ms(const Telling& t, const PointFindings& p);

// Names the side that holds the step back.
std::string side_words(const Telling& t, const PointFindings& p);
// Says why no side can be named, and which one seemed to be it.
std::string doubtful_words(const Telling& t, const PointFindings& p);
// Returns a sentence on what the substitutions of the point, or waits for a lock, found; begins
// with a space.
std::string component_words(const Telling& t, const PointFindings& p);
// True if the point is NOISY, and that is said.
bool is_said_noisy(const Telling& t, const PointFindings& at);
// Returns "Indicative: 3 rounds, noisy." or "Measured in 10 rounds." `rounds` are those of the
// numbers spoken of, not of the run. A wrapped script's are as many as it took.
std::string certainty_words(const Telling& t, const PointFindings& at, std::uint32_t rounds);
// Returns sentences on what was measured where no point has both sides; "" where nothing was.
std::string no_side_words(const Telling& t);

}  // namespace benchbench
