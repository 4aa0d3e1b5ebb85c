#include <catch2/catch.hpp>

#include "harness/report/conclusion_words.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace conclusion_words_test {

using test::MadeRun;

std::vector<double> steady(double rate, std::size_t rounds) { return std::vector<double>(rounds, rate); }

// One point with its rates over `rounds`.
std::uint32_t add_point(MadeRun& run, std::int64_t workers, double loader, double trainer, double pipeline,
                        std::size_t rounds) {
  std::vector<std::pair<std::string, std::string>> labels;
  if (!run.plan.points.empty()) labels.emplace_back("loader.num_workers", std::to_string(workers));
  const auto p = run.point(labels, run.settings(workers));
  if (loader > 0) run.rates(run.trial(p, Mode::loader), steady(loader, rounds));
  if (trainer > 0) run.rates(run.trial(p, Mode::trainer), steady(trainer, rounds));
  if (pipeline > 0) run.rates(run.trial(p, Mode::pipeline), steady(pipeline, rounds));
  return p;
}

std::string conclusion_of(const MadeRun& run) { return conclusion_text(analyse(run.plan, run.records)); }

TEST_CASE("conclusion: a trainer that is the limit is not helped by workers", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 1000, 100, 100, 3);
  CHECK(conclusion_of(run) ==
        "Indicative (3 rounds): the trainer is the limit: it costs 90 ms of each 100 ms step (90 %); more "
        "workers will not help.");
}

TEST_CASE("conclusion: a slow loader says which workers were measured to help", "[unit][report]") {
  MadeRun run;
  add_point(run, 1, 100, 500, 100, 5);
  add_point(run, 2, 200, 500, 200, 5);
  CHECK(conclusion_of(run) ==
        "The loader holds training back: it costs 80 ms of each 100 ms step (80 %, critical); more workers help "
        "(num_workers=2 is 2.00x as fast); that is the best setting measured, 200 samples/s.");
  const auto batch = run.point({{"loader.batch_size", "20"}}, run.settings(1, 20));
  run.rates(run.trial(batch, Mode::pipeline), steady(300, 5));
  CHECK(conclusion_of(run).ends_with(
      "; the best setting measured is batch_size=20 with 300 samples/s (3.00x)."));
}

TEST_CASE("conclusion: without workers one worker's most is told, whichever side is slower",
          "[unit][report]") {
  // 1/300 + 1/150 s a sample: F = 100, and min(L, T) = 150.
  MadeRun trainer, loader, even;
  add_point(trainer, 0, 300, 150, 100, 5);
  CHECK(conclusion_of(trainer) ==
        "The trainer is the limit: it costs 66.7 ms of each 100 ms step (67 %); one worker could overlap "
        "them: up to 150 samples/s (1.50x; num_workers=1 was not measured).");
  add_point(loader, 0, 150, 300, 100, 5);
  CHECK(conclusion_of(loader).find("one worker could overlap them: up to 150 samples/s (1.50x; ") !=
        std::string::npos);
  add_point(even, 0, 10000, 100, 99, 5);
  CHECK(conclusion_of(even).find("one worker could hardly speed it up: up to 100 samples/s (1.01x; ") !=
        std::string::npos);
}

TEST_CASE("conclusion: without workers the cores bound what one worker could give", "[unit][report]") {
  const auto with_cpu = [](double cpu_seconds) {
    MadeRun run;
    add_point(run, 0, 300, 150, 100, 5);
    for (auto& r : run.records) {
      r.environment.cores_available = 2;
      r.facts.cpu.user_s = cpu_seconds;
      r.facts.cpu.system_s = 0;
    }
    return conclusion_of(run);
  };
  // 2 cores and 1.6 CPU seconds for 100 samples: C = 125.
  CHECK(with_cpu(1.6).find("one worker could overlap them: up to 125 samples/s (1.25x; ") !=
        std::string::npos);
  CHECK(with_cpu(2.0).find("all 2 cores are busy, so more workers will not help") != std::string::npos);
}

TEST_CASE("conclusion: without workers a measured worker is spoken of, not the expectation",
          "[unit][report]") {
  MadeRun run;
  add_point(run, 0, 300, 150, 100, 5);
  add_point(run, 1, 300, 150, 140, 5);
  CHECK(conclusion_of(run).find("; more workers help (num_workers=1 is 1.40x as fast)") !=
        std::string::npos);
  CHECK(conclusion_of(run).find("could") == std::string::npos);
}

TEST_CASE("conclusion: rounds are those of the point spoken of, not of the run", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 102, 100, 99, 2);  // 3 % of the step: enough with five rounds only
  add_point(run, 4, 102, 100, 99, 5);
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.rounds == 5);
  CHECK(f.points[0].rounds == 2);
  CHECK(f.points[0].side == Side::balanced);
  CHECK(f.points[1].rounds == 5);
  CHECK(f.points[1].side == Side::trainer);
  CHECK(f.indicative);
  CHECK(conclusion_text(f).starts_with("Indicative (2 rounds): loader and trainer are balanced: neither alone "
                                 "costs 10 %"));
}

TEST_CASE("conclusion: virtual time is said", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 1000, 100, 100, 5);
  for (auto& r : run.records) r.facts.simulated = true;
  CHECK(conclusion_of(run).starts_with("Measured (virtual time): the trainer is the limit"));
}

