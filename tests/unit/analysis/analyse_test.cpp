#include <catch2/catch.hpp>
#include <cmath>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/summary/point_summary.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace analyse_test {

using test::good_facts;
using test::MadeRun;

struct Trials {
  std::uint32_t loader, trainer, pipeline;
};

// A base point with its three trials.
Trials base_point(MadeRun& run, std::int64_t workers = 2) {
  const auto p = run.point({}, run.settings(workers));
  return {run.trial(p, Mode::loader), run.trial(p, Mode::trainer), run.trial(p, Mode::pipeline)};
}

TEST_CASE("analyse: rates, headroom and efficiency of one point", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.loader, {1000, 1000, 1000});
  run.rates(t.trainer, {500, 500, 500});
  run.rates(t.pipeline, {500, 500, 500});
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.points.size() == 1);
  const PointFindings& p = f.points[0];
  CHECK(p.name == "base");
  CHECK(p.status == Status::valid);
  CHECK(p.loader_rate->value == Approx(1000));
  CHECK(p.loader_rate->n == 3);
  CHECK(p.headroom->value == Approx(2));
  CHECK(p.overlap_efficiency->value == Approx(1));
  CHECK(p.side == Side::trainer);
  CHECK(p.side_cost_ms->value == Approx(10));  // 10·(1/500 − 1/1000) s
  CHECK_FALSE(p.cpu_rate);
  CHECK_FALSE(p.gain);
  CHECK_FALSE(p.cache_share);
  CHECK(f.indicative);
  CHECK(f.rounds == 3);
  CHECK(f.count(Status::valid) == 9);
  CHECK(f.best == 0u);
}

TEST_CASE("analyse: the anchor's repeats count as one round, and give the A/A floor",
          "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.loader, {1000});
  run.plan.anchor = t.trainer;
  for (std::uint32_t repeat = 0; repeat < 3; ++repeat) {
    const double rates[] = {500, 1000, 2000};
    run.record(t.trainer, 0, good_facts(rates[repeat]), repeat);
  }
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.points[0].trainer_rate->n == 1);
  CHECK(f.points[0].trainer_rate->value == Approx(1000));
  REQUIRE(f.aa_floor);
  CHECK(f.aa_floor->n == 3);
  CHECK(f.aa_floor->low == Approx(1));  // differences of factors 2, 2 and 4
  CHECK(f.aa_floor->high == Approx(3));
}

TEST_CASE("analyse: C counts the CPU of loader and trainer together", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts facts = good_facts(100);
  facts.cpu.user_s = 1.5;
  facts.cpu.system_s = 0.5;
  facts.cpu.loader_s = 0.1;  // the process tree's time goes first
  facts.cpu.trainer_s = 0.1;
  run.record(t.pipeline, 0, facts);
  // 2 cores, 2 CPU seconds for 100 samples.
  CHECK(analyse(run.plan, run.records).points[0].cpu_rate->value == Approx(100));
}

TEST_CASE("analyse: waits are per step, tails only from 100 batches on", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts facts = good_facts(1000);
  facts.window.get_blocked = {2e6, 1e6, 4e6, 5e6, 6e6, 99};
  run.record(t.pipeline, 0, facts);
  facts.window.get_blocked = {4e6, 1e6, 4e6, 5e6, 6e6, 99};
  run.record(t.pipeline, 1, facts);
  Findings f = analyse(run.plan, run.records);
  CHECK(f.points[0].exposed_wait_ms->value == Approx(3));
  REQUIRE(f.points[0].exposed_wait);
  CHECK(std::isnan(f.points[0].exposed_wait->p99));
  CHECK(f.points[0].exposed_wait->max == 6e6);
  run.records[1].facts.window.get_blocked.n = 100;
  f = analyse(run.plan, run.records);
  CHECK(f.points[0].exposed_wait->p99 == 5e6);
}

