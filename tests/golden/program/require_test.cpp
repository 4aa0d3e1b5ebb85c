// `require` on mocks whose answer is known, in virtual time.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace require_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// A step of 1 ms, four samples a batch; one worker makes a batch in 2 ms. Cases that ask for the
// same get copies of one run.
Ran require(const Scratch& s, std::vector<std::string> more) {
  const std::vector<std::string> words{"require", "tiny.yaml", "--clock", "simulated",
                                       "--out",   "out",       "--quiet"};
  more.insert(more.begin(), words.begin(), words.end());
  return copy_shared_run(s, tiny_scenario(), more);
}

// The loader gives half of what the step needs.
Ran require_strictly(const Scratch& s) { return require(s, {"--strict", "--json", "out.json"}); }

nlohmann::json required(const Scratch& s, std::vector<std::string> more) {
  more.insert(more.end(), {"--json", "out.json"});
  const Ran ran = require(s, more);
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  return nlohmann::json::parse(read_file(s.path("out.json")));
}

TEST_CASE(
    "require: a constant step needs its batch over its time, "
    "within 1 %, and two workers of this loader",
    "[golden][app]") {
  const Scratch s;
  require_strictly(s);
  const auto json = nlohmann::json::parse(read_file(s.path("out.json")));
  CHECK(json["required_samples_per_second"].get<double>() == Approx(4000).epsilon(0.01));
  CHECK(json["required_samples_per_second"].get<double>() >= 4000 / 1.01);
  CHECK(json["trainer_samples_per_second"].get<double>() == Approx(4000).epsilon(1e-6));
  CHECK(json["required_workers"] == 2);
  CHECK(json["required_bytes_per_second"].get<double>() ==
        Approx(json["required_samples_per_second"].get<double>() * (224 * 224 * 3 + 8)));
  CHECK(json["loaders"].size() == 2);  // as it is, and with two workers
  CHECK(json["loaders"][1]["samples_per_second"].get<double>() == Approx(4000).epsilon(1e-6));
}

TEST_CASE(
    "require: four workers give four times what one gives, with as many batches asked for ahead",
    "[golden][app]") {
  const Scratch s;
  const auto json = required(s, {"--set", "loader.batch_time=4ms"});
  CHECK(json["required_workers"] == 4);
  REQUIRE(json["loaders"].size() == 2);
  CHECK(json["loaders"][1]["samples_per_second"].get<double>() == Approx(4000).epsilon(1e-3));
}

TEST_CASE("require: it follows the step's time and the batch's size", "[golden][app]") {
  for (const auto& [set, rate] :
       {std::pair{"trainer.step_time=5ms", 800.0}, std::pair{"loader.batch_size=10", 10000.0}}) {
    const Scratch s;
    CHECK(required(s, {"--set", set})["required_samples_per_second"].get<double>() ==
          Approx(rate).epsilon(0.01));
  }
}

TEST_CASE("require: a step of changing length needs more than its mean", "[golden][app]") {
  const Scratch s;
  const auto json = required(s, {"--set", "trainer.distribution=exponential"});
  CHECK(json["required_samples_per_second"].get<double>() >
        1.02 * json["trainer_samples_per_second"].get<double>());
}

TEST_CASE("require: its report says what the rate is in batches, bytes and workers",
          "[golden][app]") {
  const Scratch s;
  const Ran ran = require_strictly(s);
  CHECK_THAT(ran.out, StartsWith("tiny: the step needs 3,9"));
  CHECK_THAT(ran.out, Contains(" to be within 1 % of the cached-batch step (4,000 samples/s)\n"));
  CHECK_THAT(
      ran.out,
      Contains("  2 workers of this loader, if each gives 2,000 samples/s as with num_workers=1\n"
               "    num_workers=1: 2,000 samples/s alone, too little\n"
               "    num_workers=2: 4,000 samples/s alone, enough\n"));
}

TEST_CASE("require: report of its folder says the same, in text and JSON", "[golden][app]") {
  const Scratch s;
  const Ran first = require_strictly(s);
  const Ran again = run_program(s, {"report", "out", "--json", "again.json"});
  CHECK(again.code == 0);
  CHECK(again.out == first.out);
  CHECK(read_file(s.path("again.json")) == read_file(s.path("out.json")));
}

TEST_CASE(
    "require: --strict is 9 where the scenario's loader gives less, and 0 where it gives enough",
    "[golden][app]") {
  const Scratch s, t;
  CHECK(require_strictly(s).code == 9);
  CHECK(require(t, {"--strict", "--set", "loader.num_workers=2"}).code == 0);
}

TEST_CASE("require: a scenario without a step is refused, and so is a bad budget",
          "[golden][app]") {
  const Scratch s;
  const Ran none = require(s, {"--set", "trainer.use=discard", "--set", "trainer.step_time=none"});
  CHECK(none.code == 2);
  const Ran budget = require(s, {"--budget", "soon"});
  CHECK(budget.code == 2);
  CHECK_THAT(budget.err, Contains("--budget soon: expected a time such as 10min"));
}

TEST_CASE("require: a trainer that cannot run leaves nothing to say, with 8", "[golden][app]") {
  const Scratch s;
  const Ran ran = require(s, {"--set", "trainer.device=cuda:7"});
  CHECK(ran.code == 8);
  CHECK_THAT(
      ran.out,
      StartsWith(
          "tiny: nothing can be said: no trial of the cached-batch step has a usable rate\n"));
}

TEST_CASE(
    "require: of a loader that reads data, the slow store does not suffice and the fast one does",
    "[golden][app]") {
  const Scratch s;
  s.write("data.yaml",
          "name: data\n"
          "dataset: {format: image_folder, synthesize: {samples: 256, image: {mean_width: 48, "
          "mean_height: 32}, classes: 4}}\n"
          "loader: {use: native, num_workers: 2, batch_size: 16, "
          "transform: {random_resized_crop: 32}}\ntrainer: {use: timed, step_time: 20ms}\n"
          "measure: {class: selftest, rounds: 1, window: 200ms, window_batches: 100}\n");
  const Ran ran = run_program(s, {"require", "data.yaml", "--clock", "simulated", "--out", "out",
                                  "--quiet", "--json", "out.json"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  const auto json = nlohmann::json::parse(read_file(s.path("out.json")));
  CHECK(json["required_samples_per_second"].get<double>() == Approx(800).epsilon(0.01));
  CHECK(json["stores"].size() == 5);
  for (const auto& store : json["stores"]) {
    // One seek of 8 ms a sample.
    if (store["like"] == "sata_hdd") CHECK(store["suffices"] == false);
    if (store["like"] == "nvme") CHECK(store["suffices"] == true);
  }
  // One file a sample is one read of it.
  CHECK(json["required_reads_per_second"].get<double>() ==
        Approx(json["required_samples_per_second"].get<double>()).epsilon(0.001));
  CHECK_THAT(ran.out, Contains(" read requests/s to the storage (1 a sample)\n"));
  CHECK(json["dataset_seconds"].get<double>() ==
        Approx(256 / json["required_samples_per_second"].get<double>()));
}

}  // namespace require_test
}  // namespace benchbench::test
