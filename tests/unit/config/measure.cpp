// What holds between the keys of `measure`, and between them and the data.
#include "tests/unit/config/loading.h"

namespace benchbench::test {
namespace config_measure {

bool says(const Scenario& s, const std::string& text) {
  return std::any_of(s.decisions.begin(), s.decisions.end(),
                     [&](const std::string& d) { return d.find(text) != std::string::npos; });
}

TEST_CASE("class: gate and selftest bring their least window where none is given, and say so",
          "[unit][config]") {
  const Scenario gate = load_text(kMock + "measure: {class: gate}\n");
  CHECK(gate.base.text("measure.window") == "10s");
  CHECK(gate.base.integer("measure.window_batches") == 100);
  CHECK(says(gate,
             "measure.window is 10s, measure.window_batches is 100: the minimum of class gate"));
  const Scenario quick = load_text(kMock + "measure: {class: selftest, window_batches: 7}\n");
  CHECK(quick.base.text("measure.window") == "200ms");
  CHECK(quick.base.integer("measure.window_batches") == 7);
  ScenarioRequest request = request_for("");
  request.sets = {{"measure.class", "gate"}, {"measure.window", "3s"}};
  CHECK(load_text(kMock, request).base.text("measure.window") == "3s");
  const Scenario normal = load_text(kMock);
  CHECK(normal.base.text("measure.window") == "1s");
  CHECK(normal.base.integer("measure.window_batches") == 5);
  CHECK_FALSE(says(normal, "class"));
}

TEST_CASE("rounds: stop_at is at least 0.1 %, max_rounds at least rounds and nothing without it",
          "[unit][config]") {
  require_refused(kMock + "measure: {stop_at: 0.0005}\n", 3, 20, "0.0005", "0.001");
  require_refused(kMock + "measure: {stop_at: 0.02, rounds: 10, max_rounds: 5}\n", 3, 50, "5",
                  "measure.max_rounds is 5, less than measure.rounds, 10");
  CHECK(says(load_text(kMock + "measure: {max_rounds: 5}\n"),
             "max_rounds has no effect without measure.stop_at"));
  CHECK(load_text(kMock + "measure: {stop_at: 0.001, rounds: 50}\n")
            .base.integer("measure.max_rounds") == 30);
}

TEST_CASE("extras: what they compare with must be measured", "[unit][config]") {
  require_refused(kMock + "measure: {substitute: true, modes: [loader, trainer]}\n", 3, 36,
                  "[loader, trainer]", "mode pipeline");
  require_refused(kMock + "measure: {interference: true, modes: pipeline}\n", 3, 38, "pipeline",
                  "mode trainer");
  CHECK_NOTHROW(load_text(kMock + "measure: {substitute: true, modes: pipeline}\n"));
}

TEST_CASE("data: fewer samples than a batch with drop_last are refused under the batch size",
          "[unit][config]") {
  const std::string text =
      "dataset: {synthesize: {samples: 20}}\nloader: {use: native, batch_size: 32";
  require_refused(text + "}\ntrainer: {use: timed}\n", 2, 35, "32",
                  "loader.batch_size is 32, but the dataset has 20 samples");
  require_refused(
      "dataset: {synthesize: {samples: 20}, keep: 0.5}\n"
      "loader: {use: native, batch_size: 16}\ntrainer: {use: timed}\n",
      1, 44, "0.5", "loader.batch_size is 16, but dataset.keep: 0.5 leaves 10 samples");
  CHECK_NOTHROW(load_text(text + ", drop_last: false}\ntrainer: {use: timed}\n"));
  CHECK_NOTHROW(
      load_text("dataset: {synthesize: {samples: 20}}\nloader: {use: synthetic, batch_size: 32}\n"
                "trainer: {use: timed}\n"));
}

TEST_CASE("measure: a goal for au needs the two modes that au is made of", "[unit][config]") {
  require_refused(kMock + "measure: {au_at_least: 0.9, modes: [loader, pipeline]}\n", 3, 36,
                  "[loader, pipeline]",
                  "measure.au_at_least needs mode trainer, which measure.modes leaves out");
  require_refused(kMock + "measure: {au_at_least: 0.9, modes: [loader, trainer]}\n", 3, 36,
                  "[loader, trainer]", "needs mode pipeline");
  CHECK_NOTHROW(load_text(kMock + "measure: {au_at_least: 0.9, modes: [trainer, pipeline]}\n"));
  require_refused(kMock + "measure: {au_at_least: 90}\n", 3, 24, "90",
                  "90 is out of range; allowed: 0.01 to 1");
}

}  // namespace config_measure
}  // namespace benchbench::test
