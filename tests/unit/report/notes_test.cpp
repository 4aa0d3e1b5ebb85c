// Warnings and problems, word by word.
#include "harness/report/text/notes.h"
#include "harness/analysis/conclusion/analyse.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::notes_test {

using test::good_facts;
using test::MadeRun;

struct Base : MadeRun {
  std::uint32_t point_ = point({}, settings(2));
  std::uint32_t loader = trial(point_, Mode::loader), trainer = trial(point_, Mode::trainer),
                pipeline = trial(point_, Mode::pipeline);

  Findings findings() const { return analyse(plan, records); }
  std::vector<std::string> problems() const {
    std::vector<std::string> lines;
    for (const Note& n : problem_lines(findings(), plan)) lines.push_back(n.text);
    return lines;
  }
  std::vector<std::string> warnings() const { return warning_lines(findings(), plan); }
};

TEST_CASE("problem lines: a rule with its name, the reason once, trials with their rounds",
          "[unit][report]") {
  Base run;
  Facts bad = good_facts(400);
  bad.accounting.duplicated = 1;
  run.record(run.pipeline, 0, bad);
  run.record(run.pipeline, 1, bad);
  CHECK(run.problems() == std::vector<std::string>{"INVALID R01 (conservation): 1 sample delivered "
                                                   "twice in an epoch: base pipeline rounds 1, 2"});
  CHECK(problem_lines(run.findings(), run.plan)[0].bad);
}

TEST_CASE("problem lines: reasons that differ are told of each trial, few by name",
          "[unit][report]") {
  Base run;
  for (std::uint32_t p = 0; p < 5; ++p) {
    const auto more = run.point({{"loader.prefetch_factor", std::to_string(p)}}, run.settings(2));
    TrialRecord& r = run.record(run.trial(more, Mode::pipeline), 0, good_facts(100));
    r.status = Status::noisy;
    r.reasons = {{"X1", false, "reason " + std::to_string(p)}};
  }
  CHECK(run.problems() == std::vector<std::string>{
                              "NOISY X1: prefetch_factor=0 pipeline round 1 (reason 0); "
                              "prefetch_factor=1 pipeline round 1 "
                              "(reason 1); prefetch_factor=2 pipeline round 1 (reason 2); 2 more"});
  for (TrialRecord& r : run.records) r.reasons[0].text = "alike";
  CHECK(run.problems() == std::vector<std::string>{"NOISY X1: alike (all 5 trials)"});
}

TEST_CASE("problem lines: a shared trainer's trial says of how many points", "[unit][report]") {
  Base run;
  run.share(run.point({{"loader.pin_memory", "true"}}, run.settings(2)), run.trainer);
  TrialRecord& r = run.record(run.trainer, 1, good_facts(100));
  r.status = Status::failed;
  r.reasons = {{"", true, "killed by signal 9"}};
  CHECK(run.problems() == std::vector<std::string>{
                              "FAILED: killed by signal 9: base and 1 more point trainer round 2"});
}

TEST_CASE("problem lines: what was not run, and what the plan skipped", "[unit][report]") {
  Base run;
  run.rates(run.pipeline, {400});
  run.plan.order.push_back({run.loader, 0, 0});
  const auto p = run.point({{"loader.pin_memory", "true"}}, run.settings(2));
  run.plan.points[p].skip = "pinned memory needs CUDA: no driver";
  CHECK(run.problems() ==
        std::vector<std::string>{"SKIPPED: pinned memory needs CUDA: no driver: pin_memory=true",
                                 "NOT RUN: 1 of 2 planned trials has no record"});
  run.plan.order.push_back({run.loader, 1, 0});
  CHECK(run.problems().back() == "NOT RUN: 2 of 3 planned trials have no record");
}

TEST_CASE("warning lines: records of another plan", "[unit][report]") {
  Base run;
  run.rates(run.pipeline, {400, 500});
  run.records[0].trial.digest = "another";
  CHECK(run.warnings() == std::vector<std::string>{"ignored: 1 record of a different plan"});
}

TEST_CASE("warning lines: a sweep of formats on data in memory is no storage comparison",
          "[unit][report]") {
  const auto told = [](std::optional<std::uint64_t> device) {
    Base run;
    run.plan.scenario.axes.push_back({"dataset.format", {}});
    Facts facts = good_facts(100);
    facts.bytes.read = 1000;
    facts.bytes.device = device;
    run.record(run.pipeline, 0, facts);
    return run.warnings();
  };
  CHECK(told(0) ==
        std::vector<std::string>{
            "not a storage comparison: 100 % from the page cache (dataset.format is swept, but "
            "the data stayed in memory)"});
  CHECK(told(std::nullopt) ==
        std::vector<std::string>{
            "dataset.format is swept, but the source of the data was not measured: "
            "possibly not a storage comparison"});
  CHECK(told(400).empty());
}

TEST_CASE("warning lines: stalls at a period, where they cost most", "[unit][report]") {
  Base run;
  const auto other =
      run.trial(run.point({{"loader.pin_memory", "true"}}, run.settings(2)), Mode::pipeline);
  Facts f = good_facts(1000);
  f.window.stalls = {
      2,
      100'000'000,
      25,
      {{0, 70'000'000, 25, StallCause::checkpoint}, {0, 30'000'000, 50, StallCause::get_blocked}}};
  run.record(run.pipeline, 0, f);
  CHECK(run.warnings() ==
        std::vector<std::string>{"every 25 steps a checkpoint stalls training, up to 70 ms each "
                                 "and 10.0 % of the time (base)"});
  Base loader_alone;
  const auto alone =
      loader_alone.trial(loader_alone.point({}, loader_alone.settings(2)), Mode::loader);
  loader_alone.record(alone, 0, f);
  CHECK(loader_alone.warnings().empty());  // nothing trains
  f.window.stalls.total_ns = 200'000'000;
  run.record(other, 0, f);
  CHECK(run.warnings() ==
        std::vector<std::string>{
            "every 25 steps a checkpoint stalls training, up to 70 ms each and 20.0 % of the "
            "time (pin_memory=true; also 1 more point)"});
}

