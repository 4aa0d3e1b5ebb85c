#include "tests/known_answer/trial_identities.h"

namespace benchbench::test {

TEST_CASE("virtual identities: nothing of the workers', the trainer's and the queue's time is lost",
          "[known_answer][queue]") {
  check_identities_of_trials([](const Trial& trial) { return run_simulated(trial); });
}

}  // namespace benchbench::test
