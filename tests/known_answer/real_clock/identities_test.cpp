#include "tests/known_answer/real_clock/real_trial.h"
#include "tests/known_answer/trial_identities.h"

namespace benchbench::test {

TEST_CASE("real identities: nothing of the workers', the trainer's and the queue's time is lost",
          "[known_answer][real_clock]") {
  check_identities_of_trials([](const Trial& trial) { return run_on_real_clock(trial); });
}

}  // namespace benchbench::test
