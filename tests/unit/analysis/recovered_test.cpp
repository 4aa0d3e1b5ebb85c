#include "harness/analysis/components/recovered.h"
#include "harness/analysis/summary/point_summary.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::recovered_test {
namespace {

using test::MadeRun;

// Steps in ms of batches of 10, the same in each of five rounds unless said otherwise; of a trainer
// of 0 ms none was measured.
struct TakenApart {
  MadeRun run;
  std::uint32_t point;

  explicit TakenApart(double pipeline, double loader, double trainer, std::int64_t workers = 2)
      : point(run.point({}, run.settings(workers))) {
    mode(Mode::pipeline, pipeline);
    mode(Mode::loader, loader);
    if (trainer > 0) mode(Mode::trainer, trainer);
  }

  static std::vector<double> rates(double step_ms) { return std::vector<double>(5, 1e4 / step_ms); }
  void mode(Mode mode, double step_ms) { run.rates(run.trial(point, mode), rates(step_ms)); }
  void extra(const std::string& name, double step_ms) { extra(name, rates(step_ms)); }
  void extra(const std::string& name, const std::vector<double>& rates) {
    const std::uint32_t trial = run.trial(point, Mode::pipeline);
    Point& p = run.plan.points[point];
    p.trials.pop_back();  // not one of the modes
    p.ablations.emplace_back(Ablation::parse(name).value(), trial);
    run.plan.trials[trial].ablation = Ablation::parse(name).value();
    run.rates(trial, rates);
  }

  Substitutions result() const {
    const JudgedTrials trials(run.plan, run.records);
    return substitutions_of(run.plan.points[point], trials).value();
  }
};

const Recovered& of(const Substitutions& s, Component c) {
  for (const Recovered& r : s.components)
    if (r.component == c) return r;
  throw std::logic_error("every component is listed");
}

}  // namespace

TEST_CASE("recovered: milliseconds of the step, largest first, what was not measured last",
          "[unit][analysis]") {
  TakenApart t(10, 10, 4);
  t.extra("free:decode", 6);
  t.extra("free:storage", 8.5);
  const Substitutions s = t.result();
  CHECK(s.step_ms->value == Approx(10));
  CHECK(s.components[0].component == Component::decode);
  CHECK(s.components[0].ms->value == Approx(4));
  CHECK(s.components[0].share == Approx(0.4));
  CHECK(s.components[0].severity == Severity::critical);
  CHECK(s.components[1].component == Component::storage);
  CHECK(s.components[1].severity == Severity::high);
  CHECK_FALSE(of(s, Component::copy).ms);
  CHECK(of(s, Component::copy).severity == Severity::none);
  CHECK(s.binding == Naming::one);
  CHECK(s.bound_by == std::vector{Component::decode});
  CHECK(s.rounds == 5);
  CHECK(s.loader_ms->value == Approx(6));
  CHECK(s.trainer_ms->value == Approx(0).margin(1e-9));
}

TEST_CASE("recovered: a component that leaves the other side's step is bounded",
          "[unit][analysis]") {
  TakenApart t(10, 10, 7);
  t.extra("free:decode", 7.05);
  t.extra("free:storage", 9);
  CHECK(of(t.result(), Component::decode).bounded);
  CHECK_FALSE(of(t.result(), Component::storage).bounded);
}

TEST_CASE("recovered: computing is what discard leaves out less what else the trainer does",
          "[unit][analysis]") {
  TakenApart t(10, 2, 10);
  t.extra("free:postprocess", 7);
  const Substitutions s = t.result();
  CHECK(of(s, Component::compute).ms->value == Approx(7));  // 3 of post-processing are left
  CHECK(of(s, Component::compute).derived);
  CHECK(s.bound_by == std::vector{Component::compute});

  TakenApart bounded(10, 6, 10);
  bounded.extra("free:postprocess", 7);
  CHECK(of(bounded.result(), Component::compute).ms->value == Approx(4));

  TakenApart serial(10, 2, 8, 0);
  serial.extra("free:postprocess", 7);
  CHECK(of(serial.result(), Component::compute).ms->value == Approx(5));
}

