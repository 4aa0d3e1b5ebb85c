// A run of mocks from the command line to its report, and what is left when something breaks on the
// way.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/golden/program/program.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace run_program_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using nlohmann::json;

json json_of(const Ran& r) {
  INFO(r.err);
  REQUIRE_NOTHROW(json::parse(r.out));
  return json::parse(r.out);
}

std::vector<json> journal_of(const Scratch& s, const std::string& folder = "r") {
  std::vector<json> records;
  std::istringstream lines(read_file(s.path(folder + "/journal.jsonl")));
  for (std::string line; std::getline(lines, line);) records.push_back(json::parse(line));
  return records;
}

std::string mode_of(const json& record) { return record.at("trial").at("mode"); }
std::string status_of(const json& record) { return record.at("status"); }
std::string first_reason(const json& record) {
  return record.at("reasons").empty() ? "" : record.at("reasons").at(0).at("text");
}
// Measured: what other programs did beside it makes a trial NOISY, never wrong.
bool usable(const json& record) {
  return status_of(record) == "VALID" || status_of(record) == "NOISY";
}

// A round of one point: loader, pipeline, and the trainer three times.
constexpr std::size_t kTrialsOfRound = 5;

// Returns the words of `benchbench run FILE --clock simulated more...`.
std::vector<std::string> in_virtual_time(const std::string& file,
                                         const std::vector<std::string>& more) {
  std::vector<std::string> words{"run", file, "--clock", "simulated"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_CASE("run: --quiet says where the results are, and nothing else", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.batch_size: [4, 8]}\n"));
  const Ran run = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--rounds", "3",
                                  "--set", "measure.stop_at=0.05", "--out", "r", "--quiet"});
  CHECK(run.code == 0);
  CHECK(run.err == "results: r\n");
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
  const std::size_t conclusion = run.out.rfind("\nbinds     ") + 1;
  REQUIRE(conclusion != 0);
  const std::string paragraph = run.out.substr(conclusion);
  CHECK(std::ranges::count(paragraph, '\n') <= 8);
  CHECK(report.out == run.out);
  const std::string detail = run_program(s, {"report", "r", "--detail"}).out;
  CHECK(detail.find("\nbinds     ") == detail.rfind("\nbinds     "));
  CHECK_THAT(detail, EndsWith(paragraph));
  const json document = json_of(run_program(s, {"report", "r", "--json", "-"}));
  REQUIRE(document.at("points").size() == 2);
  // Batches of 4 and 8: 2 ms each from the loader, 1 ms each in the trainer, 2 ms both together.
  // Mocks are never much faster than they were told; how much slower is the machine's business.
  const std::map<std::string, double> batches_per_second{
      {"loader", 500}, {"trainer", 1000}, {"pipeline", 500}};
  for (std::size_t p = 0; p < 2; ++p)
    for (const auto& [mode, batches] : batches_per_second) {
      INFO(mode << " of point " << p);
      const json& rate = document.at("points").at(p).at(mode + "_rate_samples_per_second");
      CHECK(rate.at("n") == 2);
      CHECK(rate.at("value").get<double>() < 1.1 * batches * static_cast<double>(4 + 4 * p));
      CHECK(rate.at("value").get<double>() > 0);
    }
  std::map<std::string, std::size_t> records;
  for (const json& record : document.at("records")) {
    ++records[record.at("mode")];
    const double window = record.at("window_s"), samples = record.at("samples");
    CHECK(window >= 0.2);
    CHECK(record.at("rate_samples_per_second").get<double>() == Approx(samples / window));
    const std::string_view point = record.at("points").at(0).get_ref<const std::string&>();
    CHECK(samples == record.at("steps").get<double>() * (point == "batch_size=4 (base)" ? 4 : 8));
    if (record.at("mode") != "trainer") continue;
    const double forward = record.at("stages_ms").at("forward");
    CHECK(forward >
          0.1 * record.at("steps").get<double>());  // a step takes 1 ms, if not catching up
    CHECK(forward < 1001 * window);
  }
  CHECK(records ==
        std::map<std::string, std::size_t>{{"loader", 4}, {"pipeline", 4}, {"trainer", 8}});
  CHECK(journal_of(s).size() == 16);
}

