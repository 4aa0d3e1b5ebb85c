// Runs on fewer CPUs than there are, and on a share of the samples: by the built program.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace fewer_test {

using Catch::Matchers::Contains;
using nlohmann::json;

// 200 small images in one file, 1 ms from the emulated storage to the first byte of each.
const char kImages[] =
    "name: images\n"
    "dataset: {format: tar, synthesize: {samples: 200, seed: 3, image: {mean_width: 32, "
    "mean_height: 24}}, storage: {latency: 1ms}}\n"
    "loader: {use: native, num_workers: 1, batch_size: 4, shuffle: true, transform: "
    "{random_resized_crop: 16}}\n"
    "trainer: {use: timed, step_time: 1ms}\n"
    "measure: {class: selftest, rounds: 2}\n";

json point_named(const json& report, const std::string& name) {
  for (const json& point : report.at("points"))
    if (point.at("name") == name) return point;
  FAIL("no point " << name);
  return {};
}

TEST_CASE("run: dataset.keep reads a tenth of the samples, and says the bytes of each",
          "[golden][app]") {
  Scratch s;
  s.write("images.yaml", kImages);
  const Ran ran = run_program(s, {"run", "images.yaml", "--clock", "simulated", "--out", "r",
                                  "--json", "r.json", "--sweep", "dataset.keep=0.1"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  CHECK_THAT(ran.out, Contains("per sample"));
  const json report = json::parse(read_file(s.path("r.json")));
  const json kept = point_named(report, "keep=0.1");
  CHECK(kept.at("read_bytes_per_sample").get<double>() > 300);
  CHECK(kept.at("read_bytes_per_sample").get<double>() < 30'000);
  std::istringstream journal(read_file(s.path("r/journal.jsonl")));
  for (std::string line; std::getline(journal, line);) {
    const json record = json::parse(line);
    if (record.at("trial").at("mode") == "trainer") continue;
    const json& settings = record.at("trial").at("settings");
    const bool tenth = settings.contains("dataset.keep") && settings["dataset.keep"] == 0.1;
    CHECK(record.at("facts").at("epoch_samples") == (tenth ? 20 : 200));
  }
}

TEST_CASE("run: dataset.keep_by chooses by class in all three modes", "[golden][app]") {
  Scratch s;
  s.write("images.yaml", kImages);
  const Ran ran = run_program(s, {"run", "images.yaml", "--clock", "simulated", "--json", "r.json",
                                  "--set", "dataset.keep=0.1", "--set", "dataset.keep_by=class"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  const json report = json::parse(read_file(s.path("r.json")));
  for (const auto& [mode, status] : report.at("points")[0].at("mode_status").items()) {
    INFO(mode);
    CHECK((status == "VALID" || status == "NOISY"));
  }
}

TEST_CASE("run: run.cpus is measured on one CPU, and SKIPPED beyond what there is",
          "[golden][app]") {
  Scratch s;
  s.write("quick.yaml", quick_scenario("run: {cpus: 1}\nsweep: {run.cpus: [1, 100000]}\n"));
  const Ran ran = run_program(s, {"run", "quick.yaml", "--out", "r"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  CHECK_THAT(on_one_line(ran.out), Contains("needs 100,000 cores for run.cpus, but"));
  std::istringstream journal(read_file(s.path("r/journal.jsonl")));
  std::size_t measured = 0;
  for (std::string line; std::getline(journal, line);) {
    const json record = json::parse(line);
    if (record.at("status") == "SKIPPED") continue;
    ++measured;
    CHECK(record.at("facts").at("cores_available") == 1);
  }
  CHECK(measured > 0);
}

TEST_CASE("doctor: --data that cannot be measured is refused before anything is", "[golden][app]") {
  Scratch s;
  const Ran ran = run_program(s, {"doctor", "--data", "s3://bucket/key"});
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("--data s3://bucket/key: only http://HOST[:PORT]/PATH"));
  CHECK(ran.out.empty());
}

}  // namespace fewer_test
}  // namespace benchbench::test
