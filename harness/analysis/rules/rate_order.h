// No pipeline is faster than its loader alone, nor than its trainer alone: rule I05, judged of the
// trials of a point together.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

inline constexpr const char* kRateOrder = "I05";

// A pipeline that is faster than one of its sides.
struct OutOfOrder {
  std::uint32_t trial = 0;  // the pipeline's
  bool invalid = false;     // in virtual time, where nothing but a wrong number explains it
  std::string text;
};

// Returns the pipelines that are faster than a side by more than the rounds (999 of 1,000 alike are
// closer together) and the cut of their windows allow. On the real clock it takes 2 % more, and one
// round says nothing. Leaves out sides that are only bounded, those that had not the same to do (a
// batch of other tokens, or one that is on the device already, or a lock that its workers share),
// and a wrapped script, which counts by itself. Where loader or trainer ran in a process of its
// own, a DataLoader alone is looked at: its batches were got there and dropped, in the pipeline got
// and handed on, and either window is of whole groups of workers. A step over there is not: it
// repeats held batches, which may take longer than fresh ones. Nor is an iterable of the user's,
// which may have made any number of batches ahead.
std::vector<OutOfOrder> rates_out_of_order(const Plan& plan, const JudgedTrials& trials);

}  // namespace benchbench
