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

TEST_CASE("threads: auto leaves the user's own where a step runs in their Python",
          "[unit][config]") {
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
  const Scenario s =
      on_8_cores(kPythonLoader +
                 "trainer: {use: python, script: train.py, call: train_step, intra_op_threads: 3}\n"
                 "sweep: {trainer.intra_op_threads: [auto, 2]}\n");
  CHECK(s.base.integer(kThreads) == 3);
  CHECK(in(s, 0) == "auto");
  CHECK_FALSE(s.threads_follow);
  CHECK(s.axes.at(0).values.at(0).label == "auto");
  CHECK(in(s, 1) == "2");
}

TEST_CASE("threads: where trainers are swept, what auto comes to is told of all that run",
          "[unit][config]") {
  const std::string python = "{use: python, script: train.py, call: train_step}",
                    axis = "sweep: {trainer: [{use: timed}, " + python + "]}\n";
  for (const std::string& base : {kPython, kPythonLoader + "trainer: {use: timed}\n"}) {
    const Scenario s = on_8_cores(base + axis);
    CHECK(s.threads_follow);
    CHECK(s.auto_threads == 8);
    CHECK(decided(s, kOurs));
    CHECK(decided(s, kTheirs));
  }
  const Scenario given =
      on_8_cores(kPythonLoader + "trainer: {use: timed, intra_op_threads: 2}\n" + axis);
  CHECK(given.base.integer(kThreads) == 2);
  CHECK_FALSE(given.threads_follow);
  CHECK_FALSE(decided(given, kTheirs));
}

TEST_CASE("threads: in a grid and a zip, pairs count that no axis makes by itself",
          "[unit][config]") {
  const std::string
      native =
          "dataset: {synthesize: {samples: 8}}\nloader: {use: native}\ntrainer: {use: timed}\n",
      axes =
          "  loader: [{use: native}, {use: python, script: a.py, call: f}]\n  trainer: [{use: "
          "timed}, {use: discard}]\n";
  for (const char* mode : {"grid", "zip"}) {
    const Scenario s = on_8_cores(native + "sweep:\n  mode: " + mode + "\n" + axes);
    CHECK(decided(s, kTheirs));
    CHECK(decided(s, kOurs));
    CHECK(decided(s, "measure.modes is loader where the trainer is discard"));
  }
  const Scenario star = on_8_cores(native + "sweep:\n" + axes);
  CHECK_FALSE(decided(star, kTheirs));
  CHECK_FALSE(decided(star, "measure.modes is loader"));
}

}  // namespace threads
}  // namespace benchbench::test