TEST_CASE("warning lines: what trials could not do as asked is told once, with the first by name",
          "[unit][report]") {
  Base run;
  run.rates(run.trainer, {100, 100});
  run.rates(run.pipeline, {100, 100});
  run.rates(run.loader, {100, 100});
  const auto told_by = [&](std::vector<std::uint32_t> trials) {
    for (TrialRecord& r : run.records)
      r.facts.notices = std::ranges::count(trials, r.planned.trial)
                            ? std::vector<std::string>{"no eviction"}
                            : std::vector<std::string>{};
    return run.warnings();
  };
  CHECK(told_by({run.pipeline}) == std::vector<std::string>{"no eviction (base pipeline)"});
  CHECK(told_by({run.trainer, run.pipeline}) ==
        std::vector<std::string>{"no eviction (base pipeline and 1 more)"});
  CHECK(told_by({run.loader, run.trainer, run.pipeline}) ==
        std::vector<std::string>{"no eviction (all trials)"});
  for (int i = 0; i < 10; ++i)
    run.records[0].facts.notices.push_back("notice " + std::to_string(i));
  CHECK(run.warnings().size() == 9);
  CHECK(run.warnings().back() == "in the journal: 3 more notices");
}

// A window of 1 s on 2 cores of which ours used one, in which no thread waited.
Facts next_to_others(double cores) {
  Facts f = good_facts(1000);
  f.cpu.user_s = 1, f.cpu.system_s = 0;
  f.cpu.others_s = cores, f.cpu.run_delay_most_s = 0;
  return f;
}

TEST_CASE("warning lines: other programs are named where they used cores, whether it cost anything",
          "[unit][report]") {
  Base run;
  run.record(run.pipeline, 0, next_to_others(0.09));  // under 5 % of the cores
  CHECK(run.warnings().empty());
  run.record(run.pipeline, 1, next_to_others(1.71));
  CHECK(run.problems().empty());
  CHECK(run.warnings() ==
        std::vector<std::string>{"other programs used 0.9 of 2 cores, 1.7 in one trial"});
  run.record(run.loader, 0, next_to_others(0.96));
  CHECK(run.warnings() ==
        std::vector<std::string>{"other programs used 0.9 of 2 cores, 1.7 in one trial"});
  Base even;
  even.record(even.pipeline, 0, next_to_others(0.8));
  even.record(even.pipeline, 1, next_to_others(1));
  CHECK(even.warnings() == std::vector<std::string>{"other programs used 0.9 of 2 cores"});
  // 0.8 of 1 core and 1 of 2.
  even.records[0].trial.settings.set("run.cpus", test::whole(1));
  CHECK(even.warnings() == std::vector<std::string>{"other programs used 0.9 of 1.5 cores"});
  even.records[0].trial.settings = even.records[1].trial.settings;
  // A busy machine may have made them INVALID.
  for (TrialRecord& r : even.records) r.facts.accounting.duplicated = 1;
  CHECK(even.warnings() == std::vector<std::string>{"other programs used 0.9 of 2 cores"});
  for (TrialRecord& r : even.records) r.status = Status::failed;
  CHECK(even.warnings().empty());
  // Two loops are under 5 % of 48 cores.
  Base large;
  TrialRecord& r = large.record(large.pipeline, 0, next_to_others(2));
  r.environment.cpus_usable = 48;
  CHECK(large.warnings() == std::vector<std::string>{"other programs used 2.0 of 48 cores"});
  r.facts.cpu.others_s = 0.4;
  CHECK(large.warnings().empty());
}

TEST_CASE("warning lines: what a budget cut", "[unit][report]") {
  Base run;
  CHECK(run.warnings().empty());
  run.plan.cuts = {"3 rounds instead of 5", "sweep of loader.num_workers left out"};
  CHECK(run.warnings() ==
        std::vector<std::string>{
            "cut to fit the budget: 3 rounds instead of 5; sweep of loader.num_workers left out"});
  for (const std::string over :
       {"estimated to need about 1 s more than the budget of 60s: what has no time is not run",
        "still about 1 s over a budget of 60s"}) {
    run.plan.cuts = {"3 rounds instead of 5", over};
    CHECK(run.warnings() ==
          std::vector<std::string>{"cut to fit the budget: 3 rounds instead of 5", over});
    run.plan.cuts = {over};  // where nothing could be cut
    CHECK(run.warnings() == std::vector<std::string>{over});
  }
}

TEST_CASE("warning lines: that the estimate was over the budget is not said once all trials ran",
          "[unit][report]") {
  Base run;
  const std::string over =
      "estimated to need about 18 s more than the budget of 20s: what has no time is not run";
  run.plan.cuts = {"3 rounds instead of 5", over};
  const std::vector<std::string> cut{"cut to fit the budget: 3 rounds instead of 5"},
      both{cut.front(), over};
  for (const auto t : {run.loader, run.trainer, run.pipeline}) run.plan.order.push_back({t, 0, 0});
  run.rates(run.loader, {100});
  run.rates(run.trainer, {100});
  CHECK(run.warnings() == both);  // one has no record
  run.rates(run.pipeline, {100});
  CHECK(run.warnings() == cut);
  run.records.back().status = Status::aborted;
  CHECK(run.warnings() == both);
}

}  // namespace benchbench::notes_test
