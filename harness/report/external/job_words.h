// The time of a wrapped script's job, in words.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// "29 % in first batches of valid (train.py:50)".
std::string part_words(const JobPart& part);
// "29 % in ..., 10 % in ...": the largest parts outside of the steps, `most` of them.
std::string outside_words(const JobTime& job, std::size_t most);
// Two sentences where more of the job's time is lost outside of its steps than they wait for
// batches, else "": what takes it, and what the job makes where its steps alone make more.
// `brief`: as for the last paragraph.
std::string lost_outside_words(const JobTime& job, int brief);
// Label and text of the detailed report's lines: the job, its parts.
std::vector<std::pair<std::string, std::string>> job_lines(const JobTime& job);
// The ms of a step that neither its wait nor the trainer alone explains; nullopt where one
// of them was not measured.
std::optional<double> unexplained_ms(const PointFindings& point);
// "8.1 ms: ... unexplained 0.3 ms"; "" where it is not known.
std::string step_parts_line(const PointFindings& point);

}  // namespace benchbench
