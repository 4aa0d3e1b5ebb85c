// Two made runs against each other.
#include "harness/analysis/compare/compare_runs.h"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <utility>

#include "harness/analysis/compare/confirmation.h"
#include "harness/analysis/compare/gates.h"
#include "harness/analysis/components/stage_growth.h"
#include "tests/metric_named.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::compare_runs_test {
namespace {

using namespace benchbench::test;

constexpr std::uint32_t kRounds = 12;

// Rounds around this rate that differ by 0.1 % from each other.
std::vector<double> around(double rate, std::uint32_t rounds = kRounds) {
  std::vector<double> out;
  for (std::uint32_t r = 0; r < rounds; ++r)
    out.push_back(rate * (1 + 0.001 * static_cast<double>(r % 3)));
  return out;
}

// One point with a pipeline of this rate.
MadeRun pipeline_run(double rate, std::uint32_t rounds = kRounds, std::int64_t workers = 2) {
  MadeRun run;
  const auto point = run.point({}, run.settings(workers));
  run.rates(run.trial(point, Mode::pipeline), around(rate, rounds));
  for (TrialRecord& r : run.records) r.environment.machine = "m1";
  return run;
}

ComparisonFindings compared(const MadeRun& a, const MadeRun& b,
                            CompareAsked asked = {
                                .relation = Relation::interleaved, .spread = {}, .across = {}}) {
  return compare_runs({a.plan, a.records}, {b.plan, b.records}, asked);
}
CompareAsked stored(std::optional<double> spread) {
  return {.relation = Relation::stored, .spread = spread, .across = {}};
}

const MetricComparison& pipeline_of(const ComparisonFindings& f) {
  REQUIRE(f.points.size() == 1);
  REQUIRE(!f.points[0].metrics.empty());
  REQUIRE(f.points[0].metrics[0].metric == find_metric("pipeline_rate"));
  return f.points[0].metrics[0];
}

Facts with_value(double rate, std::int64_t first_batch_ns, std::optional<std::uint64_t> memory) {
  Facts f = good_facts(rate);
  f.start.first_batch_ns = first_batch_ns;
  f.peak_memory_bytes = memory;
  return f;
}

}  // namespace

TEST_CASE("compare: a rate that fell by 5 % is SLOWER, the reverse FASTER, and itself SAME",
          "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000), b = pipeline_run(950);
  const ComparisonFindings slower = compared(a, b), faster = compared(b, a), same = compared(a, a);
  CHECK(pipeline_of(slower).judgement == Judged::slower);
  CHECK(pipeline_of(slower).change->value == Approx(-0.05).epsilon(1e-3));
  CHECK(pipeline_of(slower).worse() == Approx(0.05).epsilon(1e-3));
  CHECK(pipeline_of(faster).judgement == Judged::faster);
  CHECK(pipeline_of(same).judgement == Judged::same);
  CHECK(pipeline_of(same).detectable == Approx(0.03));
}

TEST_CASE("compare: rounds beyond those that were asked for are looks of their own",
          "[unit][analysis]") {
  MadeRun a = pipeline_run(1000);
  for (const auto& [asked, looks] : {std::pair(12u, 1u), {11u, 2u}, {6u, 2u}, {5u, 3u}}) {
    a.plan.rounds = asked;
    CHECK(compared(a, a).looks == looks);
    CHECK(compared(a, a, stored(0.0)).looks == 1);
  }
}

