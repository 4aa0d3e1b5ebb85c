// Runs whose every trial must be INVALID for the length of its window are refused.
#include "harness/plan/short_windows.h"

#include <limits>

#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace short_windows_test {

constexpr double kInf = std::numeric_limits<double>::infinity();
const WindowClass& kNormal = window_class("normal");  // 1 s, 5 batches
const WindowClass& kGate = window_class("gate");      // 10 s, 100 batches

TEST_CASE("short windows: what is asked for and the step decide whether a window can last",
          "[unit][plan]") {
  // As asked for or more: whatever the step.
  CHECK(can_last(1, 5, kNormal, {0, kInf}));
  CHECK(can_last(10, 100, kGate, {3, 3}));
  // Too short, but long steps fill it; nothing is certain where the step is not known.
  CHECK(can_last(0.2, 5, kNormal, {0, kInf}));
  CHECK(can_last(0.2, 5, kNormal, {0.2, 0.2}));
  CHECK_FALSE(can_last(0.2, 5, kNormal, {0.001, 0.199}));
  // The last step may end after the window: 0.9 + 0.1.
  CHECK(can_last(0.9, 5, kNormal, {0.1, 0.1}));
  CHECK_FALSE(can_last(0.9, 5, kNormal, {0.001, 0.099}));
  // Batches: 100 of them do not fit 10 s where a step takes 10/99 s.
  CHECK(can_last(10, 5, kGate, {0.1, 0.1}));
  CHECK(can_last(10, 5, kGate, {0.101, 5}));
  CHECK_FALSE(can_last(10, 5, kGate, {10.0 / 99, 5}));
  CHECK_FALSE(can_last(10, 99, kGate, {0.4, 0.4}));
  CHECK(can_last(10, 100, kGate, {0.4, 0.4}));
  // Too short in both: short steps end it before 10 s, long ones before 100 batches.
  CHECK_FALSE(can_last(1, 5, kGate, {0, kInf}));
}

std::string mocks(const std::string& step, const std::string& measure) {
  return "loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 1ms}\n"
         "trainer: {use: timed, step_time: " +
         step + "}\nmeasure: {" + measure + "}\n";
}

TEST_CASE(
    "short windows: a class's batches that its window cannot hold are refused with what would do",
    "[unit][plan]") {
  const auto refused = [](const std::string& step, const std::string& measure) -> std::string {
    try {
      plan_text(mocks(step, measure));
    } catch (const Error& e) {
      return std::string(e.what()) + " | " + std::string(e.hint());
    }
    return "";
  };
  const std::string gate = "class: gate, modes: trainer, window: 10s, window_batches: 5";
  CHECK(refused("90ms", gate) == "");
  CHECK_THAT(
      refused("400ms", gate),
      Catch::Contains("every trial would be INVALID (R07): class gate needs a window of 10s and "
                      "100 batches, but measure.window is 10s and measure.window_batches 5") &&
          Catch::Contains("set measure.window_batches to 100") && Catch::Contains("40"));
  // Other trials of the run can last: the loader's are short.
  CHECK(refused("400ms", "class: gate, window: 10s, window_batches: 5") == "");
  CHECK_THAT(refused("1ms", "window: 200ms"), Catch::Contains("measure.window is 200ms") &&
                                                  Catch::Contains("set measure.window to 1s"));
  CHECK(refused("1ms", "window: 200ms, class: selftest") == "");
  CHECK_THAT(refused("1ms", "class: gate, window: 1s, window_batches: 5"),
             Catch::Contains("set measure.window to 10s"));
}

TEST_CASE("windows: one that outlasts the timeout with its warm-up is refused before anything runs",
          "[unit][plan]") {
  const auto refused = [](const std::string& measure, bool simulated = false) -> std::string {
    PlanContext context = context_for();
    context.simulated = simulated;
    try {
      plan_text(mocks("1ms", measure), context);
    } catch (const ScenarioError& e) {
      return std::string(e.what()) + " | " + std::string(e.hint());
    }
    return "";
  };
  CHECK_THAT(refused("window: 10s, timeout: 1s"),
             Catch::StartsWith("every trial would be ended by its timeout: measure.window is 10s, "
                               "but measure.timeout is 1s | set measure.timeout to more"));
  CHECK_THAT(refused("window: 1h"),
             Catch::Contains("measure.window is 1h, but measure.timeout is 600s"));
  CHECK_THAT(
      refused("window: 3s, warmup: 3s, timeout: 5s"),
      Catch::Contains("measure.warmup is 3s and measure.window is 3s, but measure.timeout is 5s"));
  CHECK(refused("window: 3s, warmup: 2s, timeout: 5s") == "");
  CHECK(refused("window: 10s, timeout: 10s") == "");
  CHECK(refused("window: 10s, timeout: 1s", true) == "");  // ten seconds of virtual time take less
}

