// The time of a wrapped script's job, in words.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// "29 % in first batches of valid (train.py:50)".
std::string part_words(const JobPart& part);
// "29 % in ..., 10 % in ...": the largest parts outside of the steps that come again, `most` of
// them.
std::string outside_words(const JobTime& job, std::size_t most);
// Two sentences where more of the job's time is lost outside of its steps, again and again, than
// they wait for batches, else "": what takes it, and what the job makes where its steps alone make
// more. The second one is left out where some of the rest came once.
// `brief`: as for the last paragraph.
std::string lost_outside_words(const JobTime& job, int brief);
// Label and text of the detailed report's lines: the job, its parts.
std::vector<std::pair<std::string, std::string>> job_lines(const JobTime& job);
// Sentences on a script without a stretch that can be used: where it hung, its steps' rate, or how
// its time divides; "" where none of these is known.
std::string words_without_stretch(const ExternalPoint& seen);
// "31 steps/s (32 ms each, over 622 steps): 99 % of that passes before ...", of times in ns.
std::string steps_words(std::uint64_t steps, double before_ns, double backward_ns, double rest_ns);
// The names and ms of the parts of a wrapped script's step, of all rounds; the last is what no part
// explains. Empty where that is not known. `name`: of the loader that is measured.
std::vector<std::pair<std::string, double>> step_rows(const PointFindings& point,
                                                      const ExternalPoint* seen,
                                                      const std::string& name);

}  // namespace benchbench
