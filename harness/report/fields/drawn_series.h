// What steps took and probes saw over one trial's window, in as few values as a picture has room
// for.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/text/formats.h"

namespace benchbench {

inline constexpr std::size_t kDrawnValues = 2000;  // of a series, at most

struct DrawnSeries {
  std::string name;  // "step", "get_blocked", "cpu_loader": of a probe its name
  std::string unit;  // "ms" of steps; of a probe that of ProbeFacts
  // Values that the store has; more than are drawn: the least and the most of neighbours are.
  std::uint64_t kept = 0;
  std::uint64_t kept_every = 1;  // SeriesFile's
  // The step's place in the window, or seconds since its begin; and the value.
  std::vector<std::pair<double, double>> values;
};

// One trial of a point's pipeline.
struct DrawnTrial {
  std::uint32_t point = 0;
  const TrialRecord* record = nullptr;
  std::vector<DrawnSeries> steps, probes;  // of probes CPU by role, memory and disk
  std::string why;                         // where neither could be read
};

// The trial that is shown of a point: the first VALID run of its pipeline, else the first NOISY
// one; nullptr where there is none.
const TrialRecord* shown_trial(const ReportInput& in, std::uint32_t point);
// The points that are shown by a trial: the base, and the one to use where that is another.
std::vector<std::uint32_t> shown_points(const Findings& findings);
// Of each of them that has such a trial.
std::vector<DrawnTrial> drawn_trials(const ReportInput& in);

}  // namespace benchbench
