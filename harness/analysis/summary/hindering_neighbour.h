// Who else may have cost most of what neither loader nor trainer takes alone. Pure.
#pragma once
#include <optional>
#include <span>

#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// Who else uses what a trial runs on (R09): other programs on its cores, other guests of its host,
// another process on its GPU.
enum class Neighbour : std::uint8_t { programs, guests, on_gpu };

// Returns the kind of neighbour that may have cost the pipeline most, by the trials that R09
// doubts, over all usable ones of it; nullopt where that is less than half of the contention, and
// where no contention is named. Neighbours of the loader's or the trainer's own trials make
// contention smaller, not larger. A process on the GPU has no bound: it may have cost all of a
// trial.
std::optional<Neighbour> hindering_neighbour(const Verdict& verdict, JudgedRecords pipeline);

}  // namespace benchbench
