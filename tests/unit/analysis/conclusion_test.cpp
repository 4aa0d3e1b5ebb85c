// What the last sentence is to say; its words are tested in tests/unit/report.
#include "harness/analysis/conclusion.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::conclusion_test {

using test::MadeRun;

// Points that differ in their workers only, the base first; five rounds alike.
struct Sweep : MadeRun {
  std::uint32_t add(std::int64_t workers, double loader, double trainer, std::vector<double> pipeline) {
    std::vector<std::pair<std::string, std::string>> labels;
    if (!plan.points.empty()) labels.emplace_back("loader.num_workers", std::to_string(workers));
    const auto p = point(labels, settings(workers));
    const auto alike = [&](Mode mode, double rate) { rates(trial(p, mode), std::vector<double>(pipeline.size(), rate)); };
    if (loader > 0) alike(Mode::loader, loader);
    if (trainer > 0) alike(Mode::trainer, trainer);
    rates(trial(p, Mode::pipeline), pipeline);
    return p;
  }
  std::uint32_t add(std::int64_t workers, double loader, double trainer, double pipeline) {
    return add(workers, loader, trainer, std::vector<double>(5, pipeline));
  }
  Conclusion conclusion() const { return analyse(plan, records).conclusion; }
};

TEST_CASE("conclusion: a faster point with more workers only is the one compared with", "[unit][analysis]") {
  Sweep run;
  run.add(1, 100, 500, 100);
  run.add(2, 190, 500, 190);
  const auto fastest = run.add(4, 300, 500, 200);
  Conclusion c = run.conclusion();
  CHECK(c.subject == 0u);
  CHECK(c.severity == Severity::critical);
  CHECK(c.workers == MoreWorkers::help);
  CHECK(c.more == fastest);
  CHECK(c.more_speed_up.value == Approx(2));
  CHECK(c.best == BestSetting::has_more_workers);
  const auto batch = run.point({{"loader.batch_size", "20"}}, run.settings(8, 20));
  run.rates(run.trial(batch, Mode::pipeline), std::vector<double>(5, 300));
  c = run.conclusion();
  CHECK(c.more == fastest);  // another batch size is another job
  CHECK(c.best == BestSetting::is_another);
  CHECK(c.best_speed_up->value == Approx(3));
}

TEST_CASE("conclusion: where none were measured, the side decides", "[unit][analysis]") {
  Sweep loader, trainer, balanced;
  loader.add(3, 100, 500, 100);
  CHECK(loader.conclusion().workers == MoreWorkers::may_help);
  CHECK(loader.conclusion().try_workers == 6);
  CHECK(loader.conclusion().best == BestSetting::unsaid);
  trainer.add(2, 1000, 100, 100);
  CHECK(trainer.conclusion().workers == MoreWorkers::will_not_help);
  CHECK(trainer.conclusion().severity == Severity::none);
  balanced.add(2, 1000, 1000, 990);
  CHECK(balanced.conclusion().workers == MoreWorkers::not_measured);
}

TEST_CASE("conclusion: without workers one could overlap both sides, as far as the cores let it", "[unit][analysis]") {
  Sweep run, even;
  run.add(0, 300, 150, 100);
  CHECK(run.conclusion().workers == MoreWorkers::one_overlaps);
  for (TrialRecord& r : run.records) r.facts.cpu.user_s = 2.0, r.facts.cpu.system_s = 0;
  CHECK(run.conclusion().workers == MoreWorkers::will_not_help);
  CHECK(run.conclusion().cores_busy);
  even.add(0, 10000, 100, 99);
  CHECK(even.conclusion().workers == MoreWorkers::one_hardly);
}

TEST_CASE("conclusion: a gain that is not clear is no gain", "[unit][analysis]") {
  const auto after = [](std::vector<double> pipeline) {
    Sweep run;
    run.add(1, 100, 500, {100, 100, 100});
    run.add(2, 0, 0, pipeline);
    return run.conclusion();
  };
  CHECK(after({90, 120, 170}).workers == MoreWorkers::gain_in_noise);
  CHECK(after({90, 120, 170}).best == BestSetting::none_faster);
  CHECK(after({99, 99, 99}).workers == MoreWorkers::did_not_help);
  CHECK(after({99, 99, 99}).best == BestSetting::is_this);
  CHECK(after({80, 105, 125}).workers == MoreWorkers::unclear);
}

TEST_CASE("conclusion: rounds too different to name a side come before any advice", "[unit][analysis]") {
  Sweep run;
  const auto p = run.point({}, run.settings(2));
  run.rates(run.trial(p, Mode::loader), {500, 100, 250});
  run.rates(run.trial(p, Mode::trainer), {500, 500, 500});
  run.rates(run.trial(p, Mode::pipeline), {500, 100, 250});
  CHECK(run.conclusion().subject == 0u);
  CHECK(run.conclusion().workers == MoreWorkers::rounds_first);
}

TEST_CASE("conclusion: without a side the highest rates that are believed are told", "[unit][analysis]") {
  Sweep run;
  run.add(1, 100, 0, 50);
  const auto fast = run.add(2, 200, 0, 90);
  const auto invalid = run.add(3, 300, 0, 95);
  for (TrialRecord& r : run.records)
    if (r.trial.points.front() == invalid) r.facts.accounting.duplicated = 1;
  const Conclusion c = run.conclusion();
  CHECK_FALSE(c.subject);
  CHECK(c.fastest_loader == fast);
  CHECK(c.fastest_pipeline == fast);
  CHECK_FALSE(c.fastest_trainer);
}

}  // namespace benchbench::conclusion_test