TEST_CASE(
    "run: --json - leaves one document on standard output and everything else on standard error",
    "[golden][app]") {
  Scratch s;
  const Ran run =
      copy_shared_run(s, tiny_scenario(), in_virtual_time("tiny.yaml", {"--json", "-"}));
  CHECK(run.code == 0);
  CHECK(json_of(run).at("points").size() == 1);
  CHECK(json_of(run).at("records").size() == 2 * kTrialsOfRound);
  CHECK_THAT(run.err, Contains("Does a tiny run work?") && Contains("results: "));
}

TEST_CASE("run: the simulated clock gives exact rates without waiting", "[golden][app]") {
  Scratch s;
  const Ran run =
      copy_shared_run(s, tiny_scenario(), in_virtual_time("tiny.yaml", {"--json", "-"}));
  const json p = json_of(run).at("points").at(0);
  CHECK(p.at("loader_rate_samples_per_second").at("value").get<double>() ==
        Approx(2000).epsilon(1e-6));
  CHECK(p.at("trainer_rate_samples_per_second").at("value").get<double>() ==
        Approx(4000).epsilon(1e-6));
  CHECK(p.at("pipeline_rate_samples_per_second").at("value").get<double>() ==
        Approx(2000).epsilon(1e-6));
}

TEST_CASE(
    "run: a part that throws, exits, aborts or is killed is one FAILED record with its cause, and "
    "the sweep goes on",
    "[golden][app]") {
  Scratch s;
  s.write("faulty.yaml",
          tiny_scenario("sweep:\n  loader:\n    - {use: synthetic, batch_time: 2ms}\n"
                        "    - {use: faulty, fault: throw, after: 3}\n"
                        "    - {use: faulty, fault: exit, after: 3}\n"
                        "    - {use: faulty, fault: abort, after: 3}\n"
                        "    - {use: faulty, fault: segv, after: 3}\n"));
  const Ran run = run_program(
      s, in_virtual_time("faulty.yaml", {"--json", "-", "--rounds", "1", "--out", "r"}));
  INFO(run.err);
  CHECK(run.code == 1);
  const std::map<std::string, std::string> causes{
      {"throw", "injected fault (worker 0, batch 3)"},
      {"exit", "the trial's process exited with status 3"},
      {"abort", "the trial's process was killed by SIGABRT (Aborted)"},
      {"segv", "the trial's process was killed by SIGSEGV (Segmentation fault)"}};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool caught = true;  // a sanitizer ends the process itself
#else
  constexpr bool caught = false;
#endif
  std::map<std::string, int> failed;
  int measured = 0;
  for (const json& record : journal_of(s)) {
    const json& settings = record.at("trial").at("settings");
    if (settings.contains("loader.fault")) {
      const std::string fault = settings.at("loader.fault");
      INFO(fault << " " << mode_of(record));
      CHECK(status_of(record) == "FAILED");
      if (fault == "segv" && caught)
        CHECK(first_reason(record).starts_with("the trial's process exited with status"));
      else
        CHECK(first_reason(record) == causes.at(fault));
      ++failed[fault];
    } else {
      CHECK(usable(record));
      ++measured;
    }
  }
  CHECK(failed == std::map<std::string, int>{{"abort", 2}, {"exit", 2}, {"segv", 2}, {"throw", 2}});
  CHECK(measured == 9);  // base: five; the trainer of each of the others
  const json points = json_of(run).at("points");
  REQUIRE(points.size() == 5);
  CHECK(points.at(0).at("pipeline_rate_samples_per_second").at("value").get<double>() > 0);
  for (std::size_t p = 1; p < 5; ++p) {
    CHECK(points.at(p).at("status") == "FAILED");
    CHECK(points.at(p).at("pipeline_rate_samples_per_second").is_null());
    CHECK(points.at(p).at("trainer_rate_samples_per_second").is_object());
  }
}