TEST_CASE("analyse: a void record is shown and used for nothing", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.loader, {1000, 1000});
  run.rates(t.trainer, {500, 500});
  Facts bad = good_facts(400);
  bad.accounting.duplicated = 1;
  run.record(t.pipeline, 0, bad);
  run.record(t.pipeline, 1, bad);
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.points[0].status == Status::invalid);
  CHECK(f.points[0].mode_status[static_cast<int>(Mode::pipeline)] == Status::invalid);
  CHECK(f.points[0].mode_status[static_cast<int>(Mode::loader)] == Status::valid);
  CHECK(f.points[0].pipeline_rate->value == Approx(400));
  CHECK_FALSE(f.best);
  CHECK(f.points[0].side == Side::unknown);
  CHECK_FALSE(f.points[0].overlap_efficiency);
  CHECK(f.count(Status::invalid) == 2);
  REQUIRE(f.problems.size() == 1);
  CHECK(f.problems[0].status == Status::invalid);
  CHECK(f.problems[0].rule == "R01");
  REQUIRE(f.problems[0].mentions.size() == 2);
  CHECK(f.problems[0].mentions[1].trial == t.pipeline);
  CHECK(f.problems[0].mentions[1].round == 1);
  CHECK(f.problems[0].mentions[1].text == "1 sample delivered twice in an epoch");
}

TEST_CASE("analyse: one bad round of three makes the point noisy and lowers n",
          "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.pipeline, {400, 400, 400});
  run.records[1].status = Status::failed;
  run.records[1].reasons = {{"", true, "killed by signal 9"}};
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.points[0].status == Status::aborted);  // loader and trainer have no record
  CHECK(f.points[0].never_ran == std::array{true, true, false});
  CHECK(f.points[0].mode_status[static_cast<int>(Mode::pipeline)] == Status::noisy);
  CHECK(f.points[0].pipeline_rate->n == 2);
  CHECK(f.count(Status::failed) == 1);
  CHECK(f.problems.at(0).status == Status::failed);
  CHECK(f.problems[0].rule.empty());
  CHECK(f.problems[0].mentions.at(0).round == 1);
  CHECK(f.problems[0].mentions[0].text == "killed by signal 9");
}

TEST_CASE("analyse: problems come by status and rule, what ended them first, what did not run last",
          "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.pipeline, {400, 400, 400, 400, 400, 400});
  const Status statuses[] = {Status::skipped, Status::aborted, Status::noisy,
                             Status::invalid, Status::failed,  Status::failed};
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    run.records[i].status = statuses[i];
    run.records[i].reasons = {{"", statuses[i] == Status::invalid, i < 5 ? "one" : "another"}};
  }
  run.records[2].facts.cpu.steal_share = 0.2;  // R09, a group of its own after what is no rule
  const Findings f = analyse(run.plan, run.records);
  std::vector<std::pair<Status, std::string>> told;
  for (const Problem& p : f.problems)
    told.emplace_back(p.status, p.rule.empty() ? p.mentions.at(0).text : p.rule);
  CHECK(told == std::vector<std::pair<Status, std::string>>{{Status::failed, "another"},
                                                            {Status::failed, "one"},
                                                            {Status::invalid, "one"},
                                                            {Status::noisy, "one"},
                                                            {Status::noisy, "R09"},
                                                            {Status::aborted, "one"},
                                                            {Status::skipped, "one"}});
}

TEST_CASE("statuses: one order, and a point is as bad as its worst mode", "[unit][analysis]") {
  constexpr Status from_best[] = {Status::valid,   Status::noisy,   Status::skipped,
                                  Status::aborted, Status::invalid, Status::failed};
  for (std::size_t a = 0; a < std::size(from_best); ++a)
    for (std::size_t b = 0; b < std::size(from_best); ++b)
      CHECK(worst(from_best[a], from_best[b]) == from_best[std::max(a, b)]);
}

TEST_CASE("analyse: the last record of a slot counts, what has none is missing",
          "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.pipeline, {400});
  run.records[0].status = Status::aborted;
  run.record(t.pipeline, 0, good_facts(600));
  run.plan.order.push_back({t.loader, 0, 0});
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.points[0].pipeline_rate->value == Approx(600));
  CHECK(f.count(Status::aborted) == 0);
  CHECK(f.count(Status::valid) == 1);
  CHECK(f.trials_missing == 1);
  CHECK(f.trials_recorded == 1);
  CHECK(f.problems.empty());
}

