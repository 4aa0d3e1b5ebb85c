// What stands around the numbers: the run, the machine, how far to trust differences, where results
// lie.
#pragma once
#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// One or two rounds hold too few pairs for what 95 of 100 stay under: what was seen is said then,
// and the estimate as one.
inline constexpr std::uint32_t kNoiseRounds = 3;

inline constexpr std::array kStatusWords{"valid",  "noisy",   "invalid",
                                         "failed", "skipped", "aborted"};  // by Status
// "90 valid, 9 noisy": trials of these statuses, where there are any.
std::string counts_text(const Findings& findings, std::initializer_list<Status> statuses);
// "configs/resnet.yaml, 11 points, 3 rounds, 99 trials: 90 valid, 9 noisy". Without `detail`, of a
// wrapped script's stretches those that are used are distinguished only where noise decides.
std::string run_line(const Findings& findings, const Plan& plan, bool detail = true);
// "3 faulty samples: a.jpg (Premature end of JPEG file), ..."
std::string faults_line(const Findings& findings);
// "; measuring cost 0.3 %", of the worst usable trial; "" where none is usable.
std::string cost_of_measuring(const Findings& findings);
// Name and text, in the order to print: noise, machine, software, decided, results. `run_folder`
// may be empty.
std::vector<std::pair<std::string, std::string>> surroundings_of(const Findings& findings,
                                                                 const Plan& plan,
                                                                 const std::string& run_folder);

}  // namespace benchbench
