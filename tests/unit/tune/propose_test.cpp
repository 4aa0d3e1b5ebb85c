#include "harness/tune/propose.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <set>
#include <span>

#include "harness/tune/feasible.h"
#include "harness/tune/recheck.h"
#include "tests/known_answer/tune/simulated_tune.h"
#include "tests/skip.h"
#include "tests/unit/tune/space_of.h"

namespace benchbench {
namespace tune_propose_test {

using test::observed;
using test::small_space;
using test::SurfaceCase;

// Scales to `best` workers, falls beyond; 8 % for pinned memory.
SurfaceCase peaked_case(double best = 8) {
  SurfaceCase c;
  c.problem = {small_space(), {}, 0, {}, {}};
  const Space& space = c.problem.space;
  for (PointId p = 0; p < space.combinations(); ++p) {
    const double w = space.workers(p);
    c.rate.push_back(100 *
                     (w == 0      ? 0.8
                      : w <= best ? w
                                  : 0.6 * best) *
                     (space.value(p, 2).cost ? 1.08 : 1));
    c.memory.push_back(1e9 + 3e8 * w);
    c.cpu.push_back(1e-6);
  }
  c.problem.present = space.point_of({2, 0, 0});
  c.problem.references = {space.point_of({0, 0, 0})};
  c.problem.budget_runs = 12;
  c.problem.floor = 2.77 * c.noise;
  return c;
}

bool same(const Proposal& a, const Proposal& b) {
  return a.stop == b.stop && a.purpose == b.purpose && a.round == b.round && a.trials == b.trials &&
         a.incumbent == b.incumbent && a.hopeless_below == b.hopeless_below &&
         a.chance_left == b.chance_left;
}

Stop stop_of(const SurfaceCase& c) { return propose(c.problem, test::simulated_tune(c, 1)).stop; }

TEST_CASE("propose: the first round has the present settings between challengers", "[unit][tune]") {
  const SurfaceCase c = peaked_case();
  const Proposal p = propose(c.problem, {});
  REQUIRE(p.stop == Stop::no);
  CHECK(p.incumbent == c.problem.present);
  REQUIRE(p.trials.size() >= 3);
  CHECK(p.trials.front() != c.problem.present);
  CHECK(p.trials.back() != c.problem.present);
  CHECK(std::count(p.trials.begin(), p.trials.end(), c.problem.present) == 1);
  CHECK_FALSE(p.hopeless_below);
}

TEST_CASE("propose: records alone decide, so that a stored tune is replayed to the same proposals",
          "[unit][tune]") {
  const SurfaceCase c = peaked_case();
  const std::vector<Observation> all = test::simulated_tune(c, 5);
  std::vector<Observation> stored;
  for (std::size_t at = 0; at < all.size();) {
    const Proposal p = propose(c.problem, stored);
    REQUIRE(same(p, propose(c.problem, stored)));
    REQUIRE(p.trials.size() <= all.size() - at);
    for (const PointId point : p.trials) {
      CHECK(all[at].point == point);
      CHECK(all[at].round == p.round);
      CHECK(all[at].purpose == p.purpose);
      stored.push_back(all[at++]);
    }
  }
  CHECK(propose(c.problem, stored).stop != Stop::no);
}

TEST_CASE("propose: every round has its incumbent, no point twice, and rounds only grow",
          "[unit][tune]") {
  const SurfaceCase c = peaked_case();
  std::vector<Observation> records;
  Random random(2);
  std::uint32_t last = 0;
  for (;;) {
    const Proposal p = propose(c.problem, records);
    if (p.stop != Stop::no) break;
    CHECK(std::set<PointId>(p.trials.begin(), p.trials.end()).size() == p.trials.size());
    CHECK(std::count(p.trials.begin(), p.trials.end(), p.incumbent) == 1);
    CHECK((records.empty() || p.round == last + 1));
    last = p.round;
    for (const PointId point : p.trials)
      records.push_back(
          test::measured_trial(c, point, p.round, p.purpose, p.hopeless_below, 0, random));
  }
}

// +1: before the incumbent, -1: after it, 0: not in the round.
int side_of(const std::vector<PointId>& trials, PointId point, PointId incumbent) {
  const auto at = std::find(trials.begin(), trials.end(), point);
  const auto other = std::find(trials.begin(), trials.end(), incumbent);
  if (at == trials.end() || other == trials.end() || at == other) return 0;
  return at < other ? 1 : -1;
}

TEST_CASE("propose: a challenger runs on the other side of the incumbent the next time",
          "[unit][tune]") {
  std::size_t repeats = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const SurfaceCase c = peaked_case();
    std::vector<Observation> records;
    std::vector<std::vector<PointId>> rounds;
    Random random(seed);
    for (Proposal p = propose(c.problem, {}); p.stop == Stop::no; p = propose(c.problem, records)) {
      if (p.purpose == Purpose::search)
        for (const PointId point : p.trials) {
          int last = 0;
          for (const auto& round : rounds)
            if (const int side = side_of(round, point, p.incumbent)) last = side;
          if (last == 0) continue;
          ++repeats;
          CHECK(side_of(p.trials, point, p.incumbent) == -last);
        }
      rounds.push_back(p.trials);
      for (const PointId point : p.trials)
        records.push_back(
            test::measured_trial(c, point, p.round, p.purpose, p.hopeless_below, 0, random));
    }
  }
  CHECK(repeats >= 10);
}

TEST_CASE("propose: the budget is kept, whatever it is", "[unit][tune]") {
  for (const double budget : {0.7, 1.0, 2.0, 4.0, 7.0, 15.0}) {
    SurfaceCase c = peaked_case();
    c.problem.budget_runs = budget;
    CAPTURE(budget);
    CHECK(result_of(c.problem, test::simulated_tune(c, 4)).cost_runs <= budget);
  }
}

TEST_CASE(
    "propose: with a limit that came later another point is measured again, in rounds of its own",
    "[unit][tune]") {
  TuneProblem p{small_space({0, 1, 2}), {}, 0, {}, {}};
  p.budget_runs = 40;
  const Space& space = p.space;
  const PointId present = space.point_of({1, 0, 0}), fast = space.point_of({2, 0, 0}),
                faster = space.point_of({2, 2, 1});
  p.present = present;
  std::vector<Observation> records;
  for (std::uint32_t round = 0; round < 8; ++round)
    for (const PointId point : space.points()) {
      const double rate = point == faster ? 200 : point == fast ? 150 : 100;
      records.push_back(observed(point, round, rate));
      records.back().memory_bytes = point == faster ? 3e9 : 1e9, records.back().cost_runs = 0.05;
    }
  std::uint32_t round = 8;
  for (Proposal next = propose(p, records); next.stop == Stop::no;
       next = propose(p, records), ++round) {
    REQUIRE(next.purpose == Purpose::recheck);
    CHECK(next.incumbent == faster);
    REQUIRE(round < 30);
    for (const PointId point : next.trials) {
      records.push_back(observed(point, next.round, point == faster ? 200 : 100));
      records.back().purpose = Purpose::recheck,
      records.back().memory_bytes = point == faster ? 3e9 : 1e9, records.back().cost_runs = 0.05;
    }
  }
  p.limits.memory_bytes = 2e9;
  const Proposal next = propose(p, records);
  REQUIRE(next.stop == Stop::no);
  CHECK(next.purpose == Purpose::recheck);
  CHECK(next.incumbent == fast);
  CHECK(std::count(next.trials.begin(), next.trials.end(), present) == 1);
}

// How often each of num_workers 0 (the present settings), 1 and 2 (the defaults and another
// reference) is measured again.
TEST_CASE(
    "recheck: five pairs against the present settings, "
    "one against any other reference",
    "[unit][tune]") {
  TuneProblem p{small_space({0, 1, 2, 3}), {}, 0, {}, {}};
  const auto point = [&](std::uint32_t workers) { return p.space.point_of({workers, 0, 0}); };
  const std::array<double, 4> rates{50, 80, 99, 100};
  p.present = point(0), p.references = {point(1), point(2)};
  std::vector<Observation> records;
  std::array<int, 4> times{};
  for (std::uint32_t round = 10; round < 20; ++round)
    for (const PointId trial : recheck_round(p, point(3), records))
      for (std::uint32_t workers = 0; workers < 4; ++workers)
        if (trial == point(workers)) {
          records.push_back(observed(trial, round, rates[workers])),
              records.back().purpose = Purpose::recheck;
          ++times[workers];
        }
  CHECK(times == std::array<int, 4>{5, 1, 1, 5});
}

TEST_CASE("recheck: pairs that disagree go on to twelve, whatever they show", "[unit][tune]") {
  TuneProblem p{small_space({0, 1}), {}, 0, {}, {}};
  p.present = p.space.point_of({0, 0, 0});
  const PointId chosen = p.space.point_of({1, 0, 0});
  // A pair in two is that much faster than the others.
  const auto pairs = [&](double gain, double apart) {
    std::vector<Observation> records;
    std::uint32_t round = 0;
    for (; round < 20; ++round) {
      const std::vector<PointId> trials = recheck_round(p, chosen, records);
      if (trials.empty()) break;
      CHECK(trials.size() == 2);
      for (const PointId trial : trials) {
        const double faster = gain * (round % 2 ? 1 + apart : 1);
        records.push_back(observed(trial, round, trial == chosen ? 100 * faster : 100));
        records.back().purpose = Purpose::recheck;
      }
    }
    return round;
  };
  // Three of five and two: a standard deviation of 0.55 of what they are apart, and t of 2.78.
  CHECK(pairs(1.25, 0) == 5);
  CHECK(pairs(1.25, 0.025) == 5);  // within 1.7 % to either side
  CHECK(pairs(1.25, 0.1) == 12);
  CHECK(pairs(1.0, 0.1) == 12);
  CHECK(pairs(0.8, 0.1) == 12);
}

TEST_CASE("recheck: the ratio is of the rounds that have both, with the interval of these pairs",
          "[unit][tune]") {
  // The gain that was printed as +13.7 % [+9.9, +17.6].
  const std::vector<double> present{1000, 1000, 1000}, found{1035, 1017, 1398};
  std::vector<Observation> records;
  for (std::uint32_t round = 0; round < 3; ++round)
    records.push_back(observed(1, round, present[round])),
        records.push_back(observed(2, round, found[round]));
  records.push_back(observed(2, 3, 5000));  // without its pair
  const Measured ratio = ratio_in_pairs(2, 1, records);
  REQUIRE(ratio);
  CHECK(ratio->n == 3);
  CHECK(ratio->value == Approx(1.1374).epsilon(1e-3));
  CHECK(ratio->low == Approx(0.7294).epsilon(1e-3));
  CHECK(ratio->high == Approx(1.7736).epsilon(1e-3));
  const Measured one = ratio_in_pairs(2, 1, std::span(records).first(2));
  CHECK(one->n == 1);
  CHECK((one->low == one->value && one->high == one->value));
  CHECK_FALSE(ratio_in_pairs(3, 1, records));
}

TEST_CASE("recheck: pairs that agree are not exact where the cut of their windows may hide more",
          "[unit][tune]") {
  std::vector<Observation> records;
  for (std::uint32_t round = 0; round < 5; ++round)
    records.push_back(observed(1, round, 1000)), records.push_back(observed(2, round, 1040));
  CHECK(is_exact(*ratio_in_pairs(2, 1, records)));
  for (Observation& o : records) o.phase = o.point == 1 ? 0.01 : 0.02;
  const Estimate pairs = *ratio_in_pairs(2, 1, records);
  CHECK(pairs.value == Approx(1.04));
  CHECK(pairs.low == Approx(1.04 * std::exp(-0.03)));
  CHECK(pairs.high == Approx(1.04 * std::exp(0.03)));
  CHECK_FALSE(is_exact(pairs));
}

TEST_CASE("recheck: what pairs leave of a gain is a chance by their own spread", "[unit][tune]") {
  // Logs 0 and two of d to either side: a standard error of d / sqrt(5), where t(4) is 2.132.
  const double d = std::log(1.02) * std::sqrt(5) / 2.132;
  std::vector<Observation> records;
  const std::array<double, 5> logs{d, -d, 0, d, -d};
  for (std::uint32_t round = 0; round < 5; ++round)
    records.push_back(observed(1, round, 1000)),
        records.push_back(observed(2, round, 1000 * std::exp(logs[round])));
  const Estimate pairs = *ratio_in_pairs(2, 1, records);
  CHECK(pairs.value == Approx(1));
  CHECK(chance_in_pairs(pairs, 1.02) == Approx(0.05).epsilon(0.01));
  CHECK(chance_in_pairs(pairs, 1) == Approx(0.5));
  CHECK(chance_in_pairs(pairs, 1 / 1.02) == Approx(0.95).epsilon(0.01));
  CHECK(chance_in_pairs({1.021, 1.021, 1.021, 5}, 1.02) == 1);  // exact
  CHECK(chance_in_pairs({1.019, 1.019, 1.019, 5}, 1.02) == 0);
  CHECK(chance_in_pairs({1.5, 1.5, 1.5, 1}, 1.02) == 1);  // one pair has no spread
}

TEST_CASE("recheck: present settings that failed are not tried again", "[unit][tune]") {
  TuneProblem p{small_space({0, 1}), {}, 0, {}, {}};
  p.present = p.space.point_of({0, 0, 0});
  const PointId chosen = p.space.point_of({1, 0, 0});
  std::vector<Observation> records{observed(chosen, 4, 100), observed(p.present, 4, 0)};
  for (Observation& o : records) o.purpose = Purpose::recheck;
  records.back().outcome = TuneOutcome::failed;
  CHECK(recheck_round(p, chosen, records).empty());
}

TEST_CASE("propose: it stops with its reason", "[unit][tune]") {
  SurfaceCase c = peaked_case();
  c.problem.budget_runs = 0.5;
  CHECK(stop_of(c) == Stop::no_budget);
  c.problem.budget_runs = 3;
  CHECK(stop_of(c) == Stop::budget);
  c.problem.budget_runs = 100;
  CHECK(stop_of(c) == Stop::nothing_left);
  c.problem.trainer_rate = 300;
  for (double& rate : c.rate) rate = std::min(rate, 299.0);
  CHECK(stop_of(c) == Stop::trainer_binds);
  c.problem.limits.target_rate = 250;
  CHECK(stop_of(c) == Stop::target_met);
  std::fill(c.rate.begin(), c.rate.end(), 0);
  CHECK(stop_of(c) == Stop::all_failed);
  c.problem.space = small_space({4});
  CHECK(propose({Space({test::number_knob("num_workers", KnobKind::workers, {4})}), {}, 0, {}, {}},
                {})
            .stop == Stop::one_point);
}

TEST_CASE("propose: no number of workers beats the cores over a sample's CPU time",
          "[unit][tune]") {
  SurfaceCase c = peaked_case(16);
  c.problem.budget_runs = 100;
  c.problem.limits.cores = 4;
  for (PointId p = 0; p < c.rate.size(); ++p)
    c.rate[p] = std::min(c.rate[p], 399.0), c.cpu[p] = 0.01;
  const std::vector<Observation> records = test::simulated_tune(c, 1);
  CHECK(propose(c.problem, records).stop == Stop::cores_bind);
  CHECK(c.problem.space.workers(result_of(c.problem, records).found) == 4);
}

TEST_CASE("propose: points known to fail have no trial", "[unit][tune]") {
  SurfaceCase c = peaked_case(16);
  const Space& space = c.problem.space;
  for (const PointId p : space.points())
    if (space.workers(p) >= 8) c.rate[p] = 0;
  const std::vector<Observation> records = test::simulated_tune(c, 2);
  std::size_t failures = 0;
  for (const Observation& failed : records) {
    if (failed.has_rate()) continue;
    ++failures;
    for (const Observation& later : records)
      if (later.round > failed.round) CHECK_FALSE(asks_no_less(space, later.point, failed.point));
  }
  CHECK(failures >= 1);
  CHECK(space.workers(result_of(c.problem, records).found) == 4);
}

// 50 rounds of four points.
std::vector<Observation> two_hundred_records(const Space& space) {
  Random random(9);
  std::vector<Observation> records;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const PointId p = space.points()[i < 150 ? i : random.below(space.points().size())];
    records.push_back(
        observed(p, i / 4, 100 * (1 + space.workers(p)) * std::exp(0.3 * random.normal())));
    records.back().memory_bytes = 1e9 + 1e8 * space.workers(p) * space.depth(p);
    records.back().cost_runs = 0.01;
  }
  return records;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A loop of known work: what a proposal may take is said for a machine on which it takes 10 ms.
double yardstick_seconds() {
  const double before = cpu_seconds();
  volatile double sum = 0;
  for (int i = 0; i < 4'000'000; ++i) sum = sum + 1.0 / (i + 1);
  return cpu_seconds() - before;
}

TEST_CASE("propose: from 200 records in under 10 ms", "[unit][tune]") {
  TuneProblem problem{
      Space(
          {test::number_knob("num_workers", KnobKind::workers, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}),
           test::number_knob("prefetch_factor", KnobKind::depth, {1, 2, 4, 8, 16}, true),
           test::number_knob("io_depth", KnobKind::count, {1, 4, 16, 64})}),
      {},
      0,
      {},
      {}};
  problem.budget_runs = 100;
  const std::vector<Observation> records = two_hundred_records(problem.space);
  REQUIRE(propose(problem, records).stop == Stop::no);
  double least = 1;
  for (int i = 0; i < 7; ++i) {
    const double before = cpu_seconds();
    propose(problem, records);
    least = std::min(least, cpu_seconds() - before);
  }
  const double yardstick = yardstick_seconds();
  std::printf("a proposal from 200 records: %.2f ms of CPU time; the yardstick %.1f ms\n",
              least * 1e3, yardstick * 1e3);
#ifdef BENCHBENCH_SANITIZED
  BENCHBENCH_SKIP("a sanitizer slows it down");
#endif
  if (least > 0.010 && yardstick > 0.03) BENCHBENCH_SKIP("a machine too slow to judge by");
  CHECK(least < 0.010);
}

}  // namespace tune_propose_test
}  // namespace benchbench
