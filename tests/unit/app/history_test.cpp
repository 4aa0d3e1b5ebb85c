#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/analysis/history/history.h"
#include "harness/analysis/rates/started_at.h"
#include "harness/app/history/history_runs.h"
#include "harness/app/history/old_runs.h"
#include "harness/config/history_file.h"
#include "harness/config/scenario_file.h"
#include "harness/core/error.h"
#include "harness/report/history/history_report.h"
#include "harness/store/history_index.h"
#include "harness/store/run_folder.h"
#include "harness/store/sealed_line.h"
#include "tests/scratch_folder.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace history_app {

namespace fs = std::filesystem;

// Nights of one point in a folder of run folders.
class Nights {
 public:
  Nights() : folder(test::make_scratch_folder("history")) {}
  ~Nights() { fs::remove_all(folder); }
  Nights(const Nights&) = delete;

  void add(int day, double rate, const std::string& machine = "m",
           const std::string& scenario = "made") {
    test::MadeRun run;
    run.plan.scenario.name = scenario;
    const auto point = run.point({}, run.settings(2));
    const auto trial = run.trial(point, Mode::loader);
    for (std::uint32_t round = 0; round < 3; ++round) {
      TrialRecord& r = run.record(trial, round, test::good_facts(rate));
      r.started_at = started(day);
      r.environment.machine = machine;
    }
    RunFolder store = RunFolder::create(path(day, machine), run.plan, {});
    for (TrialRecord& r : run.records) store.append(r);
  }
  std::string path(int day, const std::string& machine = "m") const {
    return folder + "/run-" + machine + std::to_string(day);
  }
  std::string index() const { return folder + "/" + kHistoryIndex; }
  static std::string started(int day) {
    return "2026-11-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "T02:00:00Z";
  }

  const std::string folder;
};

HistoryReport report_of(const Nights& nights) {
  HistoryReport report;
  HistoryRuns runs = history_runs({nights.folder});
  report.history = make_history(runs.kept);
  report.notes = runs.notes;
  report.place = "runs";
  return report;
}

TEST_CASE("history: a new night is read, the others come from the index, with the same result",
          "[unit][app]") {
  Nights nights;
  for (int day = 1; day <= 12; ++day) nights.add(day, 1000);
  CHECK(history_runs({nights.folder}).read == 12);
  for (int day = 13; day <= 16; ++day) nights.add(day, 900);
  CHECK(history_runs({nights.folder}).read == 4);
  CHECK(history_runs({nights.folder}).read == 0);
  const std::string text = history_text(report_of(nights));
  CHECK(text.find("REGRESSION made/base/loader_rate: slower by 10.0 %, step") == std::string::npos);
  CHECK(text.find("REGRESSION made/base/loader_rate: slower by 10.0 %, from night 2026-11-13 on") !=
        std::string::npos);
  CHECK(text.find("--accept made/base/loader_rate@2026-11-13") != std::string::npos);
  fs::remove(nights.index());
  CHECK(history_runs({nights.folder}).read == 16);
  CHECK(history_text(report_of(nights)) == text);
}

TEST_CASE("history: a run of which all is SKIPPED is not said to have no record yet",
          "[unit][app]") {
  Nights nights;
  nights.add(1, 1000);
  test::MadeRun run;
  run.trial(run.point({}, run.settings(2)), Mode::loader);
  RunFolder::create(nights.folder + "/begun", run.plan, {});
  run.plan.trials[0].skip = "needs cuda:0";
  RunFolder::create(nights.folder + "/skipped", run.plan, {});
  const std::vector<std::string> notes = history_runs({nights.folder}).notes;
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], Catch::Contains("/begun has no record yet"));
  CHECK_THAT(notes[1], Catch::Contains("/skipped") && Catch::Contains("SKIPPED") &&
                           !Catch::Contains("no record yet"));
}

TEST_CASE("history: a cut or changed index is written anew, and says so", "[unit][app]") {
  Nights nights;
  for (int day = 1; day <= 3; ++day) nights.add(day, 1000);
  history_runs({nights.folder});
  fs::resize_file(nights.index(), fs::file_size(nights.index()) - 9);
  const HistoryRuns again = history_runs({nights.folder});
  CHECK(again.kept.runs.size() == 3);
  CHECK(again.read == 1);
  REQUIRE(again.notes.size() == 1);
  CHECK(again.notes[0].find("1 line of ") != std::string::npos);
  CHECK(read_history_index(nights.index()).damaged == 0);
}

TEST_CASE("history: lines of another version are left out and read again from the stores",
          "[unit][app]") {
  Nights nights;
  nights.add(1, 1000);
  std::ofstream(nights.index()) << "{\"version\":2,\"run\":\"x\"}\nnot json\n";
  const HistoryRuns runs = history_runs({nights.folder});
  CHECK(runs.kept.runs.size() == 1);
  CHECK(read_history_index(nights.index()).kept.runs.size() == 1);
}

