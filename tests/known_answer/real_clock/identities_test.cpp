#include "tests/control.h"
#include "tests/known_answer/real_trial.h"
#include "tests/known_answer/trial_identities.h"

namespace benchbench::test {

// The identities hold on a busy machine as well, and are checked in each slice. How large their
// terms are is judged by the control.
TEST_CASE("real identities: nothing of the workers', the trainer's and the queue's time is lost",
          "[known_answer][real_clock]") {
  std::vector<TimedTrial> trials;
  for (const IdentityCase& c : kIdentityCases)
    trials.push_back({c.what,
                      [=] {
                        const TrialRecord record = run_on_real_clock(trial_of(c));
                        check_identities(c, record);
                        return spare_of_the_largest_terms(c, record.facts);
                      },
                      0, 1});
  judge_by_control({3, std::chrono::milliseconds{10}}, 0.1, trials);
}

}  // namespace benchbench::test
