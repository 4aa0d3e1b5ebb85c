#include "harness/tune/result.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "harness/tune/choice.h"
#include "harness/tune/recheck.h"
#include "harness/tune/standing.h"
#include "tests/known_answer/tune/simulated_tune.h"
#include "tests/unit/tune/space_of.h"

namespace benchbench {
namespace tune_result_test {

using test::observed;
using test::small_space;
using test::SurfaceCase;

// Rates by workers alone.
SurfaceCase rates_by_workers(const std::vector<double>& rates, std::uint32_t present) {
  SurfaceCase c;
  c.problem = {small_space(), {}, 0, {}, {}};
  const Space& space = c.problem.space;
  for (PointId p = 0; p < space.combinations(); ++p) {
    c.rate.push_back(rates[space.index(p, 0)]);
    c.memory.push_back(1e9 + 3e8 * space.workers(p));
    c.cpu.push_back(1e-6);
  }
  c.problem.present = space.point_of({present, 0, 0});
  c.problem.references = {space.point_of({0, 0, 0})};
  c.problem.budget_runs = 30;
  c.problem.floor = 2.77 * c.noise;
  return c;
}

TuneResult tuned(const SurfaceCase& c, std::uint64_t seed = 1) {
  return result_of(c.problem, test::simulated_tune(c, seed));
}

TEST_CASE("result: what needs too much memory when it is measured again is not advised",
          "[unit][tune]") {
  TuneProblem p = {small_space(), {}, 0, {}, {}};
  p.budget_runs = 100;
  p.limits.memory_bytes = 2e9;
  const PointId slow = p.space.point_of({1, 0, 0}), fast = p.space.point_of({2, 0, 0});
  p.present = slow;
  std::vector<Observation> records;
  for (std::uint32_t round = 0; round < 3; ++round) {
    records.push_back(observed(slow, round, 100)), records.back().memory_bytes = 1.5e9;
    records.push_back(observed(fast, round, 150)), records.back().memory_bytes = 1.9e9;
  }
  CHECK(result_of(p, records).found == fast);
  records.push_back(observed(fast, 3, 150)), records.back().memory_bytes = 2.1e9,
                                             records.back().purpose = Purpose::recheck;
  CHECK(result_of(p, records).found == slow);
}

TEST_CASE(
    "tune result: faster settings are advised, "
    "with the gain over each reference from rounds of its own",
    "[unit][tune]") {
  const SurfaceCase c = rates_by_workers({80, 100, 200, 400, 800, 500}, 2);
  const TuneResult r = tuned(c);
  CHECK(r.advice == TuneAdvice::change);
  CHECK(c.problem.space.workers(r.chosen) == 8);
  REQUIRE(r.gains.size() == 2);
  CHECK(r.gains[0].reference == c.problem.present);
  CHECK(r.gains[0].ratio->value == Approx(4).epsilon(0.1));
  CHECK(r.gains[0].shown);
  CHECK(r.gains[0].ratio->low < r.gains[0].ratio->value);
  CHECK(r.gains[1].ratio->value == Approx(10).epsilon(0.1));
  CHECK(r.rate->value == Approx(800).epsilon(0.05));
  CHECK(r.cost_runs > 0);
}

TEST_CASE("tune result: a gain under the floor is 'keep yours'", "[unit][tune]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TuneResult r = tuned(rates_by_workers({80, 400, 401, 402, 399, 398}, 1), seed);
    CAPTURE(seed);
    CHECK(r.advice != TuneAdvice::change);
    CHECK(r.chosen < small_space().point_of({2, 0, 0}));
  }
}

TEST_CASE("tune result: as fast with fewer workers is said to be that", "[unit][tune]") {
  SurfaceCase c = rates_by_workers({80, 100, 400, 400, 400, 400}, 5);
  c.noise = 0.005, c.problem.floor = 2.77 * c.noise;
  int same = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TuneResult r = tuned(c, seed);
    CAPTURE(seed, r.chance_faster);
    // It is not said yet while the budget leaves a chance of something faster.
    CHECK(r.advice ==
          (r.chance_faster < kKeepChance ? TuneAdvice::same_for_less : TuneAdvice::not_finished));
    if (r.advice != TuneAdvice::same_for_less) continue;
    ++same;
    CHECK(c.problem.space.workers(r.chosen) == 2);
  }
  CHECK(same >= 7);
}

