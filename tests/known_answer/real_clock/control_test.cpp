// The control itself: what it finds, and what it leaves open.
#include "tests/control.h"

namespace benchbench::test::real_control {

Verdict verdict_of(const std::vector<double>& seen) {
  Slices slices(2);
  for (const double off : seen) slices.add(off, -1, 1);
  return slices.verdict();
}

TEST_CASE("control: two slices that are right are enough, and five that are wrong",
          "[known_answer][real_clock]") {
  CHECK(verdict_of({}) == Verdict::open);
  CHECK(verdict_of({0}) == Verdict::open);
  CHECK(verdict_of({0, 1}) == Verdict::right);
  CHECK(verdict_of({2, 0, 0}) == Verdict::right);
  CHECK(verdict_of({2, 2, 2, 2}) == Verdict::open);
  CHECK(verdict_of({2, 2, 2, 2, 2}) == Verdict::wrong);
  CHECK(verdict_of({-2, -2, -2, -2, -2}) == Verdict::wrong);
}

TEST_CASE("control: what is now right and now wrong is neither", "[known_answer][real_clock]") {
  CHECK(verdict_of({2, 0, 2, 0, 2, 0, 2, 0}) == Verdict::open);
  CHECK(verdict_of({2, 2, 2, 2, 2, 2, 2, 2, 0}) == Verdict::open);
  CHECK(verdict_of({-2, 2, -2, 2, -2, 2, -2, 2}) == Verdict::open);
  CHECK(verdict_of({2.4, 2.8, 4.2, 8.8, 9.9}) == Verdict::open);
  CHECK(verdict_of({5, 5.3, 4.9, 5.1, 5.2}) == Verdict::wrong);
}

// Runs steps of a millisecond that take `longer` more, as a share.
TimedTrial loop_that_takes(double longer) {
  const auto step = static_cast<std::int64_t>(1e6 * (1 + longer));
  return {"loop", [=] { return run_bare_loop({1, Nanoseconds{step}}).longer + longer; }, -0.01,
          0.01};
}

TEST_CASE("real clock: a loop that is 5 % late is wrong, and one that is in time is right",
          "[known_answer][real_clock]") {
  JudgedTrials judged({1, std::chrono::milliseconds{1}}, 0.005,
                      {loop_that_takes(0), loop_that_takes(0.05)});
  judged.run();
  const std::vector<Verdict> verdicts = judged.verdicts();
  CHECK(verdicts[0] != Verdict::wrong);
  CHECK(verdicts[1] != Verdict::right);
  if (std::ranges::count(verdicts, Verdict::open) > 0)
    BENCHBENCH_NOT_JUDGED("a bare loop keeps no better time");
}

}  // namespace benchbench::test::real_control