TEST_CASE("recovered: a trainer that can leave its computing out says itself what it costs",
          "[unit][analysis]") {
  TakenApart t(10, 2, 10);
  t.extra("free:compute_bound", 4);
  CHECK(of(t.result(), Component::compute).ms->value == Approx(6));
  CHECK_FALSE(of(t.result(), Component::compute).derived);
}

TEST_CASE("recovered: four times the batch is told by the step of the batch", "[unit][analysis]") {
  TakenApart t(10, 10, 4);
  t.extra("batch:4", 7);  // rates of samples: 10 samples in 7 ms, 40 in 28
  CHECK(of(t.result(), Component::tiny_batch).ms->value == Approx(3));
}

TEST_CASE("recovered: a lock is what W workers do not make of one worker's rate",
          "[unit][analysis]") {
  TakenApart t(10, 10, 4, 4);
  t.extra("workers:1", 24);  // four of them could make a batch in 6 ms
  CHECK(of(t.result(), Component::lock).ms->value == Approx(4));
  CHECK(of(t.result(), Component::lock).derived);

  TakenApart behind(10, 5, 10, 4);
  behind.extra("workers:1", 8);  // they do not add up, and the trainer would not take more
  CHECK(of(behind.result(), Component::lock).ms->value == Approx(0).margin(1e-9));
}

TEST_CASE("recovered: nothing clear of 0 is balanced, two alike are a tie", "[unit][analysis]") {
  TakenApart balanced(10, 10, 10);
  balanced.extra("free:decode", 9.9);
  CHECK(balanced.result().binding == Naming::none);
  CHECK(of(balanced.result(), Component::decode).severity == Severity::none);

  TakenApart noisy(10, 10, 10);
  noisy.extra("free:decode", {700, 1500, 800, 1500, 1000});
  CHECK(noisy.result().binding == Naming::none);

  TakenApart tie(10, 10, 5);
  tie.extra("free:decode", {1580, 1600, 1620, 1600, 1600});
  tie.extra("free:storage", {1600, 1610, 1620, 1600, 1590});
  CHECK(tie.result().binding == Naming::tie);
  CHECK(tie.result().bound_by.size() == 2);
}

TEST_CASE("recovered: a machine that slows down from round to round is no component",
          "[unit][analysis]") {
  TakenApart t(10, 10, 4);
  t.run.records.clear();
  const auto drifting = [&](std::uint32_t trial, double rate) {
    for (std::uint32_t round = 0; round < 5; ++round)
      t.run.record(trial, round, test::good_facts(rate * (1 - 0.1 * round)));
  };
  for (const auto& [mode, trial] : t.run.plan.points[0].trials)
    drifting(trial, mode == Mode::trainer ? 2500 : 1000);
  t.extra("free:decode", {});
  drifting(t.run.plan.points[0].ablations[0].second, 2000);
  const Recovered decode = of(t.result(), Component::decode);
  CHECK(decode.share == Approx(0.5).epsilon(0.01));
  CHECK((decode.ms->high - decode.ms->low) / decode.ms->value < 0.01);
}

TEST_CASE("recovered: a point without extras is not taken apart", "[unit][analysis]") {
  TakenApart t(10, 10, 4);
  CHECK_FALSE(substitutions_of(t.run.plan.points[0], JudgedTrials(t.run.plan, t.run.records)));
  t.extra("beside", 4);
  CHECK_FALSE(substitutions_of(t.run.plan.points[0], JudgedTrials(t.run.plan, t.run.records)));
}

TEST_CASE("recovered: each round's own milliseconds are kept, and what was planned",
          "[unit][analysis]") {
  TakenApart t(10, 10, 4);
  t.run.records.clear();
  for (std::uint32_t round = 0; round < 2; ++round)
    for (const auto& [mode, trial] : t.run.plan.points[0].trials)
      t.run.record(trial, round, test::good_facts(round ? 500 : 1000));
  t.extra("free:decode", {2000, 1000});
  t.extra("free:copy", std::vector<double>{});  // none of its trials was usable
  const Substitutions s = t.result();
  CHECK(s.step_ms_by_round.at(0) == Approx(10));
  CHECK(s.step_ms_by_round.at(1) == Approx(20));
  CHECK(of(s, Component::decode).ms_by_round.at(0) == Approx(5));
  CHECK(of(s, Component::decode).ms_by_round.at(1) == Approx(10));
  CHECK(of(s, Component::copy).planned);
  CHECK_FALSE(of(s, Component::copy).ms);
  CHECK_FALSE(of(s, Component::storage).planned);
  CHECK(of(s, Component::contention).planned);
}