TEST_CASE("tune result: where the present settings fail, what works is advised", "[unit][tune]") {
  const SurfaceCase c = rates_by_workers({80, 100, 200, 400, 0, 0}, 5);
  const TuneResult r = tuned(c);
  CHECK(r.advice == TuneAdvice::change);
  CHECK_FALSE(r.present_works);
  CHECK(c.problem.space.workers(r.chosen) == 4);
  CHECK(r.failed >= 1);
}

TEST_CASE("tune result: nothing works, nothing is advised", "[unit][tune]") {
  const TuneResult r = tuned(rates_by_workers({0, 0, 0, 0, 0, 0}, 2));
  CHECK(r.advice == TuneAdvice::nothing_measured);
  CHECK_FALSE(r.rate);
  CHECK(r.stop == Stop::all_failed);
}

TEST_CASE("tune result: the cheapest setting that reaches the target, and whether it is reached",
          "[unit][tune]") {
  SurfaceCase c = rates_by_workers({80, 100, 200, 400, 800, 1200}, 1);
  c.problem.limits.target_rate = 380;
  TuneResult r = tuned(c);
  CHECK(c.problem.space.workers(r.found) == 4);
  CHECK(r.target_met == true);
  c.problem.limits.target_rate = 5000;
  r = tuned(c);
  CHECK(c.problem.space.workers(r.found) == 16);
  CHECK(r.target_met == false);
}

namespace {

// num_workers 1, 2, 4; the present settings 4.
TuneProblem three_points() {
  TuneProblem p{small_space({1, 2, 4}), {}, 0, {}, {}};
  p.present = p.space.point_of({2, 0, 0});
  return p;
}

// With no other knob, so that all points are measured.
TuneProblem three_points_alone() {
  TuneProblem p{
      Space({test::number_knob("num_workers", KnobKind::workers, {1, 2, 4})}), {}, 0, {}, {}};
  p.present = p.space.point_of({2});
  return p;
}

// Rates of num_workers 1, 2, 4 in each round; 0: not measured.
void add_round(std::vector<Observation>& to, const TuneProblem& p, Purpose purpose,
               const std::array<double, 3>& rates) {
  const std::uint32_t round = to.empty() ? 0 : to.back().round + 1;
  for (std::uint32_t w = 0; w < rates.size(); ++w)
    if (rates[w] > 0)
      to.push_back(observed(p.space.point_of({w, 0, 0}), round, rates[w])),
          to.back().purpose = purpose;
}

// Six rounds of the search, in which the present two workers give 1,000 and four give `found`; then
// a pair of them for each ratio.
std::vector<Observation> measured_again(const TuneProblem& p, double found,
                                        const std::vector<double>& ratios) {
  std::vector<Observation> records;
  for (int round = 0; round < 6; ++round)
    add_round(records, p, Purpose::search, {500, 1000, found});
  for (const double ratio : ratios)
    add_round(records, p, Purpose::recheck, {0, 1000, 1000 * ratio});
  return records;
}

// Two workers are the present ones.
TuneProblem present_in_the_middle() {
  TuneProblem p = three_points();
  p.budget_runs = 30;
  p.present = p.space.point_of({1, 0, 0});
  return p;
}

}  // namespace