TEST_CASE("compare: a change that the cut of windows may explain is not called, a larger one is",
          "[unit][analysis]") {
  MadeRun a = pipeline_run(1000), b = pipeline_run(950);
  // 4 % of each window: 8 % to either side of a ratio in which all rounds agree.
  for (MadeRun* run : {&a, &b})
    for (TrialRecord& r : run->records)
      r.facts.window.pace_range_ns = std::llround(0.04 * static_cast<double>(r.facts.window.ns));
  const MetricComparison hidden = pipeline_of(compared(a, b));
  CHECK(hidden.judgement == Judged::unsure);
  CHECK(hidden.why == Unsure::cut_windows);
  CHECK(hidden.change->low <= Approx(0.95 * std::exp(-0.08) - 1).epsilon(1e-2));
  CHECK(hidden.change->high >= Approx(0.95 * std::exp(0.08) - 1).epsilon(1e-2));
  CHECK(hidden.a->high >= Approx(1000 * std::exp(0.04)).epsilon(1e-2));
  // 1 % of each: 5 % is more than that.
  for (MadeRun* run : {&a, &b})
    for (TrialRecord& r : run->records)
      r.facts.window.pace_range_ns = std::llround(0.01 * static_cast<double>(r.facts.window.ns));
  CHECK(pipeline_of(compared(a, b)).judgement == Judged::slower);
}

TEST_CASE("compare: a change below 3 % is not called, however clear it is", "[unit][analysis]") {
  CHECK(pipeline_of(compared(pipeline_run(1000), pipeline_run(975))).judgement == Judged::same);
}

TEST_CASE("compare: stored runs need the machine's spread, and nothing below it is called",
          "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000), b = pipeline_run(920);
  const ComparisonFindings unknown = compared(a, b, stored(std::nullopt));
  CHECK(pipeline_of(unknown).judgement == Judged::unsure);
  CHECK(pipeline_of(unknown).why == Unsure::spread_unknown);
  CHECK(pipeline_of(unknown).speaks);
  const auto few = compared(pipeline_run(1000, 3), pipeline_run(920, 3), stored(std::nullopt));
  CHECK(pipeline_of(few).why == Unsure::spread_unknown);
  CHECK_FALSE(pipeline_of(few).speaks);
  CHECK(pipeline_of(compared(a, b, stored(0.04))).judgement == Judged::slower);
  CHECK(pipeline_of(compared(a, b, stored(0.10))).judgement == Judged::same);
  CHECK(pipeline_of(compared(a, b, stored(0.0))).threshold == Approx(0.03));
}

TEST_CASE("compare: fewer than 10 pairs of rounds say nothing, nor do six against six",
          "[unit][analysis]") {
  for (const std::uint32_t rounds : {1u, 3u, 9u}) {
    const auto found = pipeline_of(compared(pipeline_run(1000, rounds), pipeline_run(500, rounds)));
    CHECK(found.judgement == Judged::unsure);
    CHECK(found.why == Unsure::few_rounds);
  }
  CHECK(pipeline_of(compared(pipeline_run(1000, 10), pipeline_run(500, 10))).judgement ==
        Judged::slower);
  CHECK(pipeline_of(compared(pipeline_run(1000, 6), pipeline_run(500, 6), stored(0.05))).why ==
        Unsure::few_rounds);
  CHECK(
      pipeline_of(compared(pipeline_run(1000, 7), pipeline_run(500, 7), stored(0.05))).judgement ==
      Judged::slower);
}

TEST_CASE("compare: trials that ran in one process gate nothing", "[unit][analysis]") {
  MadeRun a = pipeline_run(1000), b = pipeline_run(500);
  for (TrialRecord& r : b.records) r.trial.settings.set("measure.isolation", words("none"));
  const ComparisonFindings f = compared(a, b);
  CHECK(f.one_process);
  CHECK(pipeline_of(f).judgement == Judged::unsure);
  CHECK(pipeline_of(f).why == Unsure::one_process);
}

TEST_CASE("compare: NOISY pairs are left out where enough are left without them",
          "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000, 14);
  MadeRun b = pipeline_run(900, 14);
  const auto make_noisy = [&](std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) b.records[i].facts.start.steady = false;  // R06
  };
  make_noisy(4);
  const auto some = pipeline_of(compared(a, b));
  CHECK(some.judgement == Judged::slower);
  CHECK(some.rounds_a == 10);
  CHECK(some.left_out == 4);
  CHECK(some.between_a > 0);
  CHECK(some.between_b == Approx(some.between_a).epsilon(0.5));
  make_noisy(5);
  const auto many = pipeline_of(compared(a, b));
  CHECK(many.judgement == Judged::slower);
  CHECK(many.rounds_a == 14);
  CHECK(many.noisy == 5);
  // The noise of stored rounds may be that of one session.
  make_noisy(7);
  CHECK(pipeline_of(compared(a, b, stored(0.05))).judgement == Judged::slower);
  make_noisy(8);
  const auto sets = pipeline_of(compared(a, b, stored(0.05)));
  CHECK(sets.judgement == Judged::unsure);
  CHECK(sets.why == Unsure::noisy);
  CHECK(sets.noisy == 8);
}

