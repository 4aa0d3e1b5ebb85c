// What a run measures beyond the three modes, until when it runs, and what it replays: by the built
// program.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/golden/program/program.h"
#include "tests/sweep.h"

namespace benchbench::test {
namespace beyond_modes_test {

using Catch::Matchers::Contains;
using nlohmann::json;

std::vector<json> journal_of(const Scratch& s, const std::string& run) {
  std::vector<json> lines;
  std::istringstream text(read_file(s.path(run + "/journal.jsonl")));
  for (std::string line; std::getline(text, line);) lines.push_back(json::parse(line));
  REQUIRE_FALSE(lines.empty());
  return lines;
}

// Of records whose trial is called `extra`, of which there are some; samples a second.
std::vector<double> rates_of(const std::vector<json>& records, const std::string& extra,
                             const std::string& mode) {
  std::vector<double> rates;
  for (const json& r : records) {
    const json& trial = r.at("trial");
    if (trial.value("ablation", "") != extra || trial.at("mode") != mode) continue;
    rates.push_back(r.at("facts").at("samples").get<double>() * 1e9 /
                    r.at("facts").at("window_ns").get<double>());
  }
  REQUIRE_FALSE(rates.empty());
  return rates;
}

// Two workers of 5 ms a batch of 4, handed over in order, and a step of 1 ms with 3 ms after every
// second one.
const char kHeavyAfter[] =
    "name: heavy\n"
    "loader: {use: synthetic, num_workers: 2, batch_size: 4, batch_time: 5ms}\n"
    "trainer: {use: timed, step_time: 2ms, postprocess: {every: 2, time: 6ms}}\n"
    "measure: {class: selftest, rounds: 2}\n";

TEST_CASE("run: --substitute measures each component free, priced and listed by plan",
          "[golden][app]") {
  Scratch s;
  s.write("heavy.yaml", kHeavyAfter);
  const Ran plan =
      run_program(s, {"plan", "heavy.yaml", "--substitute", "--clock", "simulated", "--no-probe"});
  INFO(plan.err);
  CHECK(plan.code == 0);
  CHECK_THAT(plan.out, Contains("more trials per round: ") && Contains("order") &&
                           Contains("postprocess") && Contains("four times the batch"));
  const Ran run =
      run_program(s, {"run", "heavy.yaml", "--substitute", "--clock", "simulated", "--out", "r"});
  INFO(run.err << run.out);
  CHECK(run.code == 0);
  const std::vector<json> records = journal_of(s, "r");
  // The trainer binds: 2 ms a step and 3 ms after it on average, against 2.5 ms of the loader.
  const auto all = rates_of(records, "", "pipeline"),
             without = rates_of(records, "free:postprocess", "pipeline"),
             larger = rates_of(records, "batch:4", "pipeline"),
             one = rates_of(records, "workers:1", "loader");
  REQUIRE(all.size() == 2);
  REQUIRE(without.size() == 2);
  REQUIRE(larger.size() == 2);
  REQUIRE(one.size() == 2);
  for (const double rate : all) CHECK(rate == Approx(4 / 0.005).epsilon(0.02));
  for (const double rate : without) CHECK(rate == Approx(4 / 0.0025).epsilon(0.02));
  for (const double rate : larger) CHECK(rate == Approx(16 / 0.005).epsilon(0.02));
  for (const double rate : one) CHECK(rate == Approx(4 / 0.005).epsilon(0.02));
  // Nothing of it reaches a run that was not asked for it.
  const Ran plain = run_program(s, {"run", "heavy.yaml", "--clock", "simulated", "--out", "plain"});
  CHECK(plain.code == 0);
  for (const json& r : journal_of(s, "plain")) CHECK(r.at("trial").value("ablation", "").empty());
}

TEST_CASE("run: --substitute is another plan, which --resume refuses", "[golden][app]") {
  Scratch s;
  s.write("heavy.yaml", kHeavyAfter);
  CHECK(run_program(s, {"run", "heavy.yaml", "--clock", "simulated", "--out", "r"}).code == 0);
  CHECK(run_program(s, {"run", "heavy.yaml", "--clock", "simulated", "--out", "r", "--resume",
                        "--substitute"})
            .code == 2);
}

TEST_CASE("run: --interference runs the loader beside the trainer, on both clocks",
          "[golden][app]") {
  for (const std::string clock : {"simulated", "real"}) {
    Scratch s;
    s.write("tiny.yaml", clock == "real" ? quick_scenario() : tiny_scenario());
    const Ran run = run_program(
        s, {"run", "tiny.yaml", "--interference", "--clock", clock, "--rounds", "1", "--out", "r"});
    INFO(clock << run.err << run.out);
    CHECK(run.code == 0);
    int seen = 0, others = 0;
    for (const json& r : journal_of(s, "r")) {
      const json& beside = r.at("facts").at("background_rate");
      if (r.at("trial").value("ablation", "") != "beside") {
        CHECK(beside.is_null());
        ++others;
        continue;
      }
      ++seen;
      CHECK(r.at("trial").at("mode") == "trainer");
      if (clock == "simulated") {
        CHECK(beside.get<double>() == Approx(4 / 0.002).epsilon(0.02));
        CHECK(rates_of({r}, "beside", "trainer").at(0) == Approx(4 / 0.001).epsilon(1e-6));
      } else {
        CHECK(beside.get<double>() > 0);
      }
    }
    CHECK(seen == 1);
    CHECK(others >= 3);  // loader, trainer, pipeline
  }
}

TEST_CASE("run: a loader that dies beside the trainer fails its trial alone", "[golden][app]") {
  Scratch s;
  s.write("faulty.yaml",
          "name: faulty\nloader: {use: faulty, fault: throw, "
          "after: 30, num_workers: 1, batch_size: 4}\n"
          "trainer: {use: timed, step_time: 1ms}\n"
          "measure: {class: selftest, rounds: 1, modes: [trainer]}\n");
  const Ran run = run_program(s, {"run", "faulty.yaml", "--interference", "--out", "r"});
  INFO(run.err << run.out);
  CHECK(run.code == 1);
  int failed = 0, others = 0;
  for (const json& r : journal_of(s, "r")) {
    const bool beside = r.at("trial").value("ablation", "") == "beside";
    CHECK((r.at("status") == "FAILED") == beside);
    ++(beside ? failed : others);
  }
  CHECK(failed == 1);
  CHECK(others >= 1);
}

TEST_CASE(
    "run: rounds end when every interval is as narrow as asked, and --resume finds nothing left",
    "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::vector<std::string> command{"run",     "tiny.yaml",
                                         "--clock", "simulated",
                                         "--out",   "r",
                                         "--set",   "measure.stop_at=0.01",
                                         "--set",   "measure.max_rounds=20"};
  const Ran run = run_program(s, command);
  INFO(run.err << run.out);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("6 to 20 rounds") && Contains("6 rounds are enough"));
  CHECK_THAT(run.out, !Contains("NOT RUN"));
  const std::size_t kept = journal_of(s, "r").size();
  CHECK(kept == 6 * 5);
  std::vector<std::string> again = command;
  again.emplace_back("--resume");
  const Ran resumed = run_program(s, again);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains("6 rounds are enough"));
  CHECK(journal_of(s, "r").size() == kept);
}