TEST_CASE("tune result: what is cheaper and was slower when it was measured again is not advised",
          "[unit][tune]") {
  TuneProblem p = three_points_alone();
  p.budget_runs = 4;
  std::vector<Observation> records;
  for (int round = 0; round < 3; ++round) add_round(records, p, Purpose::search, {500, 1005, 1000});
  std::vector<Observation> slower = records, same = records;
  for (int round = 0; round < 5; ++round)
    add_round(slower, p, Purpose::recheck, {0, 920, 1000}),
        add_round(same, p, Purpose::recheck, {0, 998, 1000});
  const TuneResult kept = result_of(p, slower), changed = result_of(p, same);
  REQUIRE(p.space.workers(kept.found) == 2);
  CHECK(kept.gains.front().slower);
  CHECK(kept.chance_faster < 0.01);  // the pairs are exact, and half the rate is far off
  CHECK(kept.advice == TuneAdvice::keep_yours);
  CHECK(kept.chosen == p.space.canonical(p.present));
  CHECK(changed.advice == TuneAdvice::same_for_less);
  CHECK_FALSE(changed.gains.front().of_search);
}

TEST_CASE(
    "tune result: before anything is measured again, the search's own gain is what is known, and "
    "nothing is advised from it",
    "[unit][tune]") {
  TuneProblem p = three_points();
  p.budget_runs = 100;
  std::vector<Observation> records;
  add_round(records, p, Purpose::search, {500, 1300, 1000});
  add_round(records, p, Purpose::search, {500, 1310, 1005});
  const TuneResult r = result_of(p, records);
  CHECK(r.advice == TuneAdvice::not_finished);
  CHECK(p.space.workers(r.found) == 2);
  CHECK(r.chosen == p.space.canonical(p.present));
  CHECK(r.chance_faster == 1);
  REQUIRE(r.gains.front().ratio);
  const Estimate ratio = *r.gains.front().ratio;
  CHECK(r.gains.front().of_search);
  CHECK_FALSE(r.gains.front().shown);
  CHECK(ratio.value == Approx(1.3).epsilon(0.01));
  CHECK((ratio.low == ratio.value && ratio.high == ratio.value));
  CHECK(ratio.n == 2);
}

TEST_CASE("tune result: a little faster in the search alone is too little to change for",
          "[unit][tune]") {
  TuneProblem p = three_points();
  p.budget_runs = 100;
  p.present = p.space.point_of({0, 0, 0});
  std::vector<Observation> records;
  add_round(records, p, Purpose::search, {1000, 1033, 500});
  const TuneResult r = result_of(p, records);
  REQUIRE(p.space.workers(r.found) == 2);
  CHECK(r.advice == TuneAdvice::not_finished);
  CHECK(r.chosen == p.space.canonical(p.present));
}

TEST_CASE("tune result: a gain whose interval holds 1 is not shown, though it is above the floor",
          "[unit][tune]") {
  const TuneProblem p = present_in_the_middle();
  const auto gained = [&](double noise) {
    const double more = 1.08 * (1 + noise) / (1 - noise), less = 1.08 * (1 - noise) / (1 + noise);
    return result_of(p, measured_again(p, 1200, {more, less, more, less, more}));
  };
  const TuneResult quiet = gained(0.01), noisy = gained(0.2);
  REQUIRE(p.space.workers(quiet.found) == 4);
  CHECK(quiet.gains.front().shown);
  CHECK(quiet.gains.front().ratio->n == 5);
  CHECK(quiet.advice == TuneAdvice::change);
  REQUIRE(p.space.workers(noisy.found) == 4);
  CHECK(noisy.gains.front().ratio->value == Approx(1.1712).epsilon(1e-3));
  CHECK(noisy.gains.front().ratio->low < 1);
  CHECK_FALSE(noisy.gains.front().shown);
  CHECK(noisy.advice == TuneAdvice::not_finished);
}

TEST_CASE("tune result: under five pairs nothing is shown, however large it is", "[unit][tune]") {
  const TuneProblem p = present_in_the_middle();
  const auto is_shown = [&](const std::vector<double>& ratios) {
    return result_of(p, measured_again(p, 1200, ratios)).gains.front().shown;
  };
  CHECK_FALSE(is_shown({1.21, 1.19, 1.21, 1.19}));
  CHECK(is_shown({1.21, 1.19, 1.21, 1.19, 1.21}));
}