// Two of ten rounds were NOISY, and 10 of 10 said -16.7 %: p = 2 / 2^10.
TEST_CASE("compare: what all of ten pairs say is called, whatever disturbed two of them",
          "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000, 10), b = pipeline_run(833, 10);
  MadeRun unsteady = b, stolen = b, crowded = b;
  for (const std::size_t i : {2u, 7u}) {
    unsteady.records[i].facts.start.steady = false;   // R06
    stolen.records[i].facts.cpu.steal_share = 0.011;  // R09, and as much as on the other side
    crowded.records[i].facts.cpu.steal_share = 0.2;   // R09
  }
  for (const MadeRun& run : {unsteady, crowded}) {
    const auto found = pipeline_of(compared(a, run));
    CHECK(found.judgement == Judged::slower);
    CHECK(found.change->value == Approx(-0.167));
    CHECK(found.p == Approx(2.0 / 1024));
    CHECK(found.noisy == 2);
  }
  CHECK(pipeline_of(compared(a, stolen)).judgement == Judged::slower);
  CHECK(pipeline_of(compared(a, stolen)).noisy == 0);
  CHECK(pipeline_of(compared(a, stolen)).rounds_a == 10);
}

TEST_CASE("compare: noise that comes with a side may be all that differs", "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000, 10);
  MadeRun b = pipeline_run(833, 10);
  for (TrialRecord& r : b.records) r.facts.cpu.throttled_s = 0.5;  // R08
  const auto found = pipeline_of(compared(a, b));
  CHECK(found.judgement == Judged::unsure);
  CHECK(found.why == Unsure::noisy);
  MadeRun alike = a;
  for (TrialRecord& r : alike.records) r.facts.cpu.throttled_s = 0.5;
  CHECK(pipeline_of(compared(alike, b)).judgement == Judged::slower);
}

TEST_CASE("compare: a mode without a usable round on one side is INVALID, with the reason",
          "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000);
  MadeRun b = pipeline_run(1000);
  const auto loader_a = [](MadeRun& run) { return run.trial(0, Mode::loader); };
  MadeRun with_loader = a;
  with_loader.rates(loader_a(with_loader), around(2000));
  const auto trial = loader_a(b);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    TrialRecord& r = b.record(trial, round, good_facts(2000));
    r.status = Status::failed;
    r.reasons = {{"", false, "the trial's process was killed"}};
  }
  for (TrialRecord& r : with_loader.records) r.environment.machine = "m1";
  for (TrialRecord& r : b.records) r.environment.machine = "m1";
  const ComparisonFindings f = compared(with_loader, b);
  REQUIRE(f.points[0].metrics.size() >= 2);
  CHECK(f.points[0].metrics[1].judgement == Judged::invalid);
  CHECK(f.points[0].metrics[1].reason == "B: FAILED: the trial's process was killed");
}