TEST_CASE("run: a part that hangs is killed after its timeout, and the sweep goes on",
          "[golden][app]") {
  Scratch s;
  s.write("hang.yaml", quick_scenario("sweep:\n  loader:\n    - {use: synthetic, batch_time: 2ms}\n"
                                      "    - {use: faulty, fault: hang, after: 3}\n"));
  const Ran run = run_program(s, {"run", "hang.yaml", "--set", "measure.timeout=1s", "--set",
                                  "measure.modes=pipeline", "--rounds", "1", "--out", "r"});
  INFO(run.err << run.out);
  CHECK(run.code == 1);
  int hung = 0, measured = 0;
  for (const json& record : journal_of(s)) {
    if (record.at("trial").at("settings").at("loader.use") == "faulty") {
      CHECK(status_of(record) == "FAILED");
      CHECK(first_reason(record) == "hung: no result within its timeout of 1 s; killed");
      ++hung;
    } else {
      CHECK(usable(record));
      ++measured;
    }
  }
  CHECK(hung == 1);
  CHECK(measured == 3);
}

// The kill comes in the first of eight rounds in virtual time.
TEST_CASE("run: SIGKILL of the supervisor loses no finished trial, and --resume goes on",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario("sweep: {loader.batch_size: [4, 8, 16]}\n"));
  const auto with = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = in_virtual_time("tiny.yaml", {"--rounds", "8", "--out", "r"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  {
    Running running(s, with({}));
    REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 3));
    running.signal(SIGKILL);
    CHECK(running.finish().code == 128 + SIGKILL);
  }
  const std::string killed = read_file(s.path("r/journal.jsonl"));
  // The line that it was just writing may be torn.
  const std::string kept = killed.substr(0, killed.rfind('\n') + 1);
  CHECK(std::count(kept.begin(), kept.end(), '\n') >= 3);
  const Ran resumed = run_program(s, with({"--resume"}));
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK(read_file(s.path("r/journal.jsonl")).starts_with(kept));
  std::map<std::string, int> slots;
  for (const json& record : journal_of(s)) {
    CHECK(usable(record));
    ++slots[record.at("planned").dump()];
  }
  // A round: three points of three trials, and the base's trainer twice more. None was run twice.
  CHECK(slots.size() == 8 * 11);
  const std::size_t all = count_lines(s.path("r/journal.jsonl"));
  CHECK(all == 8 * 11);
  const Ran again = run_program(s, with({"--resume"}));
  CHECK(again.code == 0);
  CHECK(count_lines(s.path("r/journal.jsonl")) == all);
  CHECK(again.out == resumed.out);
}

// The third trial takes ten seconds.
TEST_CASE("run: SIGINT and SIGTERM keep what is finished and print the partial report",
          "[golden][app]") {
  for (const auto& [number, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Scratch s;
    s.write("slow.yaml", loader_then(kSlowTrainer));
    Running running(s, {"run", "slow.yaml", "--out", "r", "--rounds", "50"});
    REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 2));
    running.signal(number);
    const Ran r = running.finish();
    CHECK(r.code == code);
    CHECK_THAT(r.err, Contains("interrupted: 2 finished trials kept"));
    CHECK_THAT(r.err, Contains("run slow.yaml --rounds 50 --resume --out r\n"));
    const std::vector<json> records = journal_of(s);
    CHECK_THAT(r.out, Contains("NOT RUN: " + std::to_string(200 - records.size()) +
                               " of 200 planned trials"));
    REQUIRE(records.size() >= 2);
    CHECK(usable(records[0]));
    CHECK(usable(records[1]));
    // The third is not even begun where the signal comes while the second one's line is synced.
    REQUIRE(records.size() <= 3);
    if (records.size() == 3) CHECK(status_of(records[2]) == "ABORTED");
  }
}

// The third trial hangs, for which the first signal has four seconds of patience.
TEST_CASE("run: another signal after the first ends at once, and says so", "[golden][app]") {
  Scratch s;
  s.write("hang.yaml", loader_then(kHangingTrainer));
  Running running(s, {"run", "hang.yaml", "--out", "r"});
  REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 2));
  running.signal(SIGINT);
  running.signal(SIGTERM);
  const Ran r = running.finish();
  // The later of two that are pending may be handled first.
  CHECK((r.code == 128 + SIGTERM || r.code == 128 + SIGINT));
  CHECK_THAT(r.err, Contains("interrupted twice: ended at once; what was finished is kept"));
  CHECK(r.out.empty());
  CHECK(count_lines(s.path("r/journal.jsonl")) == 2);
}