TEST_CASE("history: numbers that are none in a sealed line of the index make it a damaged one",
          "[unit][app]") {
  const Nights nights;
  const auto damaged = [&](const char* bytes, const char* time, const char* rounds) {
    const std::string line =
        std::string(
            R"({"version":1,"run":"x","started_at":"","machine":"m","machine_text":"","labels":[],"surroundings":[],"journal_bytes":)") +
        bytes + R"(,"journal_time_ns":)" + time + R"(,"values":[["s",1.0,)" + rounds + "]]}";
    std::ofstream(nights.index()) << sealed(line);
    return read_history_index(nights.index()).damaged;
  };
  CHECK(damaged("1", "-1", "5") == 0);
  CHECK(damaged("1e300", "1", "5") == 1);
  CHECK(damaged("-1", "1", "5") == 1);
  CHECK(damaged("1", "-9.28441e18", "5") == 1);
  CHECK(damaged("1", "9223372036854775808", "5") == 1);
  CHECK(damaged("1", "1", "4294967296") == 1);
  CHECK(damaged("1", "1", "-1") == 1);
}

TEST_CASE("history: values of before and of now stand in one index", "[unit][app]") {
  const Nights nights;
  const auto line = [](const std::string& run, const std::string& values) {
    return sealed(R"({"version":1,"run":")" + run +
                  R"(","started_at":"","machine":"m","machine_text":"","labels":[],)" +
                  R"("surroundings":[],"journal_bytes":1,"journal_time_ns":1,"values":[)" + values +
                  "]}");
  };
  std::ofstream(nights.index()) << line("a", R"(["s",1000.0,5])")
                                << line("b", R"(["s",900.0,0,0.25,"R09 neighbours: x"])")
                                << line("c", R"(["s",900.0,0,0.25])");
  const HistoryIndex index = read_history_index(nights.index());
  REQUIRE(index.kept.runs.size() == 2);
  CHECK(index.damaged == 1);
  CHECK(index.kept.runs[0].values.at(0) == KeptValue{"s", 1000, 5});
  CHECK(index.kept.runs[1].values.at(0) == KeptValue{"s", 900, 0, 0.25, "R09 neighbours: x"});
  write_history_index(nights.index(), index.kept);
  const HistoryIndex again = read_history_index(nights.index());
  CHECK(again.damaged == 0);
  CHECK(again.kept.runs.at(1).values == index.kept.runs[1].values);
}

TEST_CASE(
    "history: a night that an older version kept without a value is read again for its reason",
    "[unit][app]") {
  Nights nights;
  nights.add(1, 1000);
  nights.add(2, 1000);
  history_runs({nights.folder});
  HistoryIndex index = read_history_index(nights.index());
  index.kept.runs.at(1).values.at(0) = {index.kept.runs[1].values[0].series, 0, 1};
  write_history_index(nights.index(), index.kept);
  const HistoryRuns again = history_runs({nights.folder});
  CHECK(again.read == 1);
  CHECK(again.kept.runs.at(1).values.at(0).median == Approx(1000));
  CHECK(history_runs({nights.folder}).read == 0);
  index = read_history_index(nights.index());
  index.kept.series.begin()->second.settings.clear();
  write_history_index(nights.index(), index.kept);
  CHECK(history_runs({nights.folder}).read == 2);
  CHECK_FALSE(read_history_index(nights.index()).kept.series.begin()->second.settings.empty());
  CHECK(history_runs({nights.folder}).read == 0);
}

TEST_CASE("history: a series has one line in the index, however many nights have it",
          "[unit][app]") {
  Nights nights;
  for (int day = 1; day <= 3; ++day) {
    nights.add(day, 1000);
    history_runs({nights.folder});
  }
  std::ifstream index(nights.index());
  const std::string text{std::istreambuf_iterator<char>(index), {}};
  CHECK(std::ranges::count(text, '\n') == 4);  // and one of each night
}

TEST_CASE("history: damaged stores are left out with a word, the others are told", "[unit][app]") {
  Nights nights;
  for (int day = 1; day <= 4; ++day) nights.add(day, 1000);
  // A line that is being written.
  fs::resize_file(nights.path(2) + "/journal.jsonl",
                  fs::file_size(nights.path(2) + "/journal.jsonl") - 20);
  fs::resize_file(nights.path(3) + "/plan.json", 40);
  fs::resize_file(nights.path(4) + "/journal.jsonl", 0);
  const HistoryRuns runs = history_runs({nights.folder});
  CHECK(runs.kept.runs.size() == 2);
  CHECK(runs.notes.size() == 2);
}

TEST_CASE("history: of two machines each has its own nights", "[unit][app]") {
  Nights nights;
  for (int day = 1; day <= 12; ++day) nights.add(day, 1000);
  for (int day = 13; day <= 18; ++day) nights.add(day, 500, "n");
  const HistoryReport report = report_of(nights);
  REQUIRE(report.history.machines.size() == 2);
  CHECK(report.history.machines[0].machine == "n");
  CHECK(open_regressions(report) == 0);
  CHECK(learning_text(report) == "learning, night 6 of 10");
}