TEST_CASE("compare: times and memory are worse where they grow", "[unit][analysis]") {
  const auto run = [](std::int64_t first_batch_ns, std::uint64_t memory) {
    MadeRun r;
    const auto trial = r.trial(r.point({}, r.settings(2)), Mode::pipeline);
    for (std::uint32_t round = 0; round < kRounds; ++round)
      r.record(trial, round, with_value(1000, first_batch_ns, memory));
    for (TrialRecord& record : r.records) record.environment.machine = "m1";
    return r;
  };
  const ComparisonFindings f = compared(run(1'000'000, 1000), run(1'200'000, 800));
  const auto& metrics = f.points[0].metrics;
  REQUIRE(metrics.size() == 3);
  CHECK(metrics[1].metric == find_metric("first_batch"));
  CHECK(metrics[1].judgement == Judged::slower);
  CHECK(metrics[1].change->value == Approx(0.2));
  CHECK(metrics[2].metric == find_metric("peak_memory"));
  CHECK(metrics[2].judgement == Judged::faster);
  CHECK(metrics[2].change->value == Approx(-0.2));
  CHECK(metrics[2].worse() == Approx(-0.2));
}

TEST_CASE("compare: a wait that was no number in a round leaves that round out",
          "[unit][analysis]") {
  const auto run = [](double wait_ms, bool broken) {
    MadeRun r;
    const auto trial = r.trial(r.point({}, r.settings(2)), Mode::pipeline);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      Facts f = good_facts(1000);
      f.window.get_blocked.n = f.window.steps;
      f.window.get_blocked.mean =
          broken && round == 0 ? std::numeric_limits<double>::quiet_NaN() : wait_ms * 1e6;
      TrialRecord& record = r.record(trial, round, f);
      record.environment.machine = "m1";
    }
    return r;
  };
  // Steps of 10 ms: 1 ms more wait is 10 % of A's step.
  const ComparisonFindings f = compared(run(1, false), run(2, true));
  const auto& metrics = f.points[0].metrics;
  REQUIRE(metrics.size() >= 2);
  CHECK(metrics[1].metric == find_metric("exposed_wait"));
  CHECK(metrics[1].rounds_a == kRounds - 1);
  CHECK(metrics[1].change->value == Approx(0.1));
  CHECK(metrics[1].judgement == Judged::slower);
}

// Steps of 10 ms, in which gets take 3 ms, 2 of them with the batch there.
MadeRun run_with_gets(bool parted) {
  MadeRun r;
  const auto trial = r.trial(r.point({}, r.settings(2)), Mode::pipeline);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    Facts f = good_facts(1000);
    f.window.loop = {300'000'000, 0, 700'000'000, 0, 0};
    if (parted) f.window.loop.get_ns = 100'000'000, f.window.loop.core_wait_ns = 200'000'000;
    f.window.stages[static_cast<std::size_t>(Stage::get_blocked)] = {f.window.loop.get_ns, 100};
    r.record(trial, round, f).environment.machine = "m1";
  }
  return r;
}

TEST_CASE("compare: gets of a version that does not part them are compared as a whole",
          "[unit][analysis]") {
  const MadeRun old = run_with_gets(false), now = run_with_gets(true);
  const auto waits = [](const MadeRun& a, const MadeRun& b) {
    const auto found = compared(a, b);
    const MetricComparison& wait = found.points.at(0).metrics.at(1);
    CHECK(wait.metric == find_metric("exposed_wait"));
    return std::pair(wait.a->value, wait.b->value);
  };
  for (const auto& [a, b] : {std::pair(&old, &now), std::pair(&now, &old)}) {
    CHECK(waits(*a, *b).first == Approx(3));
    CHECK(waits(*a, *b).second == Approx(3));
  }
  CHECK(waits(now, now).first == Approx(1));
}

TEST_CASE("compare: the wait for a core is a stage of its own, or in whole gets",
          "[unit][analysis]") {
  const MadeRun old = run_with_gets(false), now = run_with_gets(true);
  const auto parts = [](const MadeRun& run, bool whole_gets) {
    std::map<std::string, double> ms;
    const JudgedTrials trials(run.plan, run.records);
    for (const StageTimes& stage : step_parts_by_round(trials.of(0), whole_gets))
      ms[stage.name] = stage.ms.at(0);
    return ms;
  };
  CHECK(parts(now, false).at("get_blocked") == Approx(1));
  CHECK(parts(now, false).at("core_wait") == Approx(2));
  CHECK(parts(now, true).at("get_blocked") == Approx(3));
  CHECK_FALSE(parts(now, true).contains("core_wait"));
  CHECK(are_gets_whole(JudgedTrials(old.plan, old.records).of(0)));
  CHECK_FALSE(are_gets_whole(JudgedTrials(now.plan, now.records).of(0)));
}

