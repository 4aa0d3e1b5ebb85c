#include "tests/known_answer/trial_identities.h"

namespace benchbench::test {

TEST_CASE("virtual identities: nothing of the workers', the trainer's and the queue's time is lost",
          "[known_answer][queue]") {
  for (const IdentityCase& c : kIdentityCases) {
    const TrialRecord record = run_simulated(trial_of(c));
    check_identities(c, record);
    CHECK(spare_of_the_largest_terms(c, record.facts) > 0);
  }
}

}  // namespace benchbench::test