TEST_CASE(
    "tune result: fewer workers take as many pairs as they were given, and a gain above the floor",
    "[unit][tune]") {
  TuneProblem p = three_points_alone();
  p.budget_runs = 4;
  const auto advised = [&](std::uint32_t needed, std::size_t pairs, double ratio) {
    std::vector<Observation> records;
    for (int round = 0; round < 3; ++round)
      add_round(records, p, Purpose::search, {500, 1000 * ratio, 1000});
    for (std::size_t pair = 0; pair < pairs; ++pair)
      add_round(records, p, Purpose::recheck, {0, 1000 * ratio, 1000});
    p.pairs_for_fewer_workers = needed;
    const TuneResult r = result_of(p, records);
    REQUIRE(p.space.workers(r.found) == 2);
    CHECK((r.chosen == r.found) ==
          (r.advice == TuneAdvice::change || r.advice == TuneAdvice::same_for_less));
    return r.advice;
  };
  CHECK(advised(0, 5, 1.0) == TuneAdvice::same_for_less);
  CHECK(advised(10, 12, 1.0) == TuneAdvice::keep_yours);
  CHECK(advised(0, 5, 1.1) == TuneAdvice::change);
  CHECK(advised(10, 9, 1.1) == TuneAdvice::not_finished);
  CHECK(advised(10, 10, 1.1) == TuneAdvice::change);
}

TEST_CASE("tune: a recheck of fewer workers goes on to the pairs that these take", "[unit][tune]") {
  TuneProblem p = three_points_alone();
  p.budget_runs = 100;
  const PointId two = p.space.point_of({1});
  std::vector<Observation> recheck;
  const auto rounds = [&](std::uint32_t needed) {
    p.pairs_for_fewer_workers = needed;
    recheck.clear();
    while (!recheck_round(p, two, recheck).empty())
      add_round(recheck, p, Purpose::recheck, {0, 1001, 1000});
    return recheck.back().round + 1;
  };
  CHECK(rounds(0) == 5);
  CHECK(rounds(10) == 10);
}

TEST_CASE("tune result: pairs that repeat themselves show more than a gain is worth, floor or not",
          "[unit][tune]") {
  const TuneProblem p = present_in_the_middle();
  const auto gain = [&](double faster) {
    return result_of(p, measured_again(p, 1200, std::vector(5, faster))).gains.front();
  };
  CHECK(gain(1.25).ratio->value == Approx(1.25));
  CHECK(gain(1.25).ratio->low == Approx(1.25));
  CHECK(gain(1.25).ratio->high == Approx(1.25));
  CHECK(gain(1.021).shown);  // the floor of five pairs is 2.5 %
  CHECK_FALSE(gain(1.019).shown);
}

TEST_CASE("tune result: yours are kept only where little may still be faster", "[unit][tune]") {
  TuneProblem p = three_points();
  const auto point = [&](std::uint32_t index) {
    return p.space.canonical(p.space.point_of({index, 0, 0}));
  };
  TuneResult r;
  const auto advice = [&](double chance) {
    r.chance_faster = chance;
    return advice_of(p, r);
  };
  // Nothing else was found.
  r.found = point(2);
  CHECK(advice(0.09) == TuneAdvice::keep_yours);
  CHECK(advice(0.1) == TuneAdvice::not_finished);
  CHECK(advice(0.84) == TuneAdvice::not_finished);
  // Two workers in place of four, by five pairs.
  r.found = point(1);
  const auto pairs = [&](Estimate ratio, bool shown = false, bool slower = false) {
    r.gains = {{point(2), ratio, shown, slower}};
  };
  pairs({1.3, 1.2, 1.4, 5}, true);
  CHECK(advice(0.84) == TuneAdvice::change);
  pairs({1.0, 0.99, 1.01, 5});
  CHECK(advice(0.05) == TuneAdvice::same_for_less);
  CHECK(advice(0.84) == TuneAdvice::not_finished);
  pairs({0.99, 0.961, 1.02, 12});
  CHECK(advice(0.05) == TuneAdvice::same_for_less);
  pairs({0.99, 0.80, 1.22, 12});  // a fifth less would not have been seen
  CHECK(advice(0.05) == TuneAdvice::keep_yours);
  pairs({0.96, 0.85, 1.08, 5});  // not shown to be slower, nor as fast
  CHECK(advice(0.05) == TuneAdvice::keep_yours);
  CHECK(advice(0.2) == TuneAdvice::not_finished);
  pairs({0.9, 0.89, 0.91, 5}, false, true);
  CHECK(advice(0.05) == TuneAdvice::keep_yours);
  // Too few pairs, and none.
  pairs({1.3, 1.2, 1.4, 4});
  CHECK(advice(1) == TuneAdvice::not_finished);
  r.gains.front().of_search = true;
  CHECK(advice(1) == TuneAdvice::not_finished);
  r.gains.clear();
  CHECK(advice(1) == TuneAdvice::not_finished);
  // Nothing is faster where the trainer is the limit, whatever was found.
  r.present_at_limit = true;
  CHECK(advice(0) == TuneAdvice::keep_yours);
  r.present_works = false;
  CHECK(advice(1) == TuneAdvice::change);
}