TEST_CASE(
    "run: replayed times are exact in virtual time, and bad ones are told before anything runs",
    "[golden][app]") {
  Scratch s;
  s.write("loads.csv", "batch_ms\n4\n4\n4\n");
  s.write("steps.csv", "0.001\n0.003\n");
  const std::string text =
      "name: replayed\nloader: {use: replay, times: loads.csv, num_workers: 1, batch_size: 4}\n"
      "trainer: {use: replay, times: steps.csv}\nmeasure: {class: selftest, rounds: 1}\n";
  s.write("replayed.yaml", text);
  const std::vector<std::string> command{"run",       "replayed.yaml", "--clock",
                                         "simulated", "--out",         "r"};
  const Ran run = run_program(s, command);
  INFO(run.err << run.out);
  CHECK(run.code == 0);
  const std::vector<json> records = journal_of(s, "r");
  for (const double rate : rates_of(records, "", "loader"))
    CHECK(rate == Approx(4 / 0.004).epsilon(0.001));
  for (const double rate : rates_of(records, "", "trainer"))
    CHECK(rate == Approx(4 / 0.002).epsilon(0.02));

  s.write("loads.csv", "batch_ms\n4\n4\n5\n");
  std::vector<std::string> again = command;
  again.emplace_back("--resume");
  const Ran other = run_program(s, again);
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("different scenario"));

  s.write("loads.csv", "batch_ms\n4\n-4\n");
  for (const char* checking : {"validate", "plan", "run"}) {
    const Ran bad = run_program(s, {checking, "replayed.yaml"});
    INFO(checking << bad.err);
    CHECK(bad.code == 2);
    CHECK_THAT(
        bad.err,
        Contains("loads.csv:3: -4 is not a valid time; allowed: a number from 0 to one day"));
  }
  CHECK_FALSE(std::filesystem::exists(s.path("results")));

  // The run above as a source: its loader's batches came every 4 ms.
  const Ran of_run = run_program(s, {"run", "replayed.yaml", "--set", "loader.times=r", "--clock",
                                     "simulated", "--out", "r2"});
  INFO(of_run.err);
  CHECK(of_run.code == 0);
  for (const double rate : rates_of(journal_of(s, "r2"), "", "loader"))
    CHECK(rate == Approx(4 / 0.004).epsilon(0.001));
}

