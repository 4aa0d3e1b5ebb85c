// What queue, pool, credits and slots owe their users, with real threads. The same scenes run in
// virtual time in known_answer/queue.
#include "tests/known_answer/hand_over_cases.h"

namespace benchbench::test::real_hand_over {

const auto on = [](auto scene) { return on_real_threads(scene); };

TEST_CASE("real hand-over: as many batches as tokens are begun, and not one more",
          "[known_answer][real_clock]") {
  check_that_credits_hold_workers_back(on);
}
TEST_CASE("real hand-over: what is made first is got first", "[known_answer][real_clock]") {
  check_that_the_first_made_is_the_first_got(on);
}
TEST_CASE("real hand-over: a batch that is kept keeps its bytes", "[known_answer][real_clock]") {
  check_that_a_lease_keeps_its_bytes(on);
}
TEST_CASE("real hand-over: no wake-up is lost", "[known_answer][real_clock]") {
  check_that_no_wake_up_is_lost(on);
}
TEST_CASE("real hand-over: a throw ends it with its cause, and every sample is somewhere",
          "[known_answer][real_clock]") {
  check_that_a_throw_ends_it_with_its_cause(on);
}

}  // namespace benchbench::test::real_hand_over