TEST_CASE(
    "compare: other hardware, several machines, "
    "other clocks and no usable trial are not comparable",
    "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000);
  MadeRun other = pipeline_run(1000), mixed = pipeline_run(1000), virtual_time = pipeline_run(1000),
          failed = pipeline_run(1000);
  for (TrialRecord& r : other.records) r.environment.machine = "m2";
  mixed.records.back().environment.machine = "m2";
  for (TrialRecord& r : virtual_time.records) r.facts.simulated = true;
  for (TrialRecord& r : failed.records) r.status = Status::failed;
  CHECK(compared(a, other).not_comparable == NotComparable::other_hardware);
  CHECK(compared(a, mixed).not_comparable == NotComparable::mixed_hardware);
  CHECK(compared(a, mixed).not_comparable_detail == "B");
  CHECK(compared(a, virtual_time).not_comparable == NotComparable::clocks);
  failed.records.front().reasons = {{"", false, "killed"}};
  CHECK(compared(a, failed).not_comparable == NotComparable::no_usable_trial);
  CHECK(compared(a, failed).not_comparable_reason == "FAILED: killed");
  MadeRun none = a;
  none.records.clear();
  CHECK(compared(none, a).not_comparable_detail == "A");
}

TEST_CASE("compare: points of stored runs are paired by their settings, others are listed",
          "[unit][analysis]") {
  MadeRun a = pipeline_run(1000), b = pipeline_run(1000);
  const auto extra = b.point({{"loader.num_workers", "8"}}, b.settings(8));
  b.rates(b.trial(extra, Mode::pipeline), around(2000));
  for (TrialRecord& r : b.records) r.environment.machine = "m1";
  const ComparisonFindings f = compared(a, b, stored(0.05));
  CHECK(f.points.size() == 1);
  CHECK(f.only_a.empty());
  CHECK(f.only_b == std::vector<std::string>{"num_workers=8"});
  const MadeRun four = pipeline_run(1000, kRounds, 4);
  CHECK(compared(a, four, stored(0.05)).not_comparable == NotComparable::no_common_point);
  CompareAsked across = stored(0.05);
  across.across = {"loader.num_workers"};
  CHECK(compared(a, four, across).points.size() == 1);
  // How it was measured pairs all the same; so does other code of the user's.
  MadeRun longer = pipeline_run(1000);
  longer.plan.points[0].settings.set("measure.window", words("9s"));
  longer.plan.points[0].settings.set("loader.script_digest", words("abc"));
  const ComparisonFindings measured = compared(a, longer, stored(0.05));
  CHECK(measured.points.size() == 1);
  REQUIRE(measured.differences.size() == 2);
  CHECK(measured.differences[0].what == "loader.script_digest");
  CHECK(measured.differences[0].kind == DifferenceKind::software);
  CHECK(measured.differences[1].kind == DifferenceKind::setting);
}

TEST_CASE("compare: a setting that is none differs from one that is not there",
          "[unit][analysis]") {
  MadeRun a = pipeline_run(1000);
  const MadeRun b = pipeline_run(1000);
  a.plan.points[0].settings.set("measure.probe_every", {ParameterType::duration, {}});
  const ComparisonFindings f = compared(a, b);
  REQUIRE(f.differences.size() == 1);
  CHECK(f.differences[0].a == "none");
  CHECK(f.differences[0].b.empty());
}

TEST_CASE("compare: software comes first among what differs", "[unit][analysis]") {
  MadeRun a = pipeline_run(1000), b = pipeline_run(1000);
  for (TrialRecord& r : b.records)
    r.environment.libtorch = "2.12", r.environment.governor = "powersave";
  b.plan.points[0].settings.set("trainer.step_time", words("3ms"));
  const ComparisonFindings f = compared(a, b);
  REQUIRE(f.differences.size() == 3);
  CHECK(f.differences[0].what == "libtorch");
  CHECK(f.differences[0].b == "2.12");
  CHECK(f.differences[1].what == "trainer.step_time");
  CHECK(f.differences[2].what == "governor");
}

