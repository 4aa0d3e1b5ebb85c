// Two runs, point by point: is B slower or faster than A, and where. Pure; deterministic.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compare/comparison_findings.h"

namespace benchbench {

struct ComparedRun {
  const Plan& plan;
  const std::vector<TrialRecord>& records;
};

struct CompareAsked {
  Relation relation = Relation::stored;
  // Of stored runs: what identical runs of two sessions differ by here, as a share; a smaller
  // change is never called. nullopt: not known, so that nothing can be called. Virtual time has
  // none.
  std::optional<double> spread;
  std::vector<std::string> across;  // keys that may differ between paired points of stored runs
};

// The unit is the round. Interleaved rounds are pairs by their number; a run with itself too;
// stored runs are two sets. All comparisons are decided together (compare_all). Only clean pairs
// (clean_pairs.h), or VALID rounds of sets, are used where enough of them are there; where they are
// not, the NOISY ones are used with them. Sets are then UNSURE, and pairs whose noise comes with a
// side; other pairs are judged all the same. `a` and `b` must outlive the call only.
ComparisonFindings compare_runs(const ComparedRun& a, const ComparedRun& b,
                                const CompareAsked& asked);

// Whether both hold the same trials, by when they began and what they gave.
bool are_same_run(const ComparedRun& a, const ComparedRun& b);

}  // namespace benchbench
