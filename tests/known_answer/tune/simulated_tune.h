// A whole tune of a simulated surface.
#pragma once
#include "harness/tune/result.h"
#include "tests/known_answer/tune/surface_case.h"

namespace benchbench::test {

inline std::vector<Observation> simulated_tune(const SurfaceCase& c, std::uint64_t seed) {
  Random random(seed);
  std::vector<Observation> records;
  double spent = 0;
  for (;;) {
    const Proposal next = propose(c.problem, records);
    if (next.stop != Stop::no) return records;
    for (const PointId p : next.trials) {
      records.push_back(
          measured_trial(c, p, next.round, next.purpose, next.hopeless_below, spent, random));
      spent += records.back().cost_runs;
    }
  }
}

}  // namespace benchbench::test
