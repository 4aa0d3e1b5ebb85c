// compare_runs() on simulated runs: false alarms where nothing changed, and the stage that is named
// where one did. Noise: 1 % of a trial within its process, 1.5 % between rounds (each side its
// own), 2 % between sessions, all log-normal.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/analysis/compare/compare_runs.h"
#include "tests/known_answer/statistics/noise.h"
#include "tests/sweep.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::known_answer {
namespace compare_simulation_test {

constexpr double kWithin = 0.01, kBetween = 0.015, kSession = 0.02;
constexpr std::uint32_t kPairs = 15;  // rounds
constexpr std::uint32_t kWorkers = 4;

double noise_of_round(Random& random) {
  return std::exp(kBetween * random.normal() + kWithin * random.normal());
}

// A pipeline's window of 200 steps, parts of a step in ms, and what the workers do for a batch.
struct StepParts {
  double get_blocked = 2, forward = 6, backward = 10, optimizer = 1.5, rest = 0.5;  // 20 ms
  double read = 8, decode = 40, collate = 6;
};

void set_stage(Facts& f, Stage stage, double ms) {
  f.window.stages[static_cast<std::size_t>(stage)] = {
      static_cast<std::int64_t>(ms * 1e6 * static_cast<double>(f.window.steps)), f.window.steps};
}

Facts facts_of(const StepParts& p, double speed) {
  Facts f = test::good_facts(2000);
  f.window.steps = 200;
  f.window.get_blocked.n = 200;
  f.window.ns = static_cast<std::int64_t>(
      (p.get_blocked + p.forward + p.backward + p.optimizer + p.rest) * speed * 1e6 * 200);
  f.window.get_blocked.mean = p.get_blocked * speed * 1e6;
  set_stage(f, Stage::get_blocked, p.get_blocked * speed);
  set_stage(f, Stage::forward, p.forward * speed);
  set_stage(f, Stage::backward, p.backward * speed);
  set_stage(f, Stage::optimizer, p.optimizer * speed);
  set_stage(f, Stage::read, p.read * speed);
  set_stage(f, Stage::decode, p.decode * speed);
  set_stage(f, Stage::collate, p.collate * speed);
  f.workers.count = kWorkers;
  f.workers.wall_ns = kWorkers * f.window.ns;
  f.workers.fill_ns =
      static_cast<std::int64_t>((p.read + p.decode + p.collate) * speed * 1e6 * 200);
  f.workers.slot_wait_ns = f.workers.wall_ns - f.workers.fill_ns;
  return f;
}

// Points of one pipeline each, with records to be filled.
test::MadeRun run_of(std::uint32_t series, std::uint32_t rounds) {
  test::MadeRun run;
  for (std::uint32_t i = 0; i < series; ++i) {
    const auto point = run.point({{"loader.num_workers", std::to_string(i)}}, run.settings(i));
    const auto trial = run.trial(point, Mode::pipeline);
    for (std::uint32_t round = 0; round < rounds; ++round)
      run.record(trial, round, test::good_facts(1000)).environment.machine = "m";
  }
  return run;
}

// Rates alone: a window of 2,000 samples.
void draw_rates(test::MadeRun& run, const std::vector<double>& sessions, Random& random) {
  for (TrialRecord& r : run.records) {
    Facts& f = r.facts;
    f.window.samples = 2000, f.accounting.delivered = 2000, f.accounting.issued = 2020;
    f.window.ns =
        static_cast<std::int64_t>(2e9 * noise_of_round(random) * sessions[r.planned.trial]);
    f.workers.wall_ns = f.workers.fill_ns = f.window.ns;
  }
}

std::vector<double> sessions_of(std::size_t series, double spread, Random& random) {
  std::vector<double> out;
  for (std::size_t i = 0; i < series; ++i) out.push_back(std::exp(spread * random.normal()));
  return out;
}

struct Called {
  std::size_t pairs = 0, comparisons = 0;
};
Called alarms_of(std::size_t pairs, Relation relation, std::optional<double> spread, double session,
                 std::uint64_t seed) {
  constexpr std::uint32_t kSeries = 20;
  Random random(seed);
  test::MadeRun a = run_of(kSeries, kPairs), b = run_of(kSeries, kPairs);
  Called out;
  for (std::size_t i = 0; i < pairs; ++i) {
    draw_rates(a, sessions_of(kSeries, session, random), random);
    draw_rates(b, sessions_of(kSeries, session, random), random);
    const auto f = compare_runs({a.plan, a.records}, {b.plan, b.records}, {relation, spread, {}});
    const std::size_t called = f.count(Judged::slower) + f.count(Judged::faster);
    out.pairs += called > 0;
    out.comparisons += called;
    REQUIRE(f.count(Judged::invalid) == 0);
    REQUIRE(f.points.size() == kSeries);
  }
  return out;
}

// At most 1 % of 300 pairs: a rule that raised alarms in 3 % of them would pass once in 50
// (binomial).
TEST_CASE("compare: interleaved pairs of 20 unchanged series: at most 1 % with any alarm",
          "[known_answer][statistics]") {
  const std::size_t pairs = test::sweep_size(300, 1000);
  const Called c = alarms_of(pairs, Relation::interleaved, std::nullopt, 0, 61);
  std::printf("A/A interleaved: %zu of %zu pairs of 20 series have a SLOWER or FASTER\n", c.pairs,
              pairs);
  CHECK(c.pairs <= pairs / 100);
}

TEST_CASE(
    "compare: stored pairs of 20 unchanged series whose spread is known: "
    "at most 1 % with any alarm",
    "[known_answer][statistics]") {
  // What the largest of 20 series' differences stays below in 999 of 1,000 pairs of sessions: 4.06
  // standard deviations of one.
  const double spread = 4.06 * std::sqrt(2.0) * kSession;
  const std::size_t pairs = test::sweep_size(300, 1000);
  const Called known = alarms_of(pairs, Relation::stored, spread, kSession, 62);
  const Called none = alarms_of(100, Relation::stored, 0.03, kSession, 63);
  std::printf(
      "A/A stored, spread %.1f %%: %zu of %zu pairs; with a spread of 3 %% instead: %zu of 100\n",
      100 * spread, known.pairs, pairs, none.pairs);
  CHECK(known.pairs <= pairs / 100);
  CHECK(none.pairs > 50);  // the spread is what keeps them down
}

// One stage that takes 5 % of the step more in B.
StepParts slowed(std::size_t which) {
  StepParts p;
  double* const stages[] = {&p.forward, &p.backward, &p.optimizer};
  if (which < 3) {
    *stages[which] += 1;
  } else {
    p.get_blocked += 1;  // the trainer waits for it
    p.decode += kWorkers;
  }
  return p;
}
constexpr const char* kSlowed[] = {"forward", "backward", "optimizer", "decode"};

TEST_CASE(
    "compare: a stage that costs 5 % of the step is "
    "found and named in 95 of 100 pairs of 15 rounds",
    "[known_answer][statistics]") {
  constexpr std::size_t kRuns = 400;
  Random random(64);
  test::MadeRun a = run_of(1, kPairs), b = run_of(1, kPairs);
  std::size_t found = 0, named = 0;
  for (std::size_t i = 0; i < kRuns; ++i) {
    const std::size_t which = i % std::size(kSlowed);
    for (TrialRecord& r : a.records) r.facts = facts_of({}, noise_of_round(random));
    for (TrialRecord& r : b.records) r.facts = facts_of(slowed(which), noise_of_round(random));
    const auto f = compare_runs({a.plan, a.records}, {b.plan, b.records},
                                {Relation::interleaved, std::nullopt, {}});
    REQUIRE(f.points.size() == 1);
    const PointComparison& p = f.points.front();
    const bool slower = !p.metrics.empty() && p.metrics.front().judgement == Judged::slower;
    found += slower;
    named += slower && p.stage && p.stage->name == kSlowed[which];
  }
  std::printf(
      "a stage slower by 5 %% of the step, 15 interleaved rounds, %zu runs: SLOWER in %.1f of 100, "
      "and named in %.1f\n",
      kRuns, percent(found, kRuns), percent(named, kRuns));
  CHECK(found >= kRuns * 95 / 100);
  CHECK(named >= kRuns * 95 / 100);
}

}  // namespace compare_simulation_test
}  // namespace benchbench::known_answer
