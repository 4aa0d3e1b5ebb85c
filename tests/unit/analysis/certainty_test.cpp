#include "harness/analysis/rates/certainty.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "harness/analysis/rates/verdict.h"

namespace benchbench {
namespace certainty_test {

using Logs = std::vector<double>;

// Student's t, from tables: t(4) is 4.604 at 99 % and 2.776 at 95 %, t(5) 4.032, t(8) 2.306.
TEST_CASE("certainty: one round has the interval of the spread that is expected",
          "[unit][analysis]") {
  CHECK(half_interval(Logs{0.7}, 0.23) == Approx(2.776 * 0.23).epsilon(1e-3));
  CHECK(half_interval(Logs{0.7}, 0.23, 0.01) == Approx(4.604 * 0.23).epsilon(1e-3));
  CHECK(half_interval(Logs{0.7}, 0.1) == Approx(2.776 * 0.1).epsilon(1e-3));
}

TEST_CASE("certainty: rounds that agree make it narrower, and rounds that do not wider",
          "[unit][analysis]") {
  // s² = 4·0.01/5 and (4·0.01 + 2·0.09)/5, over two rounds.
  CHECK(half_interval(Logs{0.5, 0.5}, 0.1, 0.01) ==
        Approx(4.032 * std::sqrt(0.04 / 5 / 2)).epsilon(1e-3));
  CHECK(half_interval(Logs{0.2, 0.8}, 0.1, 0.01) ==
        Approx(4.032 * std::sqrt(0.22 / 5 / 2)).epsilon(1e-3));
}

TEST_CASE("certainty: one round settles a side that is far behind", "[unit][analysis]") {
  const auto one = [](double ratio, double spread) {
    return settled_side(Logs{std::log(ratio)}, spread);
  };
  CHECK(one(30, kBusySpread) == Side::unknown);  // a load may have lasted over it
  CHECK(settled_side(Logs(2, std::log(1.85)), kBusySpread) == Side::loader);
  CHECK(settled_side(Logs(2, -std::log(1.85)), kBusySpread) == Side::trainer);
  CHECK(settled_side(Logs(2, std::log(1.75)), kBusySpread) == Side::unknown);
  CHECK(one(1.6, kQuietSpread) == Side::loader);
  CHECK(one(1.55, kQuietSpread) == Side::unknown);
  for (const double spread : {kQuietSpread, kBusySpread}) CHECK(one(1.05, spread) == Side::unknown);
  CHECK(settled_side({}, kQuietSpread) == Side::unknown);
}

// Ten rounds alike: t(12) is 2.179, so that the 95 % interval is ±0.038 and ±0.087.
TEST_CASE("certainty: rounds that agree settle that neither side is behind", "[unit][analysis]") {
  const auto ten = [](double log, double spread) { return settled_side(Logs(10, log), spread); };
  CHECK(ten(0.05, kQuietSpread) == Side::balanced);
  CHECK(ten(0.06, kQuietSpread) == Side::loader);  // 99 %: ±0.053
  CHECK(ten(0.11, kBusySpread) == Side::balanced);
  CHECK(ten(-0.13, kBusySpread) == Side::trainer);
  CHECK(settled_side(Logs(2, 0.0), kBusySpread) == Side::unknown);
}

TEST_CASE("certainty: no interval is narrower than what the rounds cannot show",
          "[unit][analysis]") {
  CHECK(settled_side(Logs{1.2}, kQuietSpread, 1.1) == Side::loader);
  CHECK(settled_side(Logs{1.2}, kQuietSpread, 1.3) == Side::unknown);
  CHECK(settled_side(Logs{1.2}, kQuietSpread, 0, 0.7) == Side::loader);
  CHECK(settled_side(Logs{1.2}, kQuietSpread, 0, 0.8) == Side::unknown);
  CHECK(settled_side(Logs{1.2}, kQuietSpread, 0, -5) == Side::loader);
  CHECK(settled_side(Logs{1.2}, kQuietSpread, 0, 1.3) == Side::unknown);
  CHECK(settled_side(Logs{1.1, 1.9, 1.4}, kBusySpread, 1.6) == Side::loader);
  CHECK(settled_side(Logs(10, 0.0), kQuietSpread, 0, 0.8) == Side::unknown);
}

TEST_CASE("certainty: a machine is busy from a fifth of a core on, or where that is unknown",
          "[unit][analysis]") {
  CHECK(expected_spread(0.2) == kQuietSpread);
  CHECK(expected_spread(0.21) == kBusySpread);
  CHECK(expected_spread({}) == kBusySpread);
  CHECK(balanced_within(kQuietSpread) == 0.15);
  CHECK(balanced_within(kBusySpread) == 0.25);
}

// Rounds of a wrapped script.
PointRates script(const std::vector<double>& loader, const std::vector<double>& trainer,
                  const std::vector<double>& pipeline, double spread = kQuietSpread) {
  PointRates rates;
  for (std::uint32_t i = 0; i < pipeline.size(); ++i)
    rates.loader[i] = std::log(loader[i]), rates.trainer[i] = std::log(trainer[i]),
    rates.pipeline[i] = std::log(pipeline[i]);
  rates.batch = 10, rates.spread = spread;
  return rates;
}

TEST_CASE(
    "verdict of a script: one round, beside others two, is firm where the sides are far apart",
    "[unit][analysis]") {
  for (const double spread : {kQuietSpread, kBusySpread}) {
    const std::size_t rounds = spread < kBusySpread ? 1 : kBusyRounds;
    const auto all = [&](double rate) { return std::vector<double>(rounds, rate); };
    const Verdict loader = verdict_of(script(all(100), all(300), all(98), spread));
    CHECK(loader.side == Side::loader);
    CHECK(loader.settled == true);
    CHECK(is_firm(loader));
    const Verdict trainer = verdict_of(script(all(300), all(100), all(98), spread));
    CHECK(trainer.side == Side::trainer);
    CHECK(is_firm(trainer));
    const Verdict near = verdict_of(script({100}, {105}, {98}, spread));
    CHECK(near.settled == false);
    CHECK_FALSE(is_firm(near));
    CHECK_FALSE(near.unclear);
  }
}

TEST_CASE("verdict of a script: sides that are known to be near are balanced", "[unit][analysis]") {
  const std::vector<double> all(10, 100), more(10, 104);
  const Verdict v = verdict_of(script(all, more, all));
  CHECK(v.side == Side::balanced);
  CHECK(v.settled == true);
  CHECK(v.within == 0.15);
  CHECK(verdict_of(script(all, more, all, kBusySpread)).within == 0.25);
}

TEST_CASE("verdict of a script: without workers one round says how the time is divided",
          "[unit][analysis]") {
  PointRates rates = script({100}, {110}, {52}, kBusySpread);
  CHECK(verdict_of(rates).settled == false);
  rates.overlaps = false;
  const Verdict v = verdict_of(rates);
  CHECK(v.settled == true);
  CHECK(v.side == Side::loader);
}

TEST_CASE("verdict of a script: what its waits decide is settled", "[unit][analysis]") {
  PointRates rates = script({120}, {100}, {100}, kBusySpread);
  CHECK(verdict_of(rates).settled == false);
  rates.waited[0] = 0.001;
  CHECK(verdict_of(rates).side == Side::trainer);
  CHECK(verdict_of(rates).settled == true);
}

TEST_CASE("verdict of a script: contention has to be shown by its rounds, too",
          "[unit][analysis]") {
  // F is 0.7 of L: it may be what rounds differ by, and is less than L lacks of T.
  const Verdict one = verdict_of(script({100, 100}, {400, 400}, {70, 70}, kBusySpread));
  CHECK_FALSE(one.contention_ms);
  CHECK(one.side == Side::loader);
  CHECK(one.settled == true);
  // F is 0.4 of L: it may be the larger part.
  CHECK(verdict_of(script({100}, {400}, {40}, kBusySpread)).settled == false);
  // Contention may be that of others where they take cores, in however many rounds.
  for (const double spread : {kBusySpread, kQuietSpread}) {
    const Verdict four =
        verdict_of(script({100, 100, 100, 100}, {400, 400, 400, 400}, {40, 42, 38, 40}, spread));
    CHECK(four.side == Side::contention);
    CHECK(four.settled == (spread == kQuietSpread));
  }
}

TEST_CASE("verdict of a script: a side that F is above is no measure of it", "[unit][analysis]") {
  // T is 5 times as fast as L; L cannot be slower than F, which is 6 times as fast.
  CHECK(verdict_of(script({100, 100}, {500, 500}, {120, 120}, kBusySpread)).settled == true);
  CHECK(verdict_of(script({100, 100}, {500, 500}, {600, 600}, kBusySpread)).settled == false);
}

TEST_CASE("verdict: records that are no script's are decided as before", "[unit][analysis]") {
  PointRates rates = script({100}, {300}, {98});
  rates.spread.reset();
  CHECK_FALSE(verdict_of(rates).settled);
  CHECK_FALSE(is_firm(verdict_of(rates)));
}

}  // namespace certainty_test
}  // namespace benchbench