TEST_CASE("recovered: four times the batch is named where nothing of its own explains as much",
          "[unit][analysis]") {
  TakenApart alone(10, 10, 1);
  alone.extra("batch:4", 2.5);  // seen: 75 %, and "none recovers 10 %" below it
  CHECK(alone.result().bound_by == std::vector{Component::tiny_batch});
  CHECK(alone.result().binding == Naming::one);
  CHECK(of(alone.result(), Component::tiny_batch).severity == Severity::critical);

  TakenApart more(10, 10, 1);
  more.extra("batch:4", 2.5);
  more.extra("free:decode", 6);  // 4 of the 10; the fixed cost of a batch is the larger
  CHECK(more.result().bound_by == std::vector{Component::tiny_batch});

  TakenApart as_much(10, 10, 1);
  as_much.extra("batch:4", {3900, 4000, 4100, 4000, 4000});
  as_much.extra("free:decode", {3800, 3900, 4100, 4050, 3900});
  CHECK(as_much.result().bound_by == std::vector{Component::decode});
  CHECK(as_much.result().binding == Naming::one);
}

TEST_CASE("recovered: a straggler or a tail that recovers most is named", "[unit][analysis]") {
  for (const Component c : {Component::straggler, Component::tail}) {
    TakenApart t(10, 10, 1);
    t.extra("free:" + std::string(name_of(c)), 5);
    t.extra("free:decode", 8);
    CHECK(t.result().bound_by == std::vector{c});
  }
}

// Pipelines whose workers, all of them together, waited `ms` a step for the lock.
void wait_for_lock(TakenApart& t, double ms, std::uint32_t workers) {
  const auto pipeline = t.run.plan.points[0].trials[0].second;
  for (TrialRecord& r : t.run.records) {
    if (r.planned.trial != pipeline) continue;
    r.facts.workers.count = workers;
    r.facts.window.stages[static_cast<std::size_t>(Stage::lock)] = {
        std::llround(ms * 1e6 * static_cast<double>(r.facts.window.steps)), r.facts.window.steps};
  }
}

TEST_CASE(
    "recovered: a lock that workers are seen to wait for is named before what is done under it",
    "[unit][analysis]") {
  const auto inflating = [](double waited_ms) {
    TakenApart t(10, 10, 1, 2);
    t.extra("workers:1", 10);  // two do no more than one
    t.extra("free:decode", 1.5);
    t.extra("free:storage", 9.9);
    if (waited_ms > 0) wait_for_lock(t, 2 * waited_ms, 2);
    return t.result();
  };
  const Substitutions s = inflating(4.9);
  CHECK(s.lock_wait_ms.value() == Approx(4.9));
  CHECK(s.binding == Naming::one);
  CHECK(s.bound_by == std::vector{Component::lock});
  CHECK(of(s, Component::lock).ms->value == Approx(5));
  CHECK(of(s, Component::decode).ms->value == Approx(8.5));
  CHECK(inflating(0.25).bound_by == std::vector{Component::lock});  // five rounds: 2 % of the step
  CHECK(inflating(0.15).bound_by == std::vector{Component::decode});
  const Substitutions unmetered = inflating(0);
  CHECK_FALSE(unmetered.lock_wait_ms);
  CHECK(unmetered.bound_by == std::vector{Component::decode});

  TakenApart add_up(10, 10, 1, 2);  // waited for, but two do twice what one does
  add_up.extra("workers:1", 20);
  add_up.extra("free:decode", 5);
  wait_for_lock(add_up, 8, 2);
  CHECK(add_up.result().bound_by == std::vector{Component::decode});
}

