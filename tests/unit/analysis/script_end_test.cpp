// The end of a wrapped script's command, from which the exit code follows.
#include "harness/analysis/external/script_end.h"

#include <catch2/catch.hpp>

namespace benchbench::script_end_test {
namespace {

constexpr ChildEnd kGood{}, kFailed{3, 0}, kKilled{0, 9};

CommandEnd command_of(WrapReason reason, const ChildEnd& script, bool answered) {
  WrapEnd end;
  end.reason = reason;
  return end_of_command(&end, script, answered);
}

}  // namespace

TEST_CASE("script end: a script that fails by itself has failed, with an answer or without",
          "[unit][analysis][wrap]") {
  for (const WrapReason reason : {WrapReason::script_failed, WrapReason::script_ended,
                                  WrapReason::lost, WrapReason::internal, WrapReason::refused})
    for (const bool answered : {true, false})
      CHECK(command_of(reason, kFailed, answered) == CommandEnd::failed);
  CHECK(end_of_command(nullptr, kKilled, true) == CommandEnd::failed);
  CHECK(end_of_command(nullptr, kGood, true) == CommandEnd::answered);
  CHECK(end_of_command(nullptr, kGood, false) == CommandEnd::no_answer);
}

TEST_CASE("script end: one that was ended as planned did not fail once there is an answer",
          "[unit][analysis][wrap]") {
  for (const WrapReason reason :
       {WrapReason::answer, WrapReason::budget_over, WrapReason::saver_called, WrapReason::checked,
        WrapReason::stopped, WrapReason::no_fetch, WrapReason::no_loader}) {
    CHECK(is_ended_by_us(reason));
    CHECK(command_of(reason, kFailed, true) == CommandEnd::answered);
    CHECK(command_of(reason, kFailed, false) == CommandEnd::failed);
    CHECK(command_of(reason, kKilled, false) == CommandEnd::no_answer);
  }
}

TEST_CASE("script end: a hang is one, with an answer and without", "[unit][analysis][wrap]") {
  for (const ChildEnd& script : {kGood, kFailed, kKilled})
    for (const bool answered : {true, false})
      CHECK(command_of(WrapReason::hangs, script, answered) == CommandEnd::hung);
}

TEST_CASE("script end: of ranks the first that ended for a reason of its own counts",
          "[unit][analysis][wrap]") {
  CHECK_FALSE(is_of_itself(WrapReason::stopped));
  CHECK_FALSE(is_of_itself(WrapReason::lost));
  CHECK(is_of_itself(WrapReason::script_failed));
  CHECK(is_of_itself(WrapReason::script_ended));
}

TEST_CASE("script end: one that ended by itself, at its budget or at a saver was too short",
          "[unit][analysis][wrap]") {
  CHECK(was_too_short(WrapReason::script_ended));
  CHECK(was_too_short(WrapReason::budget_over));
  CHECK(was_too_short(WrapReason::saver_called));
  CHECK_FALSE(was_too_short(WrapReason::script_failed));
  CHECK_FALSE(was_too_short(WrapReason::no_loader));
}

}  // namespace benchbench::script_end_test
