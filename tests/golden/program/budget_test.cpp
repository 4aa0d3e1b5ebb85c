// Budgets of wall time, from the command line to what is left of the plan.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace budget_program_test {

using Catch::Matchers::Contains;
using nlohmann::json;

// The statuses and the first reasons of a run's records.
struct Ended {
  std::vector<std::string> statuses, reasons;
};

Ended ended(const Scratch& s) {
  Ended e;
  std::istringstream lines(read_file(s.path("r/journal.jsonl")));
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    e.statuses.push_back(record.at("status"));
    const json& reasons = record.at("reasons");
    e.reasons.push_back(reasons.empty() ? "" : reasons.at(0).at("text").get<std::string>());
  }
  return e;
}

const std::string kUsedUp = "the budget was used up before it ended";

TEST_CASE("budget: a run ends within it, with the rounds that fit", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", quick_scenario());
  const Ran ran = run_program(s, {"run", "tiny.yaml", "--set", "measure.modes=loader", "--rounds",
                                  "10000", "--budget", "4s", "--json", "-", "--out", "r"});
  INFO(ran.err);
  const json report = json::parse(ran.out);
  CHECK(report.at("warnings").dump().find(" rounds instead of 10000") != std::string::npos);
  // A round has three trials; the last one has fewer where the machine became slower meanwhile.
  const std::size_t trials = ended(s).statuses.size(), rounds = report.at("rounds");
  CHECK(rounds < 10000);
  CHECK(rounds >= trials / 3);
  CHECK(rounds <= (trials + 2) / 3);
  if (trials > 2 * 3) CHECK(ran.code == 0);  // a very busy machine does not get that far
}

// The loader is measured, the pipeline hangs until the budget ends. Two rounds have no room from
// the start.
TEST_CASE("budget: one that ends before the least rounds is exit 7, with what there is",
          "[golden][app]") {
  Scratch s;
  s.write("long.yaml", loader_then(kHangingTrainer));
  const Ran ran =
      run_program(s, {"run", "long.yaml", "--rounds", "2", "--budget", "2s", "--out", "r"});
  INFO(ran.err << ran.out);
  // On a very busy machine not even the loader's first trial is done.
  const std::vector<std::string> statuses = ended(s).statuses;
  const auto is_usable = [](const std::string& status) {
    return status == "VALID" || status == "NOISY";
  };
  CHECK(ran.code == (std::ranges::any_of(statuses, is_usable) ? 7 : 8));
  CHECK_THAT(ran.err, Contains("stopped: the budget of 2s ended before one round was complete"));
  CHECK_THAT(ran.err, Contains("run long.yaml --rounds 2 --budget 2s --resume --out r\n"));
  CHECK_THAT(ran.out, Contains("cut to fit the budget: 1 round instead of 2"));
  CHECK_THAT(ran.out, Contains("NOT RUN: ") && Contains(" of 4 planned trials"));
}

// 100 steps of 20 ms take two seconds at least.
// Six gigabytes of images, which no machine makes in a second.
std::string with_many_images(const std::string& loader) {
  return "name: many\ndataset: {format: image_folder, synthesize: {samples: 60000}}\nloader: " +
         loader + "\ntrainer: {use: discard}\n";
}

TEST_CASE("budget: one that ends while data are made is exit 7, and what to do is said",
          "[golden][app]") {
  Scratch s;
  s.write("many.yaml", with_many_images("{use: native}"));
  const Ran ran = run_program(s, {"run", "many.yaml", "--budget", "1s", "--out", "r"});
  INFO(ran.err);
  CHECK(ran.code == 7);
  CHECK_THAT(ran.err, Contains("the budget ended while data were made") &&
                          Contains("hint: make them first:"));
}

TEST_CASE("run: data for the user's code that the disk cannot hold are no fault of the code",
          "[golden][app]") {
  Scratch s;
  s.write("train.py", "def make_data(root):\n    return []\n");
  s.write("many.yaml", with_many_images("{use: python, script: train.py, call: make_data}"));
  const Ran ran =
      run_program(s, {"run", "many.yaml", "--set", "dataset.synthesize.samples=1000000000"});
  INFO(ran.err);
  CHECK(ran.code == 2);
  CHECK_THAT(ran.err, Contains("error: the datasets need") && !Contains("many.yaml:"));
}

TEST_CASE("budget: a trial still running at its end is ABORTED, and says so", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran ran =
      run_program(s, {"run", "tiny.yaml", "--budget", "1s", "--set", "measure.modes=trainer",
                      "--set", "trainer.step_time=20ms", "--out", "r"});
  INFO(ran.err);
  CHECK(ran.code == 8);  // nothing was measured, which is more than that it did not fit
  CHECK_THAT(ran.out, Contains(kUsedUp));
  CHECK(ended(s).statuses == std::vector<std::string>{"ABORTED"});
  CHECK(ended(s).reasons == std::vector<std::string>{kUsedUp});
}

