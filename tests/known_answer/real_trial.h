// Trials of mocks on the real clock.
#pragma once
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {

inline TrialRecord run_on_real_clock(const Trial& trial) {
  static const Environment environment = [] {
    Environment here = observe_environment();
    calibrate(here);
    return here;
  }();
  const ExecutorContext context{.catalog = built_in_catalog(),
                                .environment = environment,
                                .dataset = {},
                                .expected_digest = {},
                                .simulated = false,
                                .stop = nullptr,
                                .progress = {}};
  return run_trial(trial, {}, context);
}

}  // namespace benchbench::test
