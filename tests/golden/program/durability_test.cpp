// What a run puts on the disk, and when, seen from outside: the order of the calls that its
// processes make.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/golden/program/program.h"
#include "tests/places.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace durability {

struct Call {
  long pid = 0;
  std::string what, path, more;
  bool sends(const std::string& word) const {
    return what == "write" && path.starts_with("pipe:") && more == word;
  }
};
using Calls = std::vector<Call>;

// Every program started while it lives notes its calls. Their paths hold no space.
class Watched {
 public:
  explicit Watched(const Scratch& folder) : log_(folder.path("calls.txt")) {
    ::setenv("LD_PRELOAD", built_path("bin/libbenchbench_test_preload.so").c_str(), 1);
    ::setenv("BENCHBENCH_TEST_CALLS", log_.c_str(), 1);
  }
  ~Watched() {
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("BENCHBENCH_TEST_CALLS");
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  Calls calls() const {
    std::istringstream lines(read_file(log_));
    Calls calls;
    for (Call c; lines >> c.pid >> c.what >> c.path >> c.more;) calls.push_back(c);
    return calls;
  }

 private:
  std::string log_;
};

struct WatchedRun {
  Calls calls;
  std::string folder;  // of the run
  std::size_t lines = 0;
  double seconds = 0;
  std::vector<std::size_t> all(const std::string& what, const std::string& name) const {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (calls[i].what == what && calls[i].path == path(name)) at.push_back(i);
    return at;
  }
  // The first one at or after `from`; the end where there is none.
  std::size_t next(std::size_t from, const std::string& what, const std::string& at) const {
    while (from < calls.size() && !(calls[from].what == what && calls[from].path == at)) ++from;
    return from;
  }
  std::size_t next_trial(std::size_t from) const {
    while (from < calls.size() && !calls[from].sends("trial")) ++from;
    return from;
  }
  std::string path(const std::string& name) const {
    return name.empty() ? folder : folder + "/" + name;
  }
};

WatchedRun watch_run(const std::string& scenario, std::vector<std::string> arguments) {
  const Scratch scratch;
  scratch.write("tiny.yaml", scenario);
  const std::vector<std::string> run{"run", "tiny.yaml", "--out", "r"};
  arguments.insert(arguments.begin(), run.begin(), run.end());
  const Watched watch(scratch);
  const auto begun = std::chrono::steady_clock::now();
  const Ran ran = run_program(scratch, arguments);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const std::string folder = std::filesystem::canonical(scratch.path("r")).string();
  return {watch.calls(), folder, count_lines(scratch.path("r/journal.jsonl")), took.count()};
}

// Returns a run that several cases look at.
const WatchedRun& run_in_virtual_time() {
  static const WatchedRun run = watch_run(tiny_scenario(), {"--clock", "simulated"});
  return run;
}

std::size_t trials_sent(const WatchedRun& run) {
  return static_cast<std::size_t>(std::count_if(run.calls.begin(), run.calls.end(),
                                                [](const Call& c) { return c.sends("trial"); }));
}

// The processes that ran trials and handed over their records.
std::set<long> processes_of_trials(const WatchedRun& run) {
  std::set<long> pids;
  for (const Call& call : run.calls)
    if (call.sends("record")) pids.insert(call.pid);
  return pids;
}

}  // namespace durability
using namespace durability;

#ifdef BENCHBENCH_SANITIZED
#define NOT_UNDER_SANITIZERS BENCHBENCH_SKIP("a sanitizer's runtime must be loaded first")
#else
#define NOT_UNDER_SANITIZERS static_cast<void>(0)
#endif

TEST_CASE(
    "durability: a journal line and its series are on the disk before the next trial is asked for",
    "[golden][app]") {
  NOT_UNDER_SANITIZERS;
  const WatchedRun run = watch_run(quick_scenario(), {"--clock", "real"});
  const std::vector<std::size_t> lines = run.all("write", "journal.jsonl");
  REQUIRE(lines.size() == 10);  // loader, pipeline and three times the trainer, two rounds
  CHECK(lines.size() == run.lines);
  CHECK(trials_sent(run) == lines.size());
  std::size_t before = run.next_trial(0);
  for (const std::size_t line : lines) {
    REQUIRE(before < line);
    const std::size_t synced = run.next(line, "sync", run.path("journal.jsonl"));
    const std::size_t trial = run.next_trial(line);
    REQUIRE(synced < run.calls.size());
    CHECK(synced < trial);
    std::size_t series = 0;
    for (std::size_t i = before; i < line; ++i) {
      const Call& call = run.calls[i];
      if (call.what != "write" || !call.path.starts_with(run.path("series/"))) continue;
      ++series;
      const std::size_t whole = run.next(i, "sync", call.path);
      CHECK(whole < line);
      CHECK(run.next(whole, "sync", run.path("series")) < line);
    }
    CHECK(series >= 2);  // steps and waits
    before = trial;
  }
  CHECK(before == run.calls.size());
}