TEST_CASE("compare: a trial that points share is compared once", "[unit][analysis]") {
  const auto run = [](double rate) {
    MadeRun r;
    const auto first = r.point({}, r.settings(2)),
               second = r.point({{"loader.num_workers", "4"}}, r.settings(4));
    const auto trial = r.trial(first, Mode::trainer);
    r.share(second, trial);
    r.rates(trial, around(rate));
    for (TrialRecord& record : r.records) record.environment.machine = "m1";
    return r;
  };
  const ComparisonFindings f = compared(run(1000), run(900));
  CHECK(f.points[0].metrics.size() == 1);
  CHECK(f.points[0].metrics[0].points == 2);
  CHECK(f.points[1].metrics.empty());
}

TEST_CASE("compare: a canary of stored runs that moved by over 3 % leaves nothing to judge",
          "[unit][analysis]") {
  const auto run = [](double canary, double real) {
    MadeRun r;
    SettingsMap mocks = r.settings(1), parts = r.settings(2);
    mocks.set("loader.use", words("synthetic")), mocks.set("trainer.use", words("timed"));
    parts.set("loader.use", words("native")), parts.set("trainer.use", words("timed"));
    r.plan.scenario.mocks = {"loader=synthetic", "trainer=timed"};
    r.rates(r.trial(r.point({}, parts), Mode::pipeline), around(real));
    r.rates(r.trial(r.point({{"loader", "synthetic"}}, mocks), Mode::pipeline), around(canary));
    for (TrialRecord& record : r.records) record.environment.machine = "m1";
    return r;
  };
  const ComparisonFindings moved = compared(run(1000, 500), run(950, 400), stored(0.05));
  CHECK(moved.moved_canaries.size() == 1);
  CHECK(moved.points[0].metrics[0].why == Unsure::canary);
  CHECK(moved.says_nothing());
  const ComparisonFindings still = compared(run(1000, 500), run(1001, 400), stored(0.05));
  CHECK(still.moved_canaries.empty());
  CHECK(still.points[1].canary);
  CHECK(still.points[0].metrics[0].judgement == Judged::slower);
}

TEST_CASE("compare: the side that binds is a change in itself where it moved", "[unit][analysis]") {
  const auto run = [](double loader, double trainer, double both) {
    MadeRun r;
    const auto point = r.point({}, r.settings(2));
    r.rates(r.trial(point, Mode::loader), around(loader));
    r.rates(r.trial(point, Mode::trainer), around(trainer));
    r.rates(r.trial(point, Mode::pipeline), around(both));
    for (TrialRecord& record : r.records) record.environment.machine = "m1";
    return r;
  };
  const ComparisonFindings f = compared(run(2000, 1000, 1000), run(1000, 2000, 1000));
  CHECK(f.points[0].side_a == Side::trainer);
  CHECK(f.points[0].side_b == Side::loader);
  CHECK(f.points[0].side_moved);
  CHECK_FALSE(compared(run(2000, 1000, 1000), run(1800, 1000, 1000)).points[0].side_moved);
  CHECK(f.points[0].changed());
  // A side that is not known has not moved.
  CHECK_FALSE(compared(run(2000, 1000, 1000), pipeline_run(1000)).points[0].side_moved);
}