TEST_CASE("analyse: records of another plan are left out and told", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.pipeline, {400, 500});
  run.records[0].trial.digest = "another";
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.points[0].pipeline_rate->value == Approx(500));
  CHECK(f.warnings.foreign == 1);
}

TEST_CASE("analyse: skipped points say why", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.pipeline, {400});
  const auto p = run.point({{"loader.pin_memory", "true"}}, run.settings(2));
  run.plan.points[p].skip = "pinned memory needs CUDA: no driver";
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.points[p].status == Status::skipped);
  REQUIRE(f.skips.size() == 1);
  CHECK(f.skips[0].why == "pinned memory needs CUDA: no driver");
  CHECK(f.skips[0].points == std::vector{p});
  CHECK(f.skips[0].trials.empty());
}

TEST_CASE("analyse: gains are told against the better num_workers 0 of the same settings",
          "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run, 2);
  run.rates(t.pipeline, {300, 600});
  const auto zero = run.point({{"loader.num_workers", "0"}}, run.settings(0));
  run.rates(run.trial(zero, Mode::pipeline), {50, 100});
  auto threads = run.settings(0);
  threads.set("trainer.intra_op_threads", test::whole(2));
  const auto better =
      run.point({{"loader.num_workers", "0"}, {"trainer.intra_op_threads", "2"}}, threads);
  run.rates(run.trial(better, Mode::pipeline), {100, 200});
  const auto other = run.point({{"loader.batch_size", "20"}}, run.settings(2, 20));
  run.rates(run.trial(other, Mode::pipeline), {900, 900});
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.points[0].gain);
  CHECK(f.points[0].gain->value == Approx(3));
  CHECK(f.points[0].gain->low == Approx(3));  // paired by round
  CHECK_FALSE(f.points[zero].gain);
  CHECK_FALSE(f.points[better].gain);
  CHECK_FALSE(f.points[other].gain);  // another batch size is another job
}

TEST_CASE("analyse: best is the cheapest within 2 % of the fastest", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run, 4);
  run.rates(t.pipeline, {1000, 1000});
  const auto two = run.point({{"loader.num_workers", "2"}}, run.settings(2));
  run.rates(run.trial(two, Mode::pipeline), {985, 985});
  const auto one = run.point({{"loader.num_workers", "1"}}, run.settings(1));
  run.rates(run.trial(one, Mode::pipeline), {975, 975});
  const auto thrifty = run.point({{"loader.prefetch_factor", "1"}}, run.settings(2));
  const auto trial = run.trial(thrifty, Mode::pipeline);
  run.rates(trial, {982, 982});
  CHECK(analyse(run.plan, run.records).best == two);
  for (auto& r : run.records) r.facts.peak_memory_bytes = r.planned.trial == trial ? 100 : 200;
  CHECK(analyse(run.plan, run.records).best == thrifty);
}

TEST_CASE("analyse: the step of the best point adds up", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts facts = good_facts(100);  // 10 steps of 100 ms
  facts.window.stages[static_cast<int>(Stage::get_blocked)] = {200'000'000, 10};
  facts.window.stages[static_cast<int>(Stage::forward)] = {300'000'000, 10};
  facts.window.stages[static_cast<int>(Stage::backward)] = {400'000'000, 10};
  // This is work of the loader, not of this thread.
  facts.window.stages[static_cast<int>(Stage::decode)] = {900'000'000, 10};
  facts.window.get_blocked = {20e6, 20e6, 20e6, 20e6, 20e6, 10};
  run.record(t.pipeline, 0, facts);
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.identity);
  CHECK(f.identity->step_ms == Approx(100));
  REQUIRE(f.identity->parts.size() == 4);
  CHECK(f.identity->parts[0] == std::pair<std::string, double>("get_blocked", 20));
  CHECK(f.identity->parts[2].second == Approx(40));
  CHECK(f.identity->parts[3].first == "other");
  CHECK(f.identity->parts[3].second == Approx(10));
}

