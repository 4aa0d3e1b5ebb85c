// Warnings that a reader needs before believing a comparison.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/page_faults.h"
#include "harness/analysis/summary/point_summary.h"

namespace benchbench {

struct Warnings {
  struct Storage {
    std::vector<std::string> axes;  // swept, and of how data lie or are read
    // The least share of any point, almost all; nullopt where it was not measured.
    std::optional<double> from_cache;
  };
  // A trial's own words on what it could not do as asked.
  struct Notice {
    std::string text;
    std::vector<std::uint32_t> trials;
    bool all = false;  // of several, all that ran
  };
  struct PeriodicStalls {
    std::uint32_t point = 0;   // where they cost most
    std::uint32_t points = 0;  // that have some
  };
  // A mock that took longer than it was asked to, in the trial where that is most: over the usable
  // rounds together.
  struct LateMock {
    bool trainer = false;  // else the loader
    std::uint32_t trial = 0;
    double asked_ms = 0, taken_ms = 0;  // a step, a batch
    std::uint32_t trials = 0;  // whose rate is not the one asked for either, this one among them
  };
  // A trial whose rate in a process that had run others is not that in one of its own.
  struct SharedProcess {
    std::uint32_t trial = 0;
    double gap = 0;  // 0.03: 3 % faster there
  };
  std::optional<Storage> storage;  // swept, but not known to be compared
  std::vector<Notice> notices;
  std::optional<PeriodicStalls> stalls;
  std::vector<LateMock> late_mocks;  // loader, trainer
  std::optional<UnlikeRepeats> unlike_repeats;
  std::optional<CoresUsed> other_programs;  // nullopt: hardly any, or not measured
  std::uint32_t foreign = 0;                // records of another plan, left out
  std::optional<SharedProcess> shared_process;
  bool shared_unchecked = false;  // processes were shared, and no trial was measured both ways
};

// Returns nullopt where other programs used next to nothing, or where it was not measured.
std::optional<CoresUsed> other_programs_seen(const JudgedTrials& trials);

Warnings warnings_of(const Plan& plan, const JudgedTrials& trials,
                     const std::vector<PointFindings>& points);

}  // namespace benchbench