TEST_CASE(
    "durability: under the simulated clock lines are written at once, "
    "and synced once a second and at the end",
    "[golden][app]") {
  NOT_UNDER_SANITIZERS;
  const WatchedRun& run = run_in_virtual_time();
  const std::vector<std::size_t> lines = run.all("write", "journal.jsonl"),
                                 syncs = run.all("sync", "journal.jsonl");
  REQUIRE(lines.size() == 10);
  CHECK(lines.size() == run.lines);
  std::size_t before = run.next_trial(0);
  for (const std::size_t line : lines) {
    REQUIRE(before < line);
    before = run.next_trial(line);
    // It is written before the next trial is asked for, so that a kill costs no line.
    CHECK(line < before);
  }
  REQUIRE_FALSE(syncs.empty());
  CHECK(static_cast<double>(syncs.size()) <= run.seconds + 1);
  CHECK(syncs.back() > lines.back());
  std::size_t exported = run.calls.size();
  for (std::size_t i = 0; i < run.calls.size(); ++i)
    if (run.calls[i].what == "create" && run.calls[i].path.starts_with(run.path("results.h5")))
      exported = std::min(exported, i);
  CHECK(syncs.back() < exported);
  std::size_t series = 0;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const Call& call = run.calls[i];
    if (call.what != "write" || !call.path.starts_with(run.path("series/"))) continue;
    ++series;
    const std::size_t whole = run.next(i, "sync", call.path),
                      named = run.next(whole, "sync", run.path("series"));
    REQUIRE(named < run.calls.size());
    // The series is synced before the line that names it.
    CHECK(run.next(named, "sync", run.path("journal.jsonl")) < run.calls.size());
  }
  CHECK(series >= 20);  // steps and waits
}

TEST_CASE(
    "durability: plan, environment and results are synced before they get their name, "
    "and their folder after",
    "[golden][app]") {
  NOT_UNDER_SANITIZERS;
  const WatchedRun& run = run_in_virtual_time();
  const std::size_t first_trial = run.next_trial(0);
  REQUIRE(first_trial < run.calls.size());
  for (const char* name : {"plan.json", "environment.json", "results.h5"}) {
    INFO(name);
    std::size_t renamed = run.calls.size();
    for (std::size_t i = 0; i < run.calls.size(); ++i)
      if (run.calls[i].what == "rename" &&
          std::filesystem::path(run.calls[i].more).filename() == name)
        renamed = i;
    REQUIRE(renamed < run.calls.size());
    CHECK(run.all("write", name).empty());  // under its own name it is never half there
    const std::string before =
        run.path(std::filesystem::path(run.calls[renamed].path).filename().string());
    std::size_t written = run.calls.size(), synced = run.calls.size();
    for (std::size_t i = 0; i < renamed; ++i) {
      if (run.calls[i].path != before) continue;
      if (run.calls[i].what == "write") written = i;
      if (run.calls[i].what == "sync") synced = i;
    }
    REQUIRE(written < renamed);
    REQUIRE(synced < renamed);
    CHECK(written < synced);
    const std::size_t folder = run.next(renamed, "sync", run.folder);
    CHECK(folder < (name == std::string("results.h5") ? run.calls.size() : first_trial));
  }
  // So does the name of the journal, which is never renamed.
  const std::size_t journal = run.next(0, "create", run.path("journal.jsonl"));
  CHECK(run.next(journal, "sync", run.folder) < first_trial);
}

TEST_CASE("run: a process for each round, for each trial, or none, as --isolation says",
          "[golden][app]") {
  NOT_UNDER_SANITIZERS;
  using Counts = std::pair<std::size_t, std::size_t>;
  const auto counts = [](const WatchedRun& run) {
    return Counts{processes_of_trials(run).size(), trials_sent(run)};
  };
  // Three trials in each of two rounds.
  const auto counts_of = [&](const std::string& scenario, std::vector<std::string> words) {
    words.insert(words.end(), {"--set", "measure.modes=loader"});
    const WatchedRun run = watch_run(scenario, words);
    CHECK(run.lines == 6);
    return counts(run);
  };
  const auto simulated = [&](const std::string& option, const std::string& value) {
    return counts_of(tiny_scenario(), {"--clock", "simulated", option, value});
  };
  CHECK(counts(run_in_virtual_time()) == Counts{2, 10});
  CHECK(simulated("--isolation", "round") == Counts{2, 6});
  CHECK(simulated("--isolation", "trial") == Counts{6, 6});
  CHECK(simulated("--isolation", "none") == Counts{0, 0});
  CHECK(simulated("--set", "measure.isolation=trial") == Counts{6, 6});
  CHECK(counts_of(quick_scenario(), {"--clock", "real", "--isolation", "trial"}) == Counts{6, 6});
}

}  // namespace benchbench::test

#undef NOT_UNDER_SANITIZERS