TEST_CASE("windows: bursts of slow batches that outlast the timeout are refused with their number",
          "[unit][plan]") {
  const auto refused = [](const std::string& batch_time, bool simulated = false) -> std::string {
    PlanContext context = context_for();
    context.simulated = simulated;
    try {
      plan_text("loader: {use: synthetic, num_workers: 8, batch_size: 4, batch_time: " +
                    batch_time + "}\ntrainer: {use: timed}\nmeasure: {modes: loader}\n",
                context);
    } catch (const ScenarioError& e) {
      return std::string(e.what()) + " | " + std::string(e.hint());
    }
    return "";
  };
  // 16 batches ahead and a burst of 8, then two bursts: 40 batches, of which 8 workers make one in
  // an eighth of the time.
  CHECK_THAT(refused("400s"),
             Catch::StartsWith("a trial would be ended by its timeout: a window of 8 workers holds "
                               "16 batches or more, after 24 that are not counted, of ") &&
                 Catch::Contains("but measure.timeout is 600s") &&
                 Catch::Contains("set measure.timeout to more"));
  CHECK(refused("100s") == "");  // 500 s
  CHECK(refused("400s", true) == "");
}

TEST_CASE("short windows: two bursts of a window are enough for its class", "[unit][plan]") {
  const std::string text =
      "loader: {use: synthetic, num_workers: 8, batch_size: 4, batch_time: 800ms}\n"
      "trainer: {use: timed}\nmeasure: {modes: loader, window: 100ms, window_batches: 1}\n";
  CHECK_NOTHROW(plan_text(text));  // 16 batches of 100 ms each
  const std::string alone =
      "loader: {use: synthetic, num_workers: 1, batch_size: 4, batch_time: 100ms}\n"
      "trainer: {use: timed}\nmeasure: {modes: loader, window: 100ms, window_batches: 1}\n";
  CHECK_THROWS_WITH(plan_text(alone), Catch::Contains("every trial would be INVALID"));
}

TEST_CASE("short windows: earlier runs tell the step where no mock does", "[unit][plan]") {
  const std::string text = kSixAxes + "measure: {window: 500ms, modes: trainer}\n";
  PlanContext context = context_for();
  const Plan plan = plan_text(text, context);  // nothing is known, so nothing is certain
  for (const Trial& t : plan.trials) context.prices[price_key(t)].step_seconds = 0.01;
  CHECK_THROWS_WITH(plan_text(text, context), Catch::Contains("every trial would be INVALID"));
  context.prices[price_key(plan.trials[1])].step_seconds = 0.2;
  CHECK_NOTHROW(plan_text(text, context));
}

// A run that is refused teaches no other price: what one cold run took must not keep out all later
// ones.
TEST_CASE(
    "short windows: that an earlier run's steps were long refuses nothing, "
    "that mocks' are set so does",
    "[unit][plan]") {
  const std::string gate =
      "measure: {class: gate, modes: trainer, window: 10s, window_batches: 5}\n";
  PlanContext context = context_for();
  for (const Trial& t : plan_text(kSixAxes + gate, context).trials)
    context.prices[price_key(t)].step_seconds = 0.6;
  CHECK_NOTHROW(plan_text(kSixAxes + gate, context));
  const std::string slow =
      mocks("400ms", "class: gate, modes: trainer, window: 10s, window_batches: 5");
  PlanContext warm = context_for();
  for (const Trial& t :
       plan_text(mocks("400ms", "modes: trainer, window: 10s, window_batches: 5"), warm).trials)
    warm.prices[price_key(t)].step_seconds = 0.01;
  CHECK_THROWS_WITH(plan_text(slow, warm), Catch::Contains("every trial would be INVALID"));
}

TEST_CASE("short windows: an earlier run's longer steps leave a mock's window its chance",
          "[unit][plan]") {
  const std::string text = mocks("1ms", "window: 500ms, modes: trainer");
  PlanContext context = context_for();
  CHECK_THROWS(plan_text(text, context));
  for (const Trial& t : plan_text(mocks("1ms", "modes: trainer"), context).trials)
    context.prices[price_key(t)].step_seconds = 0.2;
  CHECK_NOTHROW(plan_text(text, context));
}

}  // namespace short_windows_test
}  // namespace benchbench::test