TEST_CASE("history: names with control characters and HTML are shown and quoted", "[unit][app]") {
  Nights nights;
  for (int day = 1; day <= 6; ++day) nights.add(day, 1000, "m", "a\x1b[2J<b>'x\n");
  for (int day = 7; day <= 12; ++day) nights.add(day, 500, "m", "a\x1b[2J<b>'x\n");
  const HistoryReport report = report_of(nights);
  const std::string text = history_text(report);
  CHECK(text.find("a\\x1b[2J<b>'x\\x0a/base/loader_rate: slower by 50.0 %") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(history_json(report).find("a\\u001b[2J<b>'x\\n") != std::string::npos);
}

TEST_CASE("history: a full disk for the index leaves it as it was, and the history is told",
          "[unit][app]") {
  Nights nights;
  nights.add(1, 1000);
  history_runs({nights.folder});
  const auto size = fs::file_size(nights.index());
  nights.add(2, 1000);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{size + 10, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &low);
  const HistoryRuns runs = history_runs({nights.folder});
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, before);
  CHECK_FALSE(runs.index_problem.empty());
  CHECK(runs.kept.runs.size() == 2);
  CHECK(fs::file_size(nights.index()) == size);
}

TEST_CASE("history: no folder, no run", "[unit][app]") {
  Nights nights;
  CHECK_THROWS_AS(history_runs({nights.folder}), UsageError);
  CHECK_THROWS_AS(history_runs({nights.folder + "/none"}), UsageError);
}

TEST_CASE("history.yaml: what is written is read; what cannot be read is said with its line",
          "[unit][app]") {
  Nights nights;
  const std::string path = nights.folder + "/" + kHistoryFile;
  CHECK(read_history_notes(path).accepted.empty());
  const std::string heading = "# by hand\n";
  append_durably(
      path, heading,
      history_entry(AcceptedChange{"a/b: \"c\"", "2026-11-12", "new\n\x1b decoder # 1"}));
  append_durably(path, heading, history_entry(NightRemark{"2026-11-13", "driver 570"}));
  const HistoryNotes notes = read_history_notes(path);
  REQUIRE(notes.accepted.size() == 1);
  CHECK(notes.accepted[0].point == "a/b: \"c\"");
  CHECK(notes.accepted[0].note == "new   decoder # 1");
  REQUIRE(notes.remarks.size() == 1);
  CHECK(notes.remarks[0].text == "driver 570");
  CHECK(notes.accepting("a/b: \"c\"/loader_rate", "2026-11-12"));
  CHECK_FALSE(notes.accepting("a/b: \"c\"d", "2026-11-12"));
  CHECK_FALSE(notes.accepting("a/b: \"c\"", "2026-11-13"));
  for (const char* bad : {"- accept: x\n", "- accept: x\n  nihgt: y\n", "- other: x\n",
                          "accept: x\n", "- [\n", "- accept: x\n  night: [1]\n", "- 3\n"}) {
    std::ofstream(path) << bad;
    INFO(bad);
    CHECK_THROWS_AS(read_history_notes(path), ScenarioDiagnostics);
  }
}

TEST_CASE("prune: ages come from the recorded start", "[unit][app]") {
  CHECK(days_asked("90d") == 90);
  CHECK(days_asked("2w") == 14);
  for (const char* bad : {"", "d", "90", "90h", "-1d", "1.5d", "90dd"})
    CHECK_THROWS_AS(days_asked(bad), UsageError);
  CHECK(seconds_of("1970-01-02T00:00:01Z") == 86401);
  CHECK(seconds_of("2026-11-21T10:00:00.5Z").value() == *seconds_of("2026-11-21T10:00:00Z") + 0.5);
  for (const char* bad :
       {"", "yesterday", "2026-13-21T10:00:00Z", "2026-11-21 10:00:00Z", "2026-11-2xT10:00:00Z"})
    CHECK_FALSE(seconds_of(bad));
  KeptRun run;
  run.started_at = "2026-11-21T10:00:00Z";
  PruneRule rule{static_cast<std::int64_t>(*seconds_of(run.started_at)) + 90 * 86400, 90, false};
  CHECK(why_kept(run, rule, {}) == "young");
  ++rule.now;
  CHECK(why_kept(run, rule, {}).empty());
  HistoryNotes written;
  written.accepted = {{"x", "2026-11-21", ""}};
  CHECK(why_kept(run, rule, written).empty());
  rule.keep_accepted = true;
  CHECK(why_kept(run, rule, written) == "accepted");
  run.started_at = "soon";
  CHECK_FALSE(why_kept(run, rule, {}).empty());
}

}  // namespace history_app
}  // namespace benchbench