// An emulated device of PCIe 4.0 and images, both 64 times smaller: times are the same.
std::string device_scenario(const std::string& launch_call, const std::string& trainer) {
  return "name: device\nquestion: What holds the device up?\n"
         "loader: {use: synthetic, num_workers: 4, batch_size: 64, batch_time: 1ms, height: 28, "
         "width: 28, fill: none}\n"
         "trainer: {use: timed, device: emulated, emulated: {pinned: 390.625MB/s, pageable: "
         "109.375MB/s, memory_rate: 31.25GB/s, launch_call: " +
         launch_call + "}" + trainer +
         "}\n"
         "measure: {rounds: 1, class: selftest, isolation: none}\n";
}

TEST_CASE("run: next on a device is what hides its copies, before a faster one", "[golden][app]") {
  Scratch s;
  s.write("device.yaml", device_scenario("3us", ", step_time: 2ms"));
  const auto next = [&](const std::vector<std::string>& sets) {
    std::vector<std::string> words{"run",     "device.yaml", "--clock", "simulated",
                                   "--quiet", "--json",      "-"};
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    const Ran ran = run_program(s, words);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return json::parse(ran.out).at("conclusion").get<std::string>();
  };
  const std::string pinned = "loader.pin_memory=true", free = "trainer.non_blocking=true";
  CHECK_THAT(next({}), Contains("loader.pin_memory"));
  CHECK_THAT(next({pinned, free}), Contains("trainer.copy_stream") && !Contains("faster device"));
  CHECK_THAT(next({pinned, free, "trainer.copy_stream=own"}), Contains("faster device"));
  // Copies are 4 % of the step.
  CHECK_THAT(next({pinned, free, "trainer.step_time=8ms"}), Contains("faster device"));
  // Copies are 6 % of the step.
  CHECK_THAT(next({pinned, free, "trainer.step_time=6ms"}), Contains("trainer.copy_stream"));
  CHECK_THAT(next({pinned, free, "trainer.in_flight=1"}),
             Contains("trainer.in_flight to 2 (now 1), so that with trainer.copy_stream: own "));
  // Four times the bytes take 1.54 ms.
  const std::string wide = "loader.dtype=float32", own = "trainer.copy_stream=own",
                    each = "trainer.log_every=1";
  CHECK_THAT(next({pinned, free, own, wide, "trainer.step_time=1ms"}),
             Contains("Copy fewer bytes") && !Contains("faster device"));
  // Copies are 3 % longer than the step.
  CHECK_THAT(next({pinned, free, own, wide, "trainer.step_time=1500us"}),
             Contains("faster device"));
  const std::vector<std::string> streams{own, "trainer.copy_stream=current"};
  for (std::size_t i = 0; i < sweep_size(1, streams.size()); ++i)
    CHECK_THAT(next({pinned, free, streams[i], wide, each}),
               Contains("trainer.log_every to 10 (now 1)") && !Contains("faster device"));
  CHECK_THAT(next({pinned, free, own, wide, each, "trainer.step_time=40ms"}),
             Contains("faster device"));
}