TEST_CASE("recovered: a lock is named by the pipeline's waits where the trainer was not measured",
          "[unit][analysis]") {
  const auto waits = [](double share, const char* device = "cpu") {
    TakenApart t(10, 10, 0, 2);
    t.run.plan.points[0].settings.set("trainer.device", test::words(device));
    t.run.plan.points[0].settings.set("trainer.in_flight", test::whole(2));
    t.extra("workers:1", 10);
    t.extra("free:decode", 1.5);
    wait_for_lock(t, 9.8, 2);
    for (TrialRecord& r : t.run.records)
      r.facts.window.stages[static_cast<std::size_t>(Stage::get_blocked)] = {
          std::llround(share * static_cast<double>(r.facts.window.ns)), r.facts.window.steps};
    return t.result();
  };
  CHECK(waits(1).bound_by == std::vector{Component::lock});
  CHECK(of(waits(1), Component::lock).ms->value == Approx(5));
  CHECK(of(waits(0.3), Component::lock).ms->value == Approx(3));
  CHECK_FALSE(of(waits(1, "emulated"), Component::lock).ms);
}

TEST_CASE("recovered: steps of a process of its own are a device's where torch used one",
          "[unit][analysis]") {
  const auto elsewhere = [](const char* used) {
    TakenApart t(10, 10, 0, 2);
    t.run.plan.points[0].settings.set("trainer.device", test::words("cuda:0"));
    t.run.plan.points[0].settings.set("trainer.in_flight", test::whole(2));
    for (TrialRecord& r : t.run.records) r.facts.external.emplace().device = used;
    return steps_elsewhere(t.run.plan.points[0], JudgedTrials(t.run.plan, t.run.records));
  };
  CHECK(elsewhere("cuda:0"));
  CHECK_FALSE(elsewhere(""));
}

// What is named, what the table shows and how severe that is, of steps taken apart at random.
TEST_CASE("recovered: naming, table and severity agree", "[unit][analysis]") {
  std::uint64_t state = 11;
  const auto draw = [&](double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<double>(state >> 11) / 9007199254740992.0;
  };
  int named = 0, none = 0;
  for (int i = 0; i < 400; ++i) {
    // A third of them balanced, and nothing free wins anything.
    const bool balanced = i % 3 == 0;
    TakenApart t(10, balanced ? 10 : draw(2, 10), balanced ? 10 : draw(1, 10), 2);
    const double spread = draw(0, 0.1);
    for (const char* extra :
         {"batch:4", "workers:1", "free:storage", "free:decode", "free:order", "free:tail"}) {
      if (draw(0, 1) < 0.5) continue;
      std::vector<double> rates;
      const double step =
          extra == std::string("workers:1") ? draw(5, 20) : draw(balanced ? 9.95 : 3, 10.3);
      for (int round = 0; round < 5; ++round)
        rates.push_back(1e4 / (step * (1 + draw(-spread, spread))));
      t.extra(extra, rates);
    }
    if (t.run.plan.points[0].ablations.empty()) continue;
    const Substitutions s = t.result();
    double largest = 0;
    for (const Recovered& r : s.components) {
      if (!r.ms) continue;
      const bool clear = r.ms->low > 0;
      CHECK((r.severity != Severity::none) == (clear && severity_of(r.share) != Severity::none));
      if (clear && r.share >= 0.02) largest = std::max(largest, r.ms->value);
    }
    CHECK((s.binding == Naming::none) == (largest == 0));
    CHECK((s.binding == Naming::none) == s.bound_by.empty());
    s.bound_by.empty() ? ++none : ++named;
    for (const Component c : s.bound_by) CHECK(of(s, c).severity != Severity::none);
    if (s.bound_by.empty()) continue;
    // Nothing that recovers more is left unnamed, but by four times the batch where intervals
    // overlap.
    const Recovered& first = of(s, s.bound_by[0]);
    for (const Recovered& r : s.components) {
      if (!r.ms || r.ms->low <= 0 || r.ms->value <= first.ms->value) continue;
      CHECK(r.component == Component::tiny_batch);
      CHECK(r.ms->low <= first.ms->high);
    }
  }
  CHECK(named > 50);
  CHECK(none > 20);
}

}  // namespace benchbench::recovered_test
