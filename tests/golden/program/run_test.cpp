// A run of mocks from the command line to its report, and what is left when something breaks on the way.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace run_program_test {

using Catch::Matchers::Contains;
using nlohmann::json;

json json_of(const Ran& r) {
  INFO(r.err);
  REQUIRE_NOTHROW(json::parse(r.out));
  return json::parse(r.out);
}

TEST_CASE("run: mocks give three rates, a journal, a report that says the same", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.batch_size: [4, 8]}\n"));
  const Ran run = run_program(s, {"run", "tiny.yaml", "--out", "r"});
  INFO(run.err << run.out);
  CHECK(run.code == 0);
  CHECK(std::filesystem::exists(s.path("r/results.h5")));
  const Ran report = run_program(s, {"report", "r"});
  CHECK(report.code == 0);
  CHECK(report.out == run.out);
  const json document = json_of(run_program(s, {"report", "r", "--json", "-"}));
  REQUIRE(document.at("points").size() == 2);
  for (const json& record : document.at("records"))
    if (record.at("mode") == "trainer") CHECK(record.at("stages_ms").at("forward").get<double>() > 0);
}

TEST_CASE("run: --json - leaves one document on standard output and everything else on standard error", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran run = run_program(s, {"run", "tiny.yaml", "--json", "-", "--clock", "simulated"});
  CHECK(run.code == 0);
  CHECK(json_of(run).at("points").size() == 1);
}

TEST_CASE("run: the simulated clock gives exact rates without waiting", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran run = run_program(s, {"run", "tiny.yaml", "--json", "-", "--clock", "simulated"});
  const json p = json_of(run).at("points").at(0);
  CHECK(p.at("loader_rate_samples_per_second").at("value").get<double>() == Approx(2000).epsilon(1e-6));
  CHECK(p.at("trainer_rate_samples_per_second").at("value").get<double>() == Approx(4000).epsilon(1e-6));
  CHECK(p.at("pipeline_rate_samples_per_second").at("value").get<double>() == Approx(2000).epsilon(1e-6));
}

TEST_CASE("run: a part that throws, exits, aborts or is killed is one FAILED record with its cause, and the sweep goes on",
          "[golden][app]") {
  Scratch s;
  s.write("faulty.yaml", tiny_scenario("sweep:\n  loader:\n    - {use: synthetic, batch_time: 2ms}\n"
                                       "    - {use: faulty, fault: throw, after: 3}\n"
                                       "    - {use: faulty, fault: exit, after: 3}\n"
                                       "    - {use: faulty, fault: abort, after: 3}\n"
                                       "    - {use: faulty, fault: segv, after: 3}\n"));
  const Ran run = run_program(s, {"run", "faulty.yaml", "--json", "-", "--rounds", "1", "--out", "r"});
  INFO(run.err);
  CHECK(run.code == 1);
  const std::string journal = read_file(s.path("r/journal.jsonl"));
  CHECK_THAT(journal, Contains("told to throw"));
  CHECK_THAT(journal, Contains("exited with status 3"));
  CHECK_THAT(journal, Contains("SIGABRT"));
  CHECK_THAT(journal, Contains("SIGSEGV"));
  CHECK(json_of(run).at("points").at(0).at("pipeline_rate_samples_per_second").is_object());
}

TEST_CASE("run: a part that hangs is killed after its timeout, and the sweep goes on", "[golden][app]") {
  Scratch s;
  s.write("hang.yaml", tiny_scenario("sweep:\n  loader:\n    - {use: synthetic, batch_time: 2ms}\n"
                                     "    - {use: faulty, fault: hang, after: 3}\n"));
  const Ran run = run_program(s, {"run", "hang.yaml", "--set", "measure.timeout=1s", "--set", "measure.modes=pipeline", "--rounds", "1", "--out", "r"});
  INFO(run.err << run.out);
  CHECK(run.code == 1);
  CHECK_THAT(read_file(s.path("r/journal.jsonl")), Contains("FAILED") && Contains("time"));
}

TEST_CASE("run: SIGKILL of the supervisor loses no finished trial, and --resume goes on", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.batch_size: [4, 8, 16]}\n"));
  {
    Running running(s, {"run", "tiny.yaml", "--out", "r"});
    REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 3));
    running.signal(SIGKILL);
    CHECK(running.finish().code == 128 + SIGKILL);
  }
  const std::size_t kept = count_lines(s.path("r/journal.jsonl"));
  CHECK(kept >= 3);
  const Ran resumed = run_program(s, {"run", "tiny.yaml", "--out", "r", "--resume"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  const std::size_t all = count_lines(s.path("r/journal.jsonl"));
  CHECK(all > kept);
  const Ran again = run_program(s, {"run", "tiny.yaml", "--out", "r", "--resume"});
  CHECK(again.code == 0);
  CHECK(count_lines(s.path("r/journal.jsonl")) == all);
  CHECK(again.out == resumed.out);
}

TEST_CASE("run: SIGINT and SIGTERM keep what is finished and print the partial report", "[golden][app]") {
  for (const auto& [number, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Scratch s;
    s.write("tiny.yaml", tiny_scenario());
    Running running(s, {"run", "tiny.yaml", "--out", "r", "--rounds", "50"});
    REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 2));
    running.signal(number);
    const Ran r = running.finish();
    CHECK(r.code == code);
    CHECK_THAT(r.err, Contains("interrupted"));
    CHECK_FALSE(r.out.empty());
  }
}