TEST_CASE("run: next on a device that launches hold up is fewer of them", "[golden][app]") {
  Scratch s;
  s.write("launches.yaml", device_scenario("50us", ", kernels: 400, non_blocking: true"));
  const auto next = [&](const std::string& step) {
    const Ran ran =
        run_program(s, {"run", "launches.yaml", "--clock", "simulated", "--quiet", "--json", "-",
                        "--set", "loader.pin_memory=true", "--set", "trainer.step_time=" + step});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return json::parse(ran.out).at("conclusion").get<std::string>();
  };
  // 400 launches take 20 ms.
  const std::vector<std::string> steps{"18ms", "17ms", "9ms"};
  for (std::size_t i = 0; i < sweep_size(1, steps.size()); ++i)
    CHECK_THAT(next(steps[i]),
               Contains("Enqueue fewer, larger operations") && !Contains("faster device"));
  CHECK_THAT(next("30ms"), Contains("faster device"));
}

TEST_CASE("run: --trace writes the base's first pipeline window, report writes it again",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.batch_size: [4, 8]}\n"));
  const Ran run = run_program(
      s, {"run", "tiny.yaml", "--clock", "simulated", "--out", "r", "--trace", "t.json"});
  INFO(run.err << run.out);
  CHECK(run.code == 0);
  const json trace = json::parse(read_file(s.path("t.json")));
  const json& events = trace.is_array() ? trace : trace.at("traceEvents");
  CHECK(events.size() > 300);  // 100 steps, 100 fills, the queue's depth
  CHECK(events.at(0).at("name") == "process_name");
  CHECK(events.at(0).at("args").at("name") == "tiny: batch_size=4 (base), pipeline, round 1");
  CHECK(run_program(s, {"report", "r", "--trace", "again.json"}).code == 0);
  CHECK(read_file(s.path("again.json")) == read_file(s.path("t.json")));
  int traced = 0;
  for (const json& r : journal_of(s, "r"))
    for (const json& series : r.at("series")) traced += series.at("name") == "trace";
  CHECK(traced == 1);
  const Ran none = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--out", "plain"});
  CHECK(none.code == 0);
  const Ran refused = run_program(s, {"report", "plain", "--trace", "t.json"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("contains no trace"));
}

TEST_CASE("run: a trace that cannot be written is told before anything runs", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  for (const char* path : {"nowhere/t.json", "."}) {
    const Ran r = run_program(s, {"run", "tiny.yaml", "--trace", path, "--out", "r"});
    INFO(path << r.err);
    CHECK(r.code == 5);
    CHECK_THAT(r.err, Contains("could not be written"));
    CHECK_FALSE(std::filesystem::exists(s.path("r")));
  }
  const Ran full = run_program(
      s, {"run", "tiny.yaml", "--clock", "simulated", "--trace", "/dev/full", "--out", "f"});
  CHECK(full.code == 5);
  CHECK_THAT(full.out, Contains("loader"));
}

}  // namespace beyond_modes_test
}  // namespace benchbench::test
