// What trainer.intra_op_threads: auto comes to.
#include "harness/record/external_keys.h"
#include "tests/unit/config/external_catalog.h"

namespace benchbench::test {
namespace threads {

constexpr const char* kThreads = "trainer.intra_op_threads";
const std::string kTheirs = "trainer.intra_op_threads: auto is the script's own number";
const std::string kOurs = "trainer.intra_op_threads: auto is 8: 8 cores";

Scenario on_8_cores(const std::string& text) {
  ScenarioRequest request = request_for("");
  request.cores = 8;
  return load_python(text, request);
}
std::string in(const Scenario& s, std::size_t value) {
  for (const auto& [key, held] : s.axes.at(0).values.at(value).set)
    if (key == kThreads) return held.text();
  return "as the base";
}

TEST_CASE("threads: auto leaves the user's own where a step runs in their Python", "[unit][config]") {
  const Scenario s = on_8_cores(kPython);
  CHECK(s.base.integer(kThreads) == kUsersOwnThreads);
  CHECK(decided(s, kTheirs));
  CHECK_FALSE(decided(s, kOurs));
  const Scenario dropped = on_8_cores(kPythonLoader + "trainer: {use: discard}\n");
  CHECK(dropped.base.integer(kThreads) == kUsersOwnThreads);
  const Scenario handed_over = on_8_cores(kPythonLoader + "trainer: {use: timed}\n");
  CHECK(handed_over.base.integer(kThreads) == 8);
  CHECK(decided(handed_over, kOurs));
  CHECK_FALSE(decided(handed_over, kTheirs));
}

TEST_CASE("threads: a number that is given is given to the user's code, too", "[unit][config]") {
  const Scenario s = on_8_cores(kPythonLoader + "trainer: {use: python, script: train.py, call: train_step, intra_op_threads: 3}\n"
                                "sweep: {trainer.intra_op_threads: [auto, 2]}\n");
  CHECK(s.base.integer(kThreads) == 3);
  CHECK(in(s, 0) == std::to_string(kUsersOwnThreads));
  CHECK(s.axes.at(0).values.at(0).label == "auto");
  CHECK(in(s, 1) == "2");
}

TEST_CASE("threads: of several trainers each has its own auto", "[unit][config]") {
  const std::string python = "{use: python, script: train.py, call: train_step}", axis = "sweep: {trainer: [{use: timed}, " + python + "]}\n";
  const Scenario theirs = on_8_cores(kPython + axis);
  CHECK(in(theirs, 0) == "8");
  CHECK(in(theirs, 1) == "as the base");
  const Scenario ours = on_8_cores(kPythonLoader + "trainer: {use: timed}\n" + axis);
  CHECK(in(ours, 0) == "as the base");
  CHECK(in(ours, 1) == std::to_string(kUsersOwnThreads));
  CHECK(decided(ours, kOurs));
  CHECK(decided(ours, kTheirs));
  const Scenario given = on_8_cores(kPythonLoader + "trainer: {use: timed, intra_op_threads: 2}\n" + axis);
  CHECK(given.base.integer(kThreads) == 2);
  CHECK(in(given, 1) == "as the base");
}

}  // namespace threads
}  // namespace benchbench::test