TEST_CASE("run: --resume refuses another scenario, with the difference", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  CHECK(run_program(s, {"run", "tiny.yaml", "--out", "r", "--rounds", "1"}).code == 0);
  const Ran other = run_program(s, {"run", "tiny.yaml", "--out", "r", "--rounds", "1", "--resume", "--set", "trainer.step_time=3ms"});
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("another scenario"));
}

TEST_CASE("run: a results folder in use, not empty or not to be made is refused before anything runs", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  s.write("file", "x");
  const Ran below_file = run_program(s, {"run", "tiny.yaml", "--out", "file/r"});
  CHECK(below_file.code == 5);
  Running running(s, {"run", "tiny.yaml", "--out", "r", "--rounds", "50"});
  REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 1));
  const Scratch other;   // run_program's output files are the scratch folder's
  const Ran second = run_program(other, {"run", s.path("tiny.yaml"), "--out", s.path("r"), "--resume", "--rounds", "50"});
  CHECK(second.code == 5);
  CHECK_THAT(second.err, Contains("in use by process"));
  running.signal(SIGTERM);
  running.finish();
}

TEST_CASE("run: a full disk ends with exit 5 and the finished trials told", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--json", "/dev/full", "--rounds", "1"});
  CHECK(r.code == 5);
  CHECK_THAT(r.err, Contains("/dev/full could not be written"));
}

TEST_CASE("run: what one output cannot take does not cost the others", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--rounds", "1", "--json", "nowhere/x.json", "--csv", "rows.csv"});
  CHECK(r.code == 5);
  CHECK_THAT(r.err, Contains("nowhere/x.json could not be written"));
  CHECK(count_lines(s.path("rows.csv")) == 2);
  CHECK_THAT(r.out, Contains("loader"));
}

TEST_CASE("run: a budget that two rounds do not fit into four times ends with exit 7 and what there is", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--budget", "1s", "--set", "trainer.step_time=20ms"});
  CHECK(r.code == 7);
  CHECK_THAT(r.err, Contains("two rounds did not fit"));
  CHECK_FALSE(r.out.empty());
}

TEST_CASE("run: a budget spent ends the run after whole rounds", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--rounds", "500", "--budget", "4s", "--json", "-"});
  CHECK(r.code == 0);
  CHECK(json_of(r).at("rounds").get<int>() < 100);
}

TEST_CASE("run: --resume refuses another clock", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  CHECK(run_program(s, {"run", "tiny.yaml", "--out", "r", "--rounds", "1", "--clock", "simulated"}).code == 0);
  CHECK(run_program(s, {"run", "tiny.yaml", "--out", "r", "--rounds", "1", "--resume"}).code == 2);
}

TEST_CASE("run: the first file that cannot be decoded is named while the run goes on", "[golden][app]") {
  Scratch s;
  for (int i = 0; i < 8; ++i) s.write("bad" + std::to_string(i) + ".jpg", "no picture");
  s.write("own.yaml",
          "name: own\ndataset: {format: image_folder, path: .}\n"
          "loader: {use: native, num_workers: 1, batch_size: 4, transform: {random_resized_crop: 32}}\n"
          "trainer: {use: discard}\n"
          "measure: {class: selftest, window: 200ms, rounds: 1, modes: [loader]}\n");
  const Ran r = run_program(s, {"run", "own.yaml"});
  CHECK_THAT(r.err, Contains("could not be decoded, e.g. bad"));
  CHECK_THAT(r.out, Contains("INVALID R03"));
}

TEST_CASE("run: observer levels 0, 1 and 2 all reach the store", "[golden][app]") {
  for (const char* level : {"0", "1", "2"}) {
    Scratch s;
    s.write("tiny.yaml", tiny_scenario());
    const Ran r = run_program(s, {"run", "tiny.yaml", "--rounds", "1", "--set", std::string("measure.observer=") + level});
    INFO(level << r.err);
    CHECK(r.code == 0);
  }
}

}  // namespace run_program_test
}  // namespace benchbench::test