TEST_CASE("run: an isolation that there is not is refused before anything is there",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"run", "tiny.yaml", "--out", "r", "--isolation", "never"});
  CHECK(r.code == 2);
  CHECK_THAT(r.err, Contains("--isolation") && Contains("\"never\" is not allowed") &&
                        Contains("round, trial, none"));
  CHECK(!std::filesystem::exists(s.path("r")));
}

TEST_CASE("run: the supervisor's memory does not grow with the number of trials",
          "[golden][app][.all]") {
#ifdef BENCHBENCH_SANITIZED
  BENCHBENCH_SKIP("a sanitizer keeps memory that was freed");
#endif
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  Running running(s, {"run", "tiny.yaml", "--out", "r", "--clock", "simulated", "--set",
                      "measure.rounds=400", "--set", "measure.modes=loader", "--quiet"});
  const auto resident_kib = [&] {
    const std::string status = read_file("/proc/" + std::to_string(running.pid()) + "/status");
    return std::stol(status.substr(status.find("VmRSS:") + 6));
  };
  REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 60));
  const long first = resident_kib();
  REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 360));
  CHECK(resident_kib() - first < 1024);  // 300 records in memory were 5,400
  running.signal(SIGTERM);
  CHECK(running.finish().code == 143);
}

TEST_CASE("run: --resume with nothing to resume says so, a report of no run is a wrong word",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran fresh = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--resume"});
  CHECK(fresh.code == 0);
  CHECK_THAT(fresh.err, Contains("no earlier run of tiny in results/runs: starting afresh\n"));
  const Ran named = run_program(
      s, {"run", "tiny.yaml", "--clock", "simulated", "--resume", "--out", "elsewhere"});
  CHECK_THAT(named.err, Contains("no earlier run of tiny in elsewhere: starting afresh\n"));
  const Ran again = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--resume"});
  CHECK_THAT(again.err, Contains("resuming results/runs/tiny-") && !Contains("afresh"));
  const Ran above = run_program(s, {"report", "results/runs"});
  CHECK(above.code == 2);
  CHECK_THAT(above.err, Contains("results/runs contains no run: no results/runs/plan.json") &&
                            Contains("the newest in it is results/runs/tiny-"));
  CHECK(run_program(s, {"report", "nowhere"}).code == 2);
  CHECK(run_program(s, {"report", "nowhere", "--h5"}).code == 2);
}

TEST_CASE("report: --h5 writes results.h5 again, and the report is the same", "[golden][app]") {
  Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  s.write("tiny.yaml", tiny_scenario());
  REQUIRE(run_program(s, {"require", "tiny.yaml", "--clock", "simulated", "--out", "q"}).code == 0);
  for (const std::string folder : {"r", "q"}) {
    std::filesystem::remove(s.path(folder + "/results.h5"));
    const Ran plain = run_program(s, {"report", folder});
    CHECK_FALSE(std::filesystem::exists(s.path(folder + "/results.h5")));
    const Ran again = run_program(s, {"report", folder, "--h5"});
    CHECK(again.code == 0);
    CHECK(again.out == plain.out);
    CHECK(again.err == folder + "/results.h5 was written\n");
    CHECK(std::filesystem::file_size(s.path(folder + "/results.h5")) > 1000);
  }
}

TEST_CASE("report: --h5 of a run without results writes what there is", "[golden][app]") {
  Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  for (const char* name : {"journal.jsonl", "results.h5"})
    std::filesystem::remove(s.path("r/" + std::string(name)));
  const Ran empty = run_program(s, {"report", "r", "--h5"});
  CHECK(empty.code == 8);
  CHECK_THAT(empty.out, Contains("NOT RUN"));
  CHECK(std::filesystem::exists(s.path("r/results.h5")));
  std::filesystem::remove(s.path("r/plan.json"));
  const Ran none = run_program(s, {"report", "r", "--h5"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("r contains no run: no r/plan.json"));
}

TEST_CASE(
    "run: --resume of a run that ended before its plan was written starts afresh, "
    "of anything else it does not",
    "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::vector<std::string> resume{"run",      "tiny.yaml", "--clock", "simulated",
                                        "--resume", "--out",     "r"};
  std::filesystem::create_directories(s.path("r/series"));
  for (const char* file : {"r/lock", "r/environment.json", "r/plan.json.tmp", "r/journal.jsonl"})
    s.write(file, "");
  const Ran begun = run_program(s, resume);
  CHECK(begun.code == 0);
  CHECK_THAT(begun.err, Contains("nothing was measured in r yet: starting afresh\n"));
  CHECK_FALSE(std::filesystem::exists(s.path("r/plan.json.tmp")));
  std::filesystem::remove(s.path("r/plan.json"));
  const std::string journal = read_file(s.path("r/journal.jsonl"));
  const Ran without_plan = run_program(s, resume);
  CHECK(without_plan.code == 2);
  CHECK_THAT(without_plan.err, Contains("r contains no run: no r/plan.json"));
  CHECK(read_file(s.path("r/journal.jsonl")) == journal);
}