// The first trial of the trainer hangs: without its deadline the run would too.
TEST_CASE("budget: the first trials, which price what has none, stay within it too",
          "[golden][app]") {
  Scratch s;
  s.write("slow.yaml",
          "dataset: {format: image_folder, synthesize: {samples: 32}}\n"
          "loader: {use: native, num_workers: 1, batch_size: 4}\n"
          "trainer: " +
              kHangingTrainer + "\n");
  const Ran ran = run_program(s, {"run", "slow.yaml", "--budget", "4s", "--out", "r"});
  INFO(ran.err);
  CHECK((ran.code == 7 || ran.code == 8));  // nothing was measured, or there was no time to begin
  const Ended left = ended(s);
  for (std::size_t i = 0; i < left.statuses.size(); ++i) {
    CAPTURE(left.statuses[i]);
    if (left.statuses[i] != "VALID" && left.statuses[i] != "NOISY")  // the loader's, first of all
      CHECK(left.reasons[i] == kUsedUp);
  }
}

TEST_CASE("plan: says which trials fail as they are probed, and why", "[golden][app]") {
  Scratch s;
  s.write("throws.yaml",
          "loader: {use: synthetic, num_workers: 0, batch_size: 4}\n"
          "trainer: {use: faulty, fault: throw}\n");
  const Ran plan = run_program(s, {"plan", "throws.yaml"});
  CHECK(plan.code == 0);
  CHECK_THAT(plan.err, Contains("FAILED while probing: ") && Contains("warning: trainer"));
  CHECK_THAT(plan.out, !Contains("FAILED"));
}

TEST_CASE("budget: in one process a trial ends at the step after it", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran ran =
      run_program(s, {"run", "tiny.yaml", "--isolation", "none", "--budget", "1s", "--set",
                      "measure.modes=trainer", "--set", "trainer.step_time=100ms", "--out", "r"});
  INFO(ran.err);
  CHECK(ran.code == 8);
  CHECK_THAT(ran.out, Contains(kUsedUp));
  CHECK(ended(s).statuses == std::vector<std::string>{"ABORTED"});
}

TEST_CASE("budget: in virtual time it is wall time too, and virtual hours cost none of it",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--budget", "60s",
                                "--set", "measure.window=20s", "--json", "-", "--out", "r"});
  INFO(r.err);
  CHECK(r.code == 0);
  const json report = json::parse(r.out);
  CHECK(report.at("rounds") == 2);
  CHECK(report.at("warnings").empty());
}

TEST_CASE("budget: plan, progress and report count the same trials, SKIPPED ones apart",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml",
          tiny_scenario("sweep: {loader.pin_memory: [false, true], loader.batch_size: [4, 8]}\n"));
  const Ran plan = run_program(s, {"plan", "tiny.yaml", "--clock", "simulated"});
  const Ran run = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--out", "r"});
  INFO(plan.out << run.err << run.out);
  if (run.out.find("SKIPPED") == std::string::npos) return;  // a machine with CUDA
  // A round: two points of three trials, the base's trainer twice more. pin_memory: true has three
  // of its own.
  CHECK_THAT(plan.out, Contains("16 trials in 2 rounds (3 SKIPPED)"));
  CHECK_THAT(run.err, Contains("16 trials in 2 rounds (3 SKIPPED)"));
  CHECK_THAT(run.err, Contains("[16/16]"));
  CHECK_THAT(run.out, Contains("16 trials: 16 valid, 3 more SKIPPED"));
}

// Returns how many trials a round has by the table of `plan`.
int trials_in_table(const std::string& plan) {
  std::istringstream lines(plan.substr(plan.find("  #  point")));
  int n = 0;
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
    std::istringstream words(line);
    for (std::string word; words >> word;)
      for (const char* mode : {"loader", "trainer", "pipeline"})
        n += word == mode ? 1 : word == mode + std::string("(3x)") ? 3 : 0;
  }
  return n;
}

TEST_CASE("plan: its table has as many trials a round as its sum", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml",
          tiny_scenario("sweep: {loader.num_workers: [0, 4], loader.pin_memory: [true]}\n"));
  const Ran plan = run_program(s, {"plan", "tiny.yaml", "--clock", "simulated", "--rounds", "3"});
  INFO(plan.out);
  const int round = trials_in_table(plan.out);
  CHECK(round >= 9);
  CHECK_THAT(plan.out, Contains(", " + std::to_string(round) + " trials per round, " +
                                std::to_string(3 * round) + " trials in 3 rounds"));
}