TEST_CASE("analyse: a trainer that meters nothing is one part of the step", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts facts = good_facts(100);
  facts.window.stages[static_cast<int>(Stage::get_blocked)] = {200'000'000, 10};
  facts.window.get_blocked = {20e6, 20e6, 20e6, 20e6, 20e6, 8};
  facts.window.step = {79e6, 79e6, 79e6, 79e6, 79e6, 8};
  run.record(t.pipeline, 0, facts);
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.identity);
  CHECK(f.identity->parts.at(1).first == "trainer");
  CHECK(f.identity->parts.at(1).second == Approx(79));
  CHECK(f.identity->parts.at(2).second == Approx(1));
}

void sweep_of_format(MadeRun& run, std::optional<std::uint64_t> device) {
  const Trials t = base_point(run);
  run.plan.scenario.axes.push_back({"dataset.format", {}});
  Facts facts = good_facts(100);
  facts.bytes.read = 1000;
  facts.bytes.device = device;
  run.record(t.pipeline, 0, facts);
}

TEST_CASE("analyse: a sweep of formats on data in memory is no storage comparison",
          "[unit][analysis]") {
  MadeRun warm, cold, blind;
  sweep_of_format(warm, 0);
  sweep_of_format(cold, 400);
  sweep_of_format(blind, std::nullopt);
  const Findings f = analyse(warm.plan, warm.records);
  REQUIRE(f.warnings.storage);
  CHECK(f.warnings.storage->axes == std::vector<std::string>{"dataset.format"});
  CHECK(f.warnings.storage->from_cache == 1.0);
  const Findings g = analyse(cold.plan, cold.records);
  CHECK(*g.points[0].cache_share == Approx(0.6));
  CHECK_FALSE(g.warnings.storage);
  const auto unknown = analyse(blind.plan, blind.records).warnings.storage;
  REQUIRE(unknown);
  CHECK_FALSE(unknown->from_cache);
}

TEST_CASE("analyse: faulty samples are counted once each, errors first", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts facts = good_facts(100);
  facts.content.faults = {{3, FaultKind::warning, "c.jpg", "extra bytes"},
                          {9, FaultKind::decode_error, "i.jpg", "no JPEG"}};
  run.record(t.loader, 0, facts);
  facts.content.faults = {{9, FaultKind::decode_error, "i.jpg", "no JPEG"},
                          {12, FaultKind::truncated, "l.jpg", "cut"}};
  run.record(t.pipeline, 0, facts);
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.faulty_samples == 2);
  REQUIRE(f.faults.size() == 3);
  CHECK(f.faults[0].id == 9);
  CHECK(f.faults[2].kind == FaultKind::warning);
}

TEST_CASE("analyse: nothing run yet gives no point to speak of", "[unit][analysis]") {
  MadeRun run;
  base_point(run);
  const Conclusion c = analyse(run.plan, {}).conclusion;
  CHECK_FALSE((c.subject || c.fastest_loader || c.fastest_trainer || c.fastest_pipeline));
  CHECK(analyse(Plan{}, {}).points.empty());
}

TEST_CASE("analyse: a mode is VALID only where every round that ran is", "[unit][analysis]") {
  const auto after = [](std::vector<Status> rounds) {
    MadeRun run;
    const Trials t = base_point(run);
    run.rates(t.pipeline, std::vector<double>(rounds.size(), 400));
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      run.records[i].status = rounds[i];
      if (rounds[i] != Status::valid)
        run.records[i].reasons.push_back({"", rounds[i] == Status::invalid, "as made"});
    }
    return *analyse(run.plan, run.records).points[0].mode_status[static_cast<int>(Mode::pipeline)];
  };
  using enum Status;
  for (const Status ended : {aborted, failed, invalid}) {
    CHECK(after({noisy, ended}) == noisy);
    CHECK(after({ended, noisy, valid}) == noisy);
  }
  CHECK(after({valid, aborted}) == valid);
  CHECK(after({valid, failed}) == noisy);
  CHECK(after({valid, invalid}) == noisy);
  CHECK(after({aborted, aborted}) == aborted);
  CHECK(after({aborted, failed}) == failed);
}