TEST_CASE("run: --resume takes the last of the runs of one second", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::vector<std::string> names{"tiny-20260101-000000.9",    "tiny-20260101-000000.10",
                                       "tiny-20260101-000000",      "tiny-20251231-235959.11",
                                       "tiny-20260101-000000.99x",  "tiny-20260101-0000000",
                                       "tiny-other-20270101-000000"};
  copy_tiny_run(s);
  std::filesystem::create_directories(s.path("results/runs"));
  for (const std::string& name : names)
    std::filesystem::copy(s.path("r"), s.path("results/runs/" + name),
                          std::filesystem::copy_options::recursive);
  const Ran again = run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--resume"});
  CHECK_THAT(again.err, Contains("resuming results/runs/tiny-20260101-000000.10: "));
}

TEST_CASE("run: --resume among records of another plan runs all that is missing", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::vector<std::string> run{"run", "tiny.yaml", "--clock", "simulated", "--out"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return run_program(s, more);
  };
  REQUIRE(with({"r", "--rounds", "3"}).code == 0);
  REQUIRE(with({"other", "--rounds", "2"}).code == 0);
  const std::size_t planned = count_lines(s.path("r/journal.jsonl")),
                    others = count_lines(s.path("other/journal.jsonl"));
  std::filesystem::copy_file(s.path("other/journal.jsonl"), s.path("r/journal.jsonl"),
                             std::filesystem::copy_options::overwrite_existing);
  const Ran resumed = with({"r", "--rounds", "3", "--resume"});
  INFO(resumed.err << resumed.out);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, !Contains("NOT RUN") && Contains("of a different plan"));
  CHECK(count_lines(s.path("r/journal.jsonl")) == planned + others);
  CHECK(with({"r", "--rounds", "3", "--resume"}).code == 0);
  CHECK(count_lines(s.path("r/journal.jsonl")) == planned + others);
}

TEST_CASE("run: --resume refuses another scenario, with the difference", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  CHECK(copy_tiny_run(s).code == 0);
  const Ran other = run_program(s, in_virtual_time("tiny.yaml", {"--out", "r", "--resume", "--set",
                                                                 "trainer.step_time=3ms"}));
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("different scenario"));
}

TEST_CASE(
    "run: --resume goes on with another budget, or without one, and with the plan it began with",
    "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const std::vector<std::string> run{"run", "tiny.yaml", "--clock", "simulated", "--out", "r"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), run.begin(), run.end());
    return run_program(s, more);
  };
  CHECK(with({"--budget", "60s"}).code == 0);
  for (const auto& more : {std::vector<std::string>{"--budget", "90s"}, {"--budget", "60s"}, {}}) {
    std::vector<std::string> again{"--resume"};
    again.insert(again.end(), more.begin(), more.end());
    const Ran r = with(again);
    INFO(r.err);
    CHECK(r.code == 0);
    CHECK_THAT(r.err, Contains("resuming r: 10 records found"));
  }
}

TEST_CASE(
    "run: a results folder in use, not empty or not to be made is refused before anything runs",
    "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  s.write("file", "x");
  const Ran below_file = run_program(s, {"run", "tiny.yaml", "--out", "file/r"});
  CHECK(below_file.code == 5);
  s.write("hang.yaml", loader_then(kHangingTrainer));
  Running running(s, {"run", "hang.yaml", "--out", "r"});
  REQUIRE(running.wait_for_lines(s.path("r/journal.jsonl"), 1));
  const Scratch other;  // run_program's output files are the scratch folder's
  const Ran second =
      run_program(other, {"run", s.path("hang.yaml"), "--out", s.path("r"), "--resume"});
  CHECK(second.code == 5);
  CHECK_THAT(second.err, Contains("in use by process " + std::to_string(running.pid())));
  running.signal(SIGTERM);
  running.finish();
}

