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
// Names the side that holds the step back.
std::string side_words(const Telling& t, const PointFindings& p);
// Says why no side can be named, and which one seemed to be it.
std::string doubtful_words(const Telling& t, const PointFindings& p);
// Returns a sentence on what the substitutions of the point, or waits for a lock, found; begins
// with a space.
std::string component_words(const Telling& t, const PointFindings& p);
// Returns "Indicative: 3 rounds, noisy." or "Measured in 10 rounds." `rounds` are those of the
// numbers spoken of, not of the run. A wrapped script's are as many as it took.
std::string certainty_words(const Telling& t, const PointFindings& at, std::uint32_t rounds);
// Returns sentences on what was measured where no point has both sides; "" where nothing was.
std::string no_side_words(const Telling& t);

}  // namespace benchbench