TEST_CASE("conclusion: workers that did not help are told, and full cores as the reason",
          "[unit][report]") {
  MadeRun run;
  add_point(run, 1, 110, 500, 100, 3);
  add_point(run, 2, 110, 500, 99, 3);
  for (auto& r : run.records) {
    r.environment.cores_available = 2;
    r.facts.cpu.user_s = 2.0 * static_cast<double>(r.facts.window.ns) * 1e-9;
    r.facts.cpu.system_s = 0;
  }
  CHECK(conclusion_of(run) ==
        "Indicative (3 rounds): the loader holds training back: it costs 80 ms of each 100 ms step (80 %, critical); "
        "all 2 cores are busy, so "
        "more workers did not help (num_workers=2 is 0.99x as fast); no other setting measured was faster by "
        "2 %.");
}

TEST_CASE("conclusion: a gain within the noise is said to be so, once", "[unit][report]") {
  MadeRun run;
  add_point(run, 1, 100, 500, 100, 3);
  const auto p = run.point({{"loader.num_workers", "2"}}, run.settings(2));
  run.rates(run.trial(p, Mode::pipeline), {90, 120, 170});
  CHECK(conclusion_of(run).find(
            "more workers did not clearly help (num_workers=2 is 1.22x as fast, within the noise); no other "
            "setting measured was faster.") != std::string::npos);
}

TEST_CASE("conclusion: a slow loader without a measured alternative names one", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 100, 500, 100, 3);
  CHECK(conclusion_of(run).find("more workers may help (num_workers=4 was not measured)") !=
        std::string::npos);
}

TEST_CASE("conclusion: balanced, contention and unclear have their own words", "[unit][report]") {
  MadeRun balanced, contention, unclear;
  add_point(balanced, 2, 1000, 1000, 990, 5);
  CHECK(conclusion_of(balanced) ==
        "Loader and trainer are balanced: neither alone costs 2 % of the 10.1 ms step; whether more "
        "workers help was not measured (num_workers=4 would tell).");
  add_point(contention, 2, 200, 250, 100, 5);
  CHECK(conclusion_of(contention) ==
        "Loader and trainer hinder each other: that costs 50 ms of each 100 ms step (50 %, critical); whether more "
        "workers help was not measured (num_workers=4 would tell).");
  const auto p = unclear.point({}, unclear.settings(2));
  unclear.rates(unclear.trial(p, Mode::loader), {500, 100, 250});
  unclear.rates(unclear.trial(p, Mode::trainer), {500, 500, 500});
  unclear.rates(unclear.trial(p, Mode::pipeline), {500, 100, 250});
  CHECK(
      conclusion_of(unclear).starts_with("Indicative (3 rounds): no side can be named: the rounds differ too "
                                         "much to say what costs the 53.3 ms step; more rounds must be "
                                         "measured before anything is changed."));
}

TEST_CASE("conclusion: one round has no interval and still reads well", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 1000, 100, 100, 1);
  CHECK(conclusion_of(run).starts_with("Indicative (1 round): the trainer is the limit: it costs 90 ms"));
}

TEST_CASE("conclusion: noise is said first", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 1000, 100, 100, 5);
  run.records.back().facts.cpu.steal_share = 0.2;
  CHECK(conclusion_of(run).starts_with("Measured (noisy): the trainer is the limit"));
}

TEST_CASE("conclusion: modes that were left out leave no side", "[unit][report]") {
  MadeRun loader, pipeline;
  add_point(loader, 2, 1234, 0, 0, 3);
  CHECK(conclusion_of(loader) ==
        "Indicative (3 rounds): the loader delivers 1,234 samples/s at best (base); the trainer was not "
        "measured, so no side can "
        "be named.");
  add_point(pipeline, 2, 0, 0, 100, 3);
  for (auto& r : pipeline.records) r.facts.window.get_blocked = {25e6, 25e6, 25e6, 25e6, 25e6, 10};
  CHECK(conclusion_of(pipeline) ==
        "Indicative (3 rounds): training ran at 100 samples/s at best (base) and waited 25 ms of each 100 ms "
        "step (25 %) for data; no "
        "side can be named, since loader and trainer were not measured alone.");
}

TEST_CASE("conclusion: nothing to believe says how many failed", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 1000, 100, 100, 1);
  for (auto& r : run.records) r.status = Status::failed;
  run.records[0].status = Status::skipped;
  CHECK(conclusion_of(run) ==
        "No trial gave a number to believe (2 failed, 1 skipped), so nothing can be concluded; the reasons "
        "are listed above.");
}

TEST_CASE("conclusion: nothing run yet says so", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 0, 0, 0, 0);
  CHECK(conclusion_of(run) == "Nothing was measured yet.");
}

TEST_CASE("conclusion: loader and trainer that were never usable together", "[unit][report]") {
  MadeRun run;
  add_point(run, 2, 1000, 500, 400, 2);
  for (TrialRecord& r : run.records)
    if (r.trial.mode == Mode::pipeline) r.facts.accounting.duplicated = 1;
  CHECK(conclusion_of(run) ==
        "Indicative (2 rounds): the loader delivers 1,000 samples/s at best (base) and the trainer takes 500 "
        "samples/s at best "
        "(base); they were not measured together, so no side can be named.");
}

}  // namespace conclusion_words_test
}  // namespace benchbench
