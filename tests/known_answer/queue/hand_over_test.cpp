// What queue, pool, credits and slots owe their users, in virtual time. The same scenes run with
// real threads in known_answer/real_clock.
#include "tests/known_answer/hand_over_cases.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::virtual_hand_over {

const auto on = [](auto scene) { return in_virtual_time(scene); };

TEST_CASE("virtual hand-over: as many batches as tokens are begun, and not one more",
          "[known_answer][queue]") {
  check_that_credits_hold_workers_back(on);
}
TEST_CASE("virtual hand-over: what is made first is got first", "[known_answer][queue]") {
  check_that_the_first_made_is_the_first_got(on);
}
TEST_CASE("virtual hand-over: a batch that is kept keeps its bytes", "[known_answer][queue]") {
  check_that_a_lease_keeps_its_bytes(on);
}
TEST_CASE("virtual hand-over: no wake-up is lost", "[known_answer][queue]") {
  check_that_no_wake_up_is_lost(on);
}
TEST_CASE("virtual hand-over: a throw ends it with its cause, and every sample is somewhere",
          "[known_answer][queue]") {
  check_that_a_throw_ends_it_with_its_cause(on);
}

// Mocks that count from the call hide nothing that the harness spends between two of them.
TEST_CASE("virtual hand-over: it takes no time of its own", "[known_answer][queue]") {
  for (const auto& [make, step] : {std::pair{"1ms", "100us"}, {"100us", "1ms"}}) {
    const Trial trial = TrialOfMocks("synthetic", "timed",
                                     {{"loader.num_workers", "1"},
                                      {"loader.batch_time", make},
                                      {"loader.pace", "entered"},
                                      {"trainer.step_time", step},
                                      {"trainer.pace", "entered"}})
                            .trial();
    const ExecutorContext context{.catalog = built_in_catalog(),
                                  .environment = {},
                                  .dataset = {},
                                  .expected_digest = {},
                                  .simulated = true,
                                  .stop = nullptr,
                                  .progress = {}};
    const Facts facts = run_trial(trial, {}, context).facts;
    CHECK(facts.window.steps > 0);
    CHECK(static_cast<std::uint64_t>(facts.window.ns) == facts.window.steps * 1'000'000);
  }
}

}  // namespace benchbench::test::virtual_hand_over
