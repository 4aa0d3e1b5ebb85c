// A small space for unit tests: workers × prefetch_factor × pin_memory.
#pragma once
#include <string>
#include <vector>

#include "harness/tune/problem.h"

namespace benchbench::test {

inline Knob number_knob(std::string name, KnobKind kind, const std::vector<double>& values,
                        bool needs_workers = false) {
  Knob k{std::move(name), kind, {}, needs_workers};
  for (const double v : values)
    k.values.push_back(
        {std::to_string(static_cast<int>(v)), v, static_cast<std::uint32_t>(k.values.size())});
  return k;
}

inline Space small_space(const std::vector<double>& workers = {0, 1, 2, 4, 8, 16}) {
  Knob pin{"pin_memory", KnobKind::flag, {{"false", 0, 0}, {"true", 1, 1}}, false};
  return Space({number_knob("num_workers", KnobKind::workers, workers),
                number_knob("prefetch_factor", KnobKind::depth, {2, 4, 8}, true), pin});
}

inline Observation observed(PointId point, std::uint32_t round, double rate,
                            TuneOutcome outcome = TuneOutcome::measured) {
  return {point, round, Purpose::search, outcome, rate, {}, {}, 1.0 / 3, {}};
}

}  // namespace benchbench::test
