// Warnings and problems, word by word.
#include "harness/report/notes.h"

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

TEST_CASE("problem lines: a rule with its name, the reason once, trials with their rounds", "[unit][report]") {
  Base run;
  Facts bad = good_facts(400);
  bad.accounting.duplicated = 1;
  run.record(run.pipeline, 0, bad);
  run.record(run.pipeline, 1, bad);
  CHECK(run.problems() ==
        std::vector<std::string>{"INVALID R01 (conservation): 1 samples came twice in an epoch: base pipeline rounds 1, 2"});
  CHECK(problem_lines(run.findings(), run.plan)[0].bad);
}

TEST_CASE("problem lines: reasons that differ are told of each trial, few by name", "[unit][report]") {
  Base run;
  for (std::uint32_t p = 0; p < 5; ++p) {
    const auto more = run.point({{"loader.prefetch_factor", std::to_string(p)}}, run.settings(2));
    TrialRecord& r = run.record(run.trial(more, Mode::pipeline), 0, good_facts(100));
    r.status = Status::noisy;
    r.reasons = {{"X1", false, "reason " + std::to_string(p)}};
  }
  CHECK(run.problems() == std::vector<std::string>{
                              "NOISY X1: prefetch_factor=0 pipeline round 1 (reason 0); prefetch_factor=1 pipeline round 1 "
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
  CHECK(run.problems() == std::vector<std::string>{"FAILED: killed by signal 9: base and 1 more points trainer round 2"});
}

TEST_CASE("problem lines: what was not run, and what the plan skipped", "[unit][report]") {
  Base run;
  run.rates(run.pipeline, {400});
  run.plan.order.push_back({run.loader, 0, 0});
  const auto p = run.point({{"loader.pin_memory", "true"}}, run.settings(2));
  run.plan.points[p].skip = "pinned memory needs CUDA: no driver";
  CHECK(run.problems() == std::vector<std::string>{"SKIPPED: pinned memory needs CUDA: no driver: pin_memory=true",
                                                   "NOT RUN: 1 of 2 planned trials have no record"});
}

}  // namespace benchbench::notes_test