TEST_CASE("run: what one output cannot take does not cost the others", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, in_virtual_time("tiny.yaml", {"--rounds", "1", "--json", "/dev/full",
                                                             "--csv", "rows.csv", "--out", "r"}));
  CHECK(r.code == 5);
  CHECK_THAT(r.err, Contains("error: /dev/full could not be written"));
  CHECK(journal_of(s).size() == kTrialsOfRound);
  CHECK(count_lines(s.path("rows.csv")) == 2);
  CHECK_THAT(r.out, Contains("1 point, 1 round, 5 trials"));
  CHECK_THAT(read_file(s.path("rows.csv")), Contains("\nbase,") || Contains(",base,"));
}

TEST_CASE("run: --resume refuses another clock", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  CHECK(copy_tiny_run(s).code == 0);
  const std::string before = read_file(s.path("r/journal.jsonl"));
  const Ran other = run_program(s, {"run", "tiny.yaml", "--out", "r", "--resume"});
  CHECK(other.code == 2);
  CHECK_THAT(other.err, Contains("different scenario") && Contains("start a new run"));
  CHECK(read_file(s.path("r/journal.jsonl")) == before);
}

TEST_CASE("run: the first file that cannot be decoded is named while the run goes on",
          "[golden][app]") {
  Scratch s;
  for (int i = 0; i < 8; ++i) s.write("bad" + std::to_string(i) + ".jpg", "no picture");
  s.write(
      "own.yaml",
      "name: own\ndataset: {format: image_folder, path: .}\n"
      "loader: {use: native, num_workers: 1, batch_size: 4, transform: {random_resized_crop: 32}}\n"
      "trainer: {use: discard}\n"
      "measure: {class: selftest, window: 200ms, warmup: 10ms, rounds: 1, modes: [loader]}\n");
  const Ran r = run_program(s, {"run", "own.yaml", "--out", "r"});
  CHECK(r.code == 8);  // no trial was usable
  CHECK_THAT(r.err, Contains("could not be decoded, e.g. bad"));
  CHECK_THAT(r.out, Contains("INVALID R03"));
  const std::vector<json> records = journal_of(s);
  REQUIRE(records.size() == 3);
  for (const json& record : records) {
    CHECK(status_of(record) == "INVALID");
    CHECK(record.at("reasons").at(0).at("rule") == "R03");
    CHECK(record.at("facts").at("decode_errors") >= record.at("facts").at("delivered"));
    CHECK(record.at("facts").at("delivered") > 0);
  }
}

TEST_CASE("run: observer levels 0, 1 and 2 all reach the store", "[golden][app]") {
  const std::vector<std::string> times{"get_blocked", "step"};
  const std::map<std::string, std::map<std::string, std::vector<std::string>>> wanted{
      {"0", {{"loader", {}}, {"trainer", {}}, {"pipeline", {}}}},
      {"1", {{"loader", times}, {"trainer", times}, {"pipeline", times}}},
      {"2",
       {{"loader", {"get_blocked", "step", "value_collate"}},
        {"trainer", {"get_blocked", "step", "value_forward"}},
        {"pipeline", {"get_blocked", "step", "value_collate", "value_forward"}}}}};
  for (const auto& [level, of_mode] : wanted) {
    Scratch s;
    s.write("tiny.yaml", quick_scenario());
    const Ran r = run_program(s, {"run", "tiny.yaml", "--rounds", "1", "--out", "r", "--set",
                                  "measure.observer=" + level});
    INFO(level << r.err);
    CHECK(r.code == 0);
    const std::vector<json> records = journal_of(s);
    CHECK(records.size() == kTrialsOfRound);
    for (const json& record : records) {
      INFO(mode_of(record));
      std::vector<std::string> names;
      for (const json& series : record.at("series")) {
        names.push_back(series.at("name"));
        CHECK(series.at("length") > 0);
        CHECK(std::filesystem::file_size(s.path("r/" + series.at("file").get<std::string>())) ==
              8 * series.at("length").get<std::uintmax_t>());
      }
      CHECK(names == of_mode.at(mode_of(record)));
    }
  }
}

}  // namespace run_program_test
}  // namespace benchbench::test