TEST_CASE("compare: NOISY rounds that were left out do not hide the stage", "[unit][analysis]") {
  constexpr std::uint32_t kAll = 16, kNoisy = 5;
  const auto run = [](double decode_ms, double wild_ms) {
    MadeRun r;
    const auto point = r.point({}, r.settings(2));
    r.rates(r.trial(point, Mode::loader), around(1000 / (decode_ms + 1), kAll));
    for (TrialRecord& record : r.records) {
      const bool noisy = record.planned.round >= kAll - kNoisy;
      WindowFacts& w = record.facts.window;
      const double step_ms = noisy ? wild_ms * (1 + record.planned.round % 3) : decode_ms;
      w.stages[static_cast<std::size_t>(Stage::decode)] = {
          std::llround(step_ms * 1e6 * static_cast<double>(w.steps)), w.steps};
      record.facts.workers.fill_ns = w.stages[static_cast<std::size_t>(Stage::decode)].ns;
      record.facts.workers.slot_wait_ns = w.ns - record.facts.workers.fill_ns;
      record.facts.start.steady = !noisy;  // R06
      record.environment.machine = "m1";
    }
    return r;
  };
  const ComparisonFindings f = compared(run(3, 12), run(4, 2));
  REQUIRE(f.points[0].metrics[0].left_out == kNoisy);
  REQUIRE(f.points[0].metrics[0].judgement == Judged::slower);
  REQUIRE(f.points[0].stage);
  CHECK(f.points[0].stage->name == "decode");
  REQUIRE(f.points[0].stage->ms);
  CHECK(f.points[0].stage->ms->value == Approx(1).epsilon(0.01));
  CHECK(f.points[0].stage->ms->n == kAll - kNoisy);
}

TEST_CASE("compare: one run is told from another", "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000), b = pipeline_run(900);
  CHECK(are_same_run({a.plan, a.records}, {a.plan, a.records}));
  CHECK_FALSE(are_same_run({a.plan, a.records}, {b.plan, b.records}));
  MadeRun longer = a, empty = a;
  longer.records[3].facts.window.ns += 1;
  CHECK_FALSE(are_same_run({a.plan, a.records}, {longer.plan, longer.records}));
  empty.records.clear();
  CHECK_FALSE(are_same_run({empty.plan, empty.records}, {empty.plan, empty.records}));
  const ComparisonFindings itself =
      compared(a, a, {.relation = Relation::itself, .spread = {}, .across = {}});
  CHECK(pipeline_of(itself).judgement == Judged::same);
}

TEST_CASE(
    "compare: an alert is confirmed by a second SLOWER, "
    "unconfirmed by another judgement, kept without one",
    "[unit][analysis]") {
  const MadeRun a = pipeline_run(1000), b = pipeline_run(900);
  MadeRun failed = pipeline_run(900);
  for (TrialRecord& r : failed.records) r.status = Status::failed;
  const ComparisonFindings first = compared(a, b);
  const auto state_after = [&](const MadeRun& again) {
    std::vector<SlowerAlert> alerts = alerts_of(first);
    REQUIRE(alerts.size() == 1);
    settle(alerts, first, compared(a, again));
    return alerts[0].state;
  };
  CHECK(state_after(b) == AlertState::confirmed);
  CHECK(state_after(a) == AlertState::unconfirmed);
  CHECK(state_after(pipeline_run(900, 5)) == AlertState::unconfirmed);
  CHECK(state_after(failed) == AlertState::kept);
  CHECK(alerts_of(compared(a, a)).empty());
  // What is INVALID again, while another trial of the second run is usable.
  std::vector<SlowerAlert> alerts = alerts_of(first);
  ComparisonFindings second = compared(a, b);
  second.points[0].metrics[0].judgement = Judged::invalid;
  settle(alerts, first, second);
  CHECK(alerts[0].state == AlertState::kept);
  // Another point's, or another metric's, is not its own.
  second = compared(a, b);
  second.points[0].b = 7;
  alerts = alerts_of(first);
  settle(alerts, first, second);
  CHECK(alerts[0].state == AlertState::kept);
  second = compared(a, a);
  second.points[0].metrics.insert(second.points[0].metrics.begin(), first.points[0].metrics[0]);
  second.points[0].metrics[0].metric = find_metric("loader_rate");
  alerts = alerts_of(first);
  settle(alerts, first, second);
  CHECK(alerts[0].state == AlertState::unconfirmed);
}

}  // namespace benchbench::compare_runs_test