TEST_CASE("plan: where every trial is SKIPPED it says that nothing would run, with run's exit code",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const auto with = [&](const char* command) {
    return run_program(s, {command, "tiny.yaml", "--clock", "simulated", "--set",
                           "loader.pin_memory=true", "--set", "measure.modes=loader,pipeline"});
  };
  const Ran plan = with("plan"), run = with("run");
  INFO(plan.out << run.err << run.out);
  if (run.out.find("SKIPPED") == std::string::npos) return;  // a machine with CUDA
  CHECK(plan.code == 8);
  CHECK(run.code == plan.code);
  CHECK_THAT(plan.out,
             Contains("nothing would run") && Contains("SKIPPED: ") && !Contains("time "));
  CHECK_THAT(run.err, Contains("nothing runs"));
}

TEST_CASE("plan: a table of points with long names keeps its columns", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml",
          tiny_scenario(
              "sweep: {mode: grid, loader.num_workers: [1, 2], loader.batch_size: [4, 8], "
              "loader.prefetch_factor: [2, 4],\n"
              "        loader.in_order: [true, false], loader.dispatch: [shared, round_robin]}\n"));
  const Ran plan = run_program(s, {"plan", "tiny.yaml", "--clock", "simulated"});
  INFO(plan.out);
  const std::size_t title = plan.out.find("  #  point"),
                    trials = plan.out.find("trials per round", title);
  REQUIRE(trials < plan.out.find('\n', title));
  const std::size_t column = trials - title, row = plan.out.find("\n 31  ") + 1;
  REQUIRE(row != 0);
  CHECK(plan.out.substr(row + column, 15) == "loader trainer*");
  CHECK_THAT(plan.out, Contains("\n     * shared with an earlier point\n"));
}

TEST_CASE("plan: trials that cannot run here are named with the reason, once", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.batch_size: [4, 8]}\n"));
  const auto plan_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", "tiny.yaml"});
    const Ran plan = run_program(s, more);
    INFO(plan.err);
    CHECK(plan.code == (plan.out.find("nothing would run") == std::string::npos ? 0 : 8));
    return on_one_line(plan.out);
  };
  const auto plan_of = [&](std::vector<std::string> more) {
    more.emplace_back("--no-probe");
    return plan_with(more);
  };
  const std::string text = plan_with({"--set", "trainer.device=cuda:77"});
  CHECK_THAT(text, Contains("SKIPPED: trainer, pipeline of 2 points: needs cuda:77"));
  CHECK(text.find("SKIPPED: trainer", text.find("SKIPPED: trainer") + 1) == text.npos);
  CHECK_THAT(text, Contains("trainer with its batch on the device: SKIPPED: needs cuda:77"));
  CHECK_THAT(plan_of({"--set", "trainer.device=emulated"}),
             Contains("device: 1 more trial per round: trainer with its batch on the device"));
  CHECK_THAT(plan_of({"--set", "trainer.device=emulated", "--sweep", "trainer.copy=each,once"}),
             Contains("device: measured anyway: trainer with its batch on the device"));
  CHECK_THAT(plan_of({}), !Contains("SKIPPED"));
  CHECK_THAT(plan_of({"--set", "trainer.device=cuda:77", "--set", "measure.modes=trainer"}),
             Contains("(base) SKIPPED") && Contains("SKIPPED: points 0, 1: needs cuda:77") &&
                 !Contains("SKIPPED: trainer of"));
  const auto trainer_over = [&](const std::string& sweep) {
    return plan_of({"--set", "measure.modes=trainer", "--sweep", sweep});
  };
  CHECK_THAT(
      trainer_over("trainer.device=cpu,cuda:7,cuda:70"),
      Contains("SKIPPED: point 2: needs cuda:7:") && Contains("SKIPPED: point 3: needs cuda:70:"));
  CHECK_THAT(
      trainer_over("trainer.kernels=4,8,16,32"),
      Contains("SKIPPED: point 2: needs a device") && Contains("SKIPPED: point 5: needs a device"));
  CHECK_THAT(plan_of({"--set", "measure.modes=trainer", "--set", "trainer.device=cuda:77",
                      "--sweep", "loader.batch_size=4,8,16,32"}),
             Contains("SKIPPED: points 0 to 3: needs cuda:77"));
}

TEST_CASE("plan --check: what runs were estimated to take, and took", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", quick_scenario());
  CHECK_THAT(run_program(s, {"plan", "--check", "tiny.yaml"}).out,
             Contains("no finished run on this machine"));
  for (int i = 0; i < 2; ++i)
    CHECK(run_program(s, {"run", "tiny.yaml", "--rounds", "1"}).code == 0);
  const Ran check = run_program(s, {"plan", "--check", "tiny.yaml"});
  INFO(check.out);
  CHECK(check.code == 0);
  CHECK_THAT(check.out,
             Contains(" first ") && Contains("  3x  ") && Contains(" 2nd ") && Contains(" 1.5x  "));
  CHECK(run_program(s, {"plan", "tiny.yaml", "tiny.yaml"}).code == 2);
}

}  // namespace budget_program_test
}  // namespace benchbench::test