TEST_CASE("tune result: a gain that waiting and the trainer leave no room for is refused",
          "[unit][tune]") {
  TuneProblem p = present_in_the_middle();
  p.trainer_rate = 1050;
  const auto gained = [&](std::optional<double> waited, double again) {
    std::vector<Observation> records = measured_again(p, 1137, std::vector(5, again / 1000));
    for (Observation& o : records) o.waited = waited;
    return result_of(p, records);
  };
  const TuneResult refused = gained(0.005, 1137);
  REQUIRE(p.space.workers(refused.found) == 4);
  const Gain& gain = refused.gains.front();
  CHECK(gain.refused);
  CHECK_FALSE(gain.shown);
  REQUIRE(gain.room);
  CHECK(gain.room->waited == Approx(0.005));
  CHECK(gain.room->trainer == Approx(1.05));
  CHECK(gain.room->most() == Approx(1.05));
  CHECK(refused.advice == TuneAdvice::not_finished);
  CHECK(refused.chosen == p.space.canonical(p.present));
  // 5 % and the floor of five pairs; a step that waits a fifth of its time; waits that are not
  // known.
  for (const TuneResult& r : {gained(0.005, 1070), gained(0.2, 1137), gained({}, 1137)}) {
    CHECK_FALSE(r.gains.front().refused);
    CHECK(r.advice == TuneAdvice::change);
  }
  CHECK(Room{0.2, 1.05}.most() == Approx(1.25));
  CHECK_FALSE(gained(0.6, 1137).gains.front().room);
  p.trainer_rate.reset();
  CHECK(gained(0.005, 1137).advice == TuneAdvice::change);
}

TEST_CASE(
    "tune result: a trainer that was slower alone than with the loader leaves no room to judge",
    "[unit][tune]") {
  TuneProblem p = three_points();
  p.budget_runs = 30;
  std::vector<Observation> records;
  for (int round = 0; round < 6; ++round) add_round(records, p, Purpose::search, {500, 1137, 1000});
  for (int round = 0; round < 5; ++round) add_round(records, p, Purpose::recheck, {0, 1137, 1000});
  for (Observation& o : records) o.waited = 0.005;
  const auto advised = [&](double trainer_rate) {
    p.trainer_rate = trainer_rate;
    const TuneResult r = result_of(p, records);
    REQUIRE(p.space.workers(r.found) == 2);
    return r.advice;
  };
  CHECK(advised(950) == TuneAdvice::not_finished);  // refused: the floor is 5.5 %
  CHECK(advised(940) == TuneAdvice::change);
}

