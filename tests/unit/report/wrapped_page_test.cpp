// Tests the page of `benchbench wrap`: one quantity a clause, each number as the table has it,
// and as what is next the first advice.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/external/external_words.h"
#include "harness/report/words/alarm_words.h"
#include "tests/unit/report/told_script.h"
#include "tests/unit/report/values_of.h"

namespace benchbench::wrapped_page_test {

using test::exactly;
using told_script::has;
using told_script::Told;

ExternalFinding found(ExternalFault fault, std::string where, std::string what = "") {
  ExternalFinding f;
  f.fault = fault, f.where = std::move(where), f.what = std::move(what);
  f.workers = 2, f.cores = 2, f.count = 2;
  f.ms = exactly(30), f.step_ms = exactly(100), f.bytes = exactly(9e7);
  return f;
}

// A loader that is the limit, with these findings.
Told faulty(std::vector<ExternalFinding> findings) {
  Told t;
  t.add({}, 100, 500, 100);
  t.f.external.points.resize(1);
  t.f.external.findings = std::move(findings);
  return t;
}

TEST_CASE("wrapped page: next is the change of the finding that comes first, with its place",
          "[unit][report][wrap]") {
  Told t = faulty({found(ExternalFault::iterator_each_step, "train.py:9", "loader"),
                   found(ExternalFault::threads, "train.py:31")});
  CHECK(has(t.part("next"),
            "Keep the iterator, and make another one only where it ends (train.py:9)."));
  CHECK_FALSE(has(t.part("next"), "OPENBLAS"));
  CHECK(advice_values(t.f, t.plan)[0]["finding"] == "iterator each step");
  t.f.external.findings.erase(t.f.external.findings.begin());
  CHECK(has(t.part("next"),
            "Set OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1 and OMP_NUM_THREADS=1 "
            "for the workers (train.py:31), before numpy is imported."));
  t.said();
  t.f.conclusion.next.by_search = true;
  for (const ConclusionPart& part : conclusion_parts(t.f, t.plan)) CHECK(part.label != "next");
}

TEST_CASE("wrapped page: more workers come behind a finding's change, balanced sides do not",
          "[unit][report][wrap]") {
  Told t = faulty({found(ExternalFault::epoch_startup, "train.py:9")});
  CHECK(t.part("next").starts_with(
      "Pass persistent_workers=True (train.py:9). Try DataLoader(num_workers=4): "));
  Told balanced;
  PointFindings& p = balanced.add({}, 100, 104, 100, true, 4);
  p.side = Side::balanced, p.within = 0.25;
  balanced.f.indicative = false;
  balanced.f.external.points.resize(1);
  balanced.f.external.findings = {found(ExternalFault::epoch_startup, "train.py:9")};
  CHECK(balanced.part("next") == "Pass persistent_workers=True (train.py:9).");
  // A change that is not certain is not advised before more rounds.
  Told doubted;
  doubted.add({}, 100, 500, 100, false, 2);
  doubted.f.external.points.resize(1);
  doubted.f.external.findings = balanced.f.external.findings;
  CHECK(has(doubted.part("next"), "Measure more rounds before changing anything"));
}

TEST_CASE("wrapped page: a change can be read without the finding before it",
          "[unit][report][wrap]") {
  CHECK(change_words_alone(found(ExternalFault::workers_stay, "train.py:9", "valid")) ==
        "pass persistent_workers=False to valid (train.py:9)");
  CHECK(change_words_alone(found(ExternalFault::on_device, "train.py:9", "cuda:0")) ==
        "make batches on the CPU in the workers, and move them in the training process "
        "(train.py:9)");
  CHECK(change_words_alone(found(ExternalFault::host_copies, "train.py:9", "item")) ==
        "read values of the device once in 100 steps, or add them up there until then "
        "(train.py:9)");
  ExternalFinding outside = found(ExternalFault::outside_steps, "train.py:50");
  JobPart part;
  part.state = "step", part.loader = "valid", part.where = "train.py:50";
  part.share = 0.43, part.comes_again = true;
  outside.job.emplace().outside = {part};
  CHECK(change_words_alone(outside) ==
        "do less often what passes outside of the training steps, 43 % in work with batches of "
        "valid (train.py:50)");
}

TEST_CASE("wrapped page: a change that names its line has no second one", "[unit][report][wrap]") {
  ExternalFinding outside = found(ExternalFault::outside_steps, "train.py:78");
  JobPart part;
  part.state = "first", part.loader = "valid", part.where = "train.py:78", part.workers = 4;
  part.share = 0.58, part.count = 28, part.comes_again = true;
  outside.job.emplace().outside = {part};
  CHECK(change_words_alone(outside) == "pass persistent_workers=True to valid (train.py:78)");
  outside.job->outside.front().made = "train.py:61";
  CHECK(change_words_alone(outside) == "pass persistent_workers=True to valid (train.py:61)");
}

TEST_CASE("wrapped page: what the loader takes alone and what the script waits are not compared",
          "[unit][report][wrap]") {
  Told t;
  PointFindings& p = t.add({}, 36, 1000, 27.5);
  p.exposed_wait_ms = exactly(350);
  CHECK(has(t.part("binds"),
            "The loader is the limit: alone it takes 278 ms of each 364 ms step (76 %), and the "
            "script waits for data 350 ms (96 %, critical)."));
  CHECK_FALSE(has(t.part("binds"), "more than"));
  // The time is the table's, whatever the rounds' own ratios are; a small wait is not critical.
  p.side_takes_ms = exactly(100), p.exposed_wait_ms = exactly(8);
  CHECK(has(t.part("binds"),
            "alone it takes 278 ms of each 364 ms step (76 %), and the script "
            "waits for data 8 ms (2 %)"));
}

TEST_CASE("wrapped page: an epoch that goes by the job's rate says so", "[unit][report][wrap]") {
  Told t;
  t.add({}, 0, 0, 88);
  t.f.epoch_samples = 20'000;
  CHECK(has(t.part("epoch"), "An epoch of 20,000 samples takes about 3 min 47 s."));
  t.f.external.points.resize(1);
  t.f.external.points[0].job.emplace().rate = 148;
  CHECK(t.part("epoch") ==
        "An epoch of 20,000 samples takes about 2 min 15 s at the job's 148 samples/s.");
}

TEST_CASE("wrapped page: what no side explains has its reason where cores are it",
          "[unit][report][wrap]") {
  Told t;
  t.add({}, 500, 500, 100).exposed_wait_ms = exactly(10);
  t.f.points[0].side = Side::trainer;  // 20 of each 100 ms
  t.f.external.points.resize(1);
  ExternalPoint& seen = t.f.external.points[0];
  seen.mode = Mode::pipeline;
  CHECK(has(t.part("binds"),
            " Its waits and what the trainer takes alone leave 70 ms of each 100 ms step (70 %) "
            "unexplained. "));
  seen.core_wait_main_ms = 35;
  CHECK(
      has(t.part("binds"), "unexplained: the script's own thread waits for a core 50 % of that."));
  seen.core_wait_main_ms = 3, seen.runnable_mean = 8.3, seen.cores = 2;
  CHECK(has(t.part("binds"),
            "unexplained: more threads run or wait meanwhile (8.3) than there are cores (2)."));
  t.f.points[0].exposed_wait_ms = exactly(75);
  CHECK(has(t.part("binds"), " The script waits for data 75 ms of each 100 ms step (75 %)."));
  // Most of the step is the side's.
  Told large;
  large.add({}, 500, 125, 100).exposed_wait_ms = exactly(1);
  CHECK_FALSE(has(large.part("binds"), "unexplained"));
}

TEST_CASE("wrapped page: a trainer that is the limit leaves nothing to change in the loader",
          "[unit][report][wrap]") {
  Told t;
  t.add({}, 500, 100, 98).exposed_wait_ms = exactly(1);
  CHECK(t.part("next") == "The loader needs no change: the script waits for it 1 % of each step.");
  t.f.points[0].exposed_wait_ms = exactly(30);
  CHECK(t.part("next") ==
        "The loader is not what to change first: without its wait a step is 29 % shorter.");
  Told of_run;
  of_run.plan.scenario.base = {};
  of_run.add({}, 500, 100, 98).exposed_wait_ms = exactly(1);
  CHECK_FALSE(has(of_run.part("next"), "no change"));
}

TEST_CASE("wrapped page: a wait that the table has is no alarm's line", "[unit][report][wrap]") {
  Told t;
  t.add({}, 100, 500, 100).exposed_wait_ms = exactly(22.4);
  t.said();
  Alarm wait;
  wait.kind = AlarmKind::exposed_wait, wait.state = AlarmState::raised, wait.limit = 0.1;
  wait.worst = AlarmSeen{.point = 0, .value = 0.24};
  t.f.alarms = {wait};
  CHECK(raised_alarms(t.f, t.plan).empty());
  CHECK(alarms_line(t.f, t.plan) == "raised: exposed_wait");
  t.f.points[0].exposed_wait_ms.reset();
  CHECK(raised_alarms(t.f, t.plan).size() == 1);
  CHECK(has(alarms_line(t.f, t.plan), "24 %"));
}

}  // namespace benchbench::wrapped_page_test