// Two long waits among five steps: their mean without the first and the last step is longer than a
// step.
TEST_CASE("analyse: the mean wait is the window's, over its steps", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts f = good_facts(25, 10);  // 1 s, 5 steps of 200 ms
  f.window.get_blocked = {332e6, 400e6, 400e6, 400e6, 400e6, 3};
  f.window.stages[static_cast<int>(Stage::get_blocked)] = {996'000'000, 5};
  run.record(t.pipeline, 0, f);
  const PointFindings p = analyse(run.plan, run.records).points[0];
  CHECK(p.exposed_wait_ms->value == Approx(199.2));
  CHECK(p.exposed_wait_ms->value <= p.step_ms->value);
  run.records[0].facts.window.loop = {500'000'000, 0, 500'000'000, 0, 0};
  CHECK(analyse(run.plan, run.records).points[0].exposed_wait_ms->value == Approx(100));
}

TEST_CASE("analyse: what a step waits for a core is no wait for data", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts f = good_facts(100);  // 1 s, 10 steps
  f.window.stages[static_cast<int>(Stage::get_blocked)] = {0, 10};
  f.window.get_blocked = {0, 0, 0, 0, 0, 10};
  f.window.loop = {0, 0, 730'000'000, 0, 0, 270'000'000};
  run.record(t.pipeline, 0, f);
  const PointFindings p = analyse(run.plan, run.records).points[0];
  REQUIRE(p.exposed_wait_ms);
  CHECK(p.exposed_wait_ms->value == 0);
  REQUIRE(p.core_wait_ms);
  CHECK(p.core_wait_ms->value == Approx(27));
  CHECK(p.step_ms->value == Approx(100));
  CHECK(stalled_share(f) == Approx(0.27));
  f.window.loop.get_ns = 800'000'000;
  CHECK(stalled_share(f) == 1.0);  // of terms that are rounded
  run.records[0].facts.window.loop.core_wait_ns.reset();
  run.records[0].facts.window.loop.step_ns = 1'000'000'000;
  CHECK_FALSE(analyse(run.plan, run.records).points[0].core_wait_ms);
}

TEST_CASE("analyse: being woken is no lack of a core", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts f = good_facts(100);
  f.window.loop = {0, 0, 730'000'000, 0, 0, 270'000'000};
  run.record(t.pipeline, 0, f);
  const auto without_core = [&](std::optional<double> run_delay_s) {
    run.records[0].facts.cpu.run_delay_trainer_s = run_delay_s;
    return usable_rates(run.plan.points[0], JudgedTrials(run.plan, run.records)).core_wait.at(0);
  };
  CHECK(without_core({}) == Approx(0.27));   // the kernel does not say
  CHECK(without_core(0.5) == Approx(0.27));  // in its steps, too
  CHECK(without_core(0.01) == Approx(0.01));
}

TEST_CASE("analyse: a part of the step that is a hair too long is told as all of it",
          "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  Facts f = good_facts(100);
  f.window.stages[static_cast<int>(Stage::get_blocked)] = {1'002'000'000, 10};
  f.window.get_blocked = {100e6, 100e6, 100e6, 100e6, 100e6, 10};
  run.record(t.pipeline, 0, f);
  const Findings found = analyse(run.plan, run.records);
  REQUIRE(found.identity);
  CHECK(found.identity->parts[0].second == Approx(100));
  CHECK(found.identity->parts.back().second == 0);
  CHECK(found.points[0].exposed_wait_ms->value == Approx(100));
}

TEST_CASE("analyse: what measuring cost is told of usable trials alone", "[unit][analysis]") {
  MadeRun run;
  const Trials t = base_point(run);
  run.rates(t.pipeline, {400, 400});
  run.records[0].facts.instrument.overhead_share = 0.5;
  run.records[1].facts.instrument.overhead_share = 0.004;
  CHECK(analyse(run.plan, run.records).overhead_share == 0.004);
}

}  // namespace analyse_test
}  // namespace benchbench