TEST_CASE("tune result: what beats the present settings by 2 % need not beat what was found by 2 %",
          "[unit][tune]") {
  TuneProblem p = three_points_alone();
  p.budget_runs = 30;
  p.present = p.space.point_of({0});
  std::vector<Observation> records;
  for (int round = 0; round < 6; ++round)
    add_round(records, p, Purpose::search, {1000, 1019, 1019});
  for (int round = 0; round < 5; ++round) add_round(records, p, Purpose::recheck, {1000, 1019, 0});
  const TuneResult r = result_of(p, records);
  REQUIRE(p.space.workers(r.found) == 2);
  CHECK_FALSE(r.gains.front().shown);
  // Four workers need 0.1 % more than two, of which they are as likely to have more as less.
  CHECK(r.chance_left < kKeepChance);
  CHECK(r.chance_faster > 0.2);
  CHECK(r.advice == TuneAdvice::not_finished);
}

TEST_CASE("standing: the chance of a faster point is over the one that is named", "[unit][tune]") {
  constexpr double kError = 0.01;
  Standing s;
  s.belief.points = {0, 1, 2}, s.belief.mean = {0, 0.01, -1}, s.best = 1;
  s.belief.variance.assign(3, kError * kError / 2);
  s.wary = s.belief, s.ceiling = std::numeric_limits<double>::infinity();
  // One standard error above, and three; the third point has none.
  CHECK(chance_of_faster(s, 0, 0.02) == Approx(0.158655).epsilon(1e-5));
  CHECK(chance_of_faster(s, 1, 0.02) == Approx(0.00134990).epsilon(1e-5));
  CHECK(chance_of_faster(s, 0, 0.02, 1) < 1e-9);
  s.ceiling = 0.015;
  CHECK(chance_of_faster(s, 0, 0.02) == 0);
}

TEST_CASE("choice: a cheaper point is as good only where its error leaves no doubt",
          "[unit][tune]") {
  const TuneProblem p = three_points();
  Standing s;
  s.belief.points = {p.space.point_of({1, 0, 0}), p.space.point_of({2, 0, 0})};
  s.belief.mean = {std::log(995), std::log(1000)};
  s.n = {2, 2}, s.best = 1, s.ceiling = std::numeric_limits<double>::infinity();
  s.belief.variance = {0.005 * 0.005, 0.005 * 0.005};
  CHECK(is_as_good(s, 0, 0.02));
  CHECK(chosen_of(p, s) == 0);
  s.belief.variance = {0.015 * 0.015, 0.015 * 0.015};  // 0.5 % below, and 2.1 % of error
  CHECK_FALSE(is_as_good(s, 0, 0.02));
  CHECK(chosen_of(p, s) == 1);
  s.belief.variance = {0, 0}, s.n = {1, 2};
  CHECK(chosen_of(p, s) == 1);  // measured once
}

TEST_CASE("tune result: a target is met within what a gain is worth", "[unit][tune]") {
  TuneProblem p = three_points();
  p.budget_runs = 100;
  std::vector<Observation> records;
  for (int round = 0; round < 4; ++round) add_round(records, p, Purpose::search, {500, 1000, 1001});
  p.limits.target_rate = 1010;
  const TuneResult near = result_of(p, records);
  CHECK(near.target_met == true);
  p.limits.target_rate = 1030;
  CHECK(result_of(p, records).target_met == false);
}

TEST_CASE("tune result: a machine that slows by a fifth through the search changes nothing",
          "[unit][tune]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SurfaceCase c = rates_by_workers({80, 100, 200, 400, 440, 300}, 2);
    c.drift = std::log(0.8);
    CAPTURE(seed);
    CHECK(c.quality(tuned(c, seed).chosen) == 1);
  }
}

TEST_CASE("tune result: a memory limit is kept", "[unit][tune]") {
  SurfaceCase c = rates_by_workers({80, 100, 200, 400, 800, 1200}, 1);
  c.problem.limits.memory_bytes = 2.8e9;  // four workers take 2.2 GB, eight 3.4 GB
  CHECK(c.problem.space.workers(tuned(c).chosen) == 4);
}

}  // namespace tune_result_test
}  // namespace benchbench
