// Figures of the points and the knobs of a tune. Pure.
#pragma once
#include <optional>
#include <vector>

#include "harness/tune/tune_findings.h"

namespace benchbench {

struct PointFigures {
  PointId point = 0;
  double rate = 0;  // samples/s, the effects of rounds taken out
  std::uint32_t trials = 0;
  std::optional<double> memory_bytes;            // the largest of its trials
  std::optional<double> cpu_seconds_per_sample;  // mean
};

// Of every point that has a rate, the fastest first.
std::vector<PointFigures> figures_of(const TuneFindings& findings);
// Of points that are sorted by rate, those of which no faster one needs no more memory and no more
// CPU time a sample: 2 % more is no more. Without memory and CPU, the fastest alone.
std::vector<PointFigures> pareto_of(std::vector<PointFigures> points);

// What the chosen value of a knob gives against the present one, all else as chosen.
struct KnobWorth {
  std::size_t knob = 0;
  bool has_present = true;  // false: without effect there, so that it is worth nothing against that
  Measured ratio;           // without an interval; nullopt: that point was not measured
};
// Returns the knobs whose found value differs from the present one.
std::vector<KnobWorth> worths_of(const TuneFindings& findings);
// The largest of its trials' memory.
std::optional<double> memory_of(const TuneFindings& findings, PointId point);

}  // namespace benchbench
