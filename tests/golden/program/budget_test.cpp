// Budgets of wall time, from the command line to what is left of the plan.
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace budget_program_test {

using Catch::Matchers::Contains;
using nlohmann::json;

struct Timed {
  Ran ran;
  double seconds;
};

Timed run_timed(const Scratch& s, const std::vector<std::string>& arguments) {
  const auto start = std::chrono::steady_clock::now();
  Timed t{run_program(s, arguments), 0};
  t.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return t;
}

// The whole is 10 % longer at most. A machine that does other things needs time to start and to
// report; four times the budget, as it once was, is far beyond that.
constexpr double kMost = 1.1, kStart = 2;

TEST_CASE("budget: a run ends within it after whole rounds, with what fits", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Timed t = run_timed(
      s, {"run", "tiny.yaml", "--rounds", "500", "--budget", "9s", "--json", "-", "--out", "r"});
  INFO(t.ran.err);
  CHECK(t.ran.code == 0);
  CHECK(t.seconds < kMost * 9 + kStart);
  const json report = json::parse(t.ran.out);
  CHECK(report.at("rounds").get<int>() >= 3);
  CHECK(count_lines(s.path("r/journal.jsonl")) == 5 * report.at("rounds").get<std::size_t>());
  CHECK(report.at("warnings").dump().find(" rounds instead of 500") != std::string::npos);
}

// 100 steps of 20 ms are 2 s of each trial but the loader's: a guess that knows the times cuts what
// it can, two rounds are over 18 s.
TEST_CASE("budget: one that ends before two rounds is exit 7, in time, with what there is",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Timed t = run_timed(
      s, {"run", "tiny.yaml", "--budget", "6s", "--set", "trainer.step_time=20ms", "--out", "r"});
  INFO(t.ran.err);
  CHECK(t.ran.code == 7);
  CHECK(t.seconds < kMost * 6 + kStart);
  CHECK_THAT(t.ran.err,
             Contains("stopped: the budget of 6s ended before two rounds were complete"));
  CHECK_THAT(t.ran.err,
             Contains("run tiny.yaml --set trainer.step_time=20ms --budget 6s --resume --out r\n"));
  CHECK_THAT(t.ran.out, Contains(" more than the budget of 6s: what has no time is not run"));
  CHECK_THAT(t.ran.out, Contains("NOT RUN: ") && Contains(" of 10 planned trials"));
}

TEST_CASE("budget: a trial still running at its end is ABORTED, and says so", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Timed t = run_timed(
      s, {"run", "tiny.yaml", "--budget", "2s", "--set", "trainer.step_time=200ms", "--out", "r"});
  INFO(t.ran.err);
  CHECK(t.ran.code == 8);  // nothing was measured, which is more than that it did not fit
  CHECK(t.seconds < kMost * 2 + kStart);
  CHECK_THAT(t.ran.out, Contains("the budget was used up before it ended"));
}

TEST_CASE("budget: probing what has no price stays within it too", "[golden][app]") {
  Scratch s;
  s.write("slow.yaml",
          "dataset: {format: image_folder, synthesize: {samples: 32}}\n"
          "loader: {use: native, num_workers: 1, batch_size: 4}\n"
          "trainer: {use: timed, step_time: 3s}\n");
  const Timed t = run_timed(s, {"run", "slow.yaml", "--budget", "6s", "--out", "r"});
  INFO(t.ran.err);
  CHECK((t.ran.code == 7 || t.ran.code == 8));  // a step is half of it
  CHECK(t.seconds < kMost * 6 + kStart);
}

TEST_CASE("budget: in one process a trial ends at the step after it", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Timed t = run_timed(s, {"run", "tiny.yaml", "--isolation", "none", "--budget", "2s",
                                "--set", "trainer.step_time=1s", "--out", "r"});
  INFO(t.ran.err);
  CHECK(t.ran.code == 8);
  CHECK(t.seconds < kMost * 2 + 1 + kStart);
  CHECK_THAT(t.ran.out, Contains("the budget was used up before it ended"));
}

TEST_CASE("budget: in virtual time it is wall time too, and virtual hours cost none of it",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--budget", "60s",
                                "--set", "measure.window=100s", "--json", "-", "--out", "r"});
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
  const Ran plan = run_program(s, {"plan", "tiny.yaml", "--set", "trainer.device=cuda:77"});
  INFO(plan.out << plan.err);
  CHECK(plan.code == 0);
  const std::string text = on_one_line(plan.out);
  CHECK_THAT(text, Contains("SKIPPED: trainer, pipeline of 2 points: needs cuda:77"));
  CHECK(text.find("SKIPPED: trainer", text.find("SKIPPED: trainer") + 1) == text.npos);
  CHECK_THAT(text, Contains("trainer with its batch on the device: SKIPPED: needs cuda:77"));
  const std::string on_device =
      on_one_line(run_program(s, {"plan", "tiny.yaml", "--set", "trainer.device=emulated"}).out);
  CHECK_THAT(on_device,
             Contains("device: 1 more trial per round: trainer with its batch on the device"));
  CHECK_THAT(on_one_line(run_program(s, {"plan", "tiny.yaml", "--set", "trainer.device=emulated",
                                         "--sweep", "trainer.copy=each,once"})
                             .out),
             Contains("device: measured anyway: trainer with its batch on the device"));
  CHECK_THAT(run_program(s, {"plan", "tiny.yaml"}).out, !Contains("SKIPPED"));
  const std::string whole =
      on_one_line(run_program(s, {"plan", "tiny.yaml", "--set", "trainer.device=cuda:77", "--set",
                                  "measure.modes=trainer"})
                      .out);
  CHECK_THAT(whole, Contains("(base) SKIPPED") && Contains("SKIPPED: points 0, 1: needs cuda:77") &&
                        !Contains("SKIPPED: trainer of"));
  const auto plan_of = [&](const char* sweep) {
    return on_one_line(
        run_program(s, {"plan", "tiny.yaml", "--set", "measure.modes=trainer", "--sweep", sweep})
            .out);
  };
  CHECK_THAT(
      plan_of("trainer.device=cpu,cuda:7,cuda:70"),
      Contains("SKIPPED: point 2: needs cuda:7:") && Contains("SKIPPED: point 3: needs cuda:70:"));
  CHECK_THAT(
      plan_of("trainer.kernels=4,8,16,32"),
      Contains("SKIPPED: point 2: needs a device") && Contains("SKIPPED: point 5: needs a device"));
  const std::string many = on_one_line(
      run_program(s, {"plan", "tiny.yaml", "--set", "measure.modes=trainer", "--set",
                      "trainer.device=cuda:77", "--sweep", "loader.batch_size=4,8,16,32"})
          .out);
  CHECK_THAT(many, Contains("SKIPPED: points 0 to 3: needs cuda:77"));
}

TEST_CASE("plan --check: what runs were estimated to take, and took", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  CHECK_THAT(run_program(s, {"plan", "--check", "tiny.yaml"}).out,
             Contains("no finished run on this machine"));
  for (int i = 0; i < 2; ++i) CHECK(run_program(s, {"run", "tiny.yaml"}).code == 0);
  const Ran check = run_program(s, {"plan", "--check", "tiny.yaml"});
  INFO(check.out);
  CHECK(check.code == 0);
  CHECK_THAT(check.out,
             Contains(" first ") && Contains("  3x  ") && Contains(" 2nd ") && Contains(" 1.5x  "));
  CHECK(run_program(s, {"plan", "tiny.yaml", "tiny.yaml"}).code == 2);
}

}  // namespace budget_program_test
}  // namespace benchbench::test
