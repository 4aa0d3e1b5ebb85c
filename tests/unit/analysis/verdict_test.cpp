#include "harness/analysis/rates/verdict.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace benchbench {
namespace verdict_test {

ByRound logs(std::vector<double> rates) {
  ByRound out;
  for (std::uint32_t i = 0; i < rates.size(); ++i) out[i] = std::log(rates[i]);
  return out;
}

PointRates rates_of(std::vector<double> loader, std::vector<double> trainer,
                    std::vector<double> pipeline) {
  PointRates r;
  r.loader = logs(std::move(loader));
  r.trainer = logs(std::move(trainer));
  r.pipeline = logs(std::move(pipeline));
  r.batch = 10;
  return r;
}

std::vector<double> five(double rate) { return std::vector<double>(5, rate); }

TEST_CASE("verdict: a slow loader costs the difference to the trainer's own step",
          "[unit][analysis]") {
  // L = F = 100/s, T = 500/s, batch 10: a step is 100 ms and would be 20 ms with a free loader.
  const Verdict v = verdict_of(rates_of({100, 100}, {500, 500}, {100, 100}));
  CHECK(v.side == Side::loader);
  REQUIRE(v.side_cost_ms);
  CHECK(v.side_cost_ms->value == Approx(80));
  CHECK(v.trainer_cost_ms->value == Approx(0).margin(1e-9));
  CHECK(v.step_ms->value == Approx(100));
  CHECK_FALSE(v.contention_ms);
}

// F = L, 3.8 % below T: clear of rounds that are all alike, but their windows say it to 6 % only.
TEST_CASE("verdict: no side is named by less than the cut of the windows leaves unknown",
          "[unit][analysis]") {
  PointRates r = rates_of(five(100), five(104), five(100));
  CHECK(verdict_of(r).side == Side::loader);
  r.pipeline_phase = r.trainer_phase = 0.03;
  const Verdict v = verdict_of(r);
  CHECK(v.unclear);
  REQUIRE(v.loader_cost_ms);
  CHECK(v.loader_cost_ms->high == Approx(100 * (1 - 100.0 / 104 + 0.06)));
}

TEST_CASE("verdict: a slow trainer is named with what it costs", "[unit][analysis]") {
  const Verdict v = verdict_of(rates_of({1000, 1000, 1000}, {100, 100, 100}, {100, 100, 100}));
  CHECK(v.side == Side::trainer);
  CHECK(v.side_cost_ms->value == Approx(90));
  CHECK(v.side_cost_ms->n == 3);
}

TEST_CASE("verdict: sides in turn differ from sides at the same time", "[unit][analysis]") {
  CHECK(is_serial(rates_of({300, 300}, {150, 150}, {100, 100})));
  CHECK(is_serial(rates_of({300, 300}, {150, 150}, {104, 104})));
  CHECK_FALSE(is_serial(rates_of({300, 300}, {150, 150}, {110, 110})));
  CHECK_FALSE(is_serial(rates_of({300, 300}, {150, 150}, {90, 90})));
  // So fast that nothing shows.
  CHECK_FALSE(is_serial(rates_of({9000, 9000}, {100, 100}, {99, 99})));
  CHECK_FALSE(is_serial(rates_of({300}, {150}, {})));
}

// L 300 and T 150: 10 ms of a 30 ms sample are spent on each other, or F is what they give side by
// side, slowed down.
TEST_CASE(
    "verdict: sides in turn that F is below are known by the waits, "
    "and cost only what is beyond taking turns",
    "[unit][analysis]") {
  const auto waiting = [](double share, double pipeline, double loader) {
    PointRates r = rates_of({loader, loader}, {150, 150}, {pipeline, pipeline});
    for (const auto& [round, log] : r.pipeline) r.waited[round] = share;
    return r;
  };
  // Each batch is waited for as long as it takes alone, 3.3 ms of 11.1.
  CHECK(is_serial(waiting(0.30, 90, 300)));
  CHECK_FALSE(is_serial(waiting(0.15, 90, 300)));
  CHECK_FALSE(is_serial(waiting(0.60, 149, 300)));  // faster than in turn, whatever the waits are
  CHECK(is_serial(waiting(0.032, 145, 4500)));      // so fast that the rates do not show it
  CHECK_FALSE(is_serial(waiting(0.001, 149, 4500)));
  // Side by side: the loader is waited for all the same.
  CHECK_FALSE(is_serial(waiting(0.967, 4.9, 5)));
  PointRates slowed = waiting(0.35, 80, 300);
  slowed.overlaps = !is_serial(slowed);
  const Verdict v = verdict_of(slowed);
  REQUIRE(v.contention_ms);
  CHECK(v.contention_ms->value == Approx(1e4 * (1 / 80.0 - (1 / 300.0 + 1 / 150.0))));
}

TEST_CASE("verdict: a cost is named from 2 % of the step, from 10 % where it is indicative",
          "[unit][analysis]") {
  // 1/99 − 1/102 is 0.297 ms a sample, so 2.97 ms of the 101 ms step.
  const Verdict v = verdict_of(rates_of(five(102), five(100), five(99)));
  CHECK(v.side == Side::trainer);
  CHECK(v.side_cost_ms->value == Approx(1e4 * (1 / 99.0 - 1 / 102.0)));
  const Verdict indicative = verdict_of(rates_of({102, 102}, {100, 100}, {99, 99}));
  CHECK(indicative.side == Side::balanced);
  CHECK_FALSE(indicative.side_cost_ms);
}

// Rounds in which the trainer costs this share of the step: 1 - F/L.
Verdict with_trainer_cost(double share, std::uint32_t rounds) {
  const std::vector<double> pipeline(rounds, 100), loader(rounds, 100 / (1 - share));
  return verdict_of(rates_of(loader, pipeline, pipeline));
}
Verdict with_loader_cost(double share, std::uint32_t rounds) {
  const std::vector<double> pipeline(rounds, 100), trainer(rounds, 100 / (1 - share));
  return verdict_of(rates_of(pipeline, trainer, pipeline));
}

TEST_CASE("verdict: five rounds name a side from 2 % of the step on, fewer from 10 %",
          "[unit][analysis]") {
  constexpr double kHair = 1e-6;
  for (const std::uint32_t rounds : {1u, 2u, 4u, 5u, 10u}) {
    const double min = rounds < 5 ? 0.10 : 0.02;
    INFO(rounds << " rounds");
    CHECK(with_trainer_cost(min - kHair, rounds).side == Side::balanced);
    CHECK(with_trainer_cost(min + kHair, rounds).side == Side::trainer);
    CHECK(with_loader_cost(min - kHair, rounds).side == Side::balanced);
    CHECK(with_loader_cost(min + kHair, rounds).side == Side::loader);
    CHECK_FALSE(with_loader_cost(min - kHair, rounds).unclear);
  }
}

TEST_CASE("verdict: below 95 % of the smallest of loader, trainer and cores the rest is contention",
          "[unit][analysis]") {
  constexpr double kHair = 1e-6;
  for (const std::uint32_t rounds : {1u, 5u}) {
    const auto all = [&](double rate) { return std::vector<double>(rounds, rate); };
    for (const int smallest : {0, 1, 2}) {  // loader, trainer, cores
      const auto at = [&](double share) {
        PointRates r = rates_of(all(smallest == 0 ? 100 : 150), all(smallest == 1 ? 100 : 150),
                                all(100 * share));
        r.cpu = logs(all(smallest == 2 ? 100 : 150));
        return verdict_of(r);
      };
      INFO(rounds << " rounds, the smallest is number " << smallest);
      CHECK_FALSE(at(0.95 + kHair).contention_ms);
      REQUIRE(at(0.95 - kHair).contention_ms);
      CHECK(at(0.95 - kHair).contention_ms->value ==
            Approx(1e4 * (1 / 95.0 - 1 / 100.0)).epsilon(1e-3));
    }
    const auto serial = [&](double share) {
      PointRates r = rates_of(all(100), all(50), all(share * 100 / 3));
      r.overlaps = false;
      return verdict_of(r);
    };
    CHECK_FALSE(serial(0.95 + kHair).contention_ms);
    CHECK(serial(0.95 - kHair).contention_ms);
  }
}

TEST_CASE("verdict: what neither side explains is contention, and is taken off both",
          "[unit][analysis]") {
  // L = 200, T = 250, F = 100: min is 200, so 50 ms of the 100 ms step are neither's; the loader's
  // own is 50 − 40 ms.
  const Verdict v = verdict_of(rates_of({200, 200}, {250, 250}, {100, 100}));
  CHECK(v.side == Side::contention);
  CHECK(v.side_cost_ms->value == Approx(50));
  CHECK(v.loader_cost_ms->value == Approx(10));
  CHECK(v.trainer_cost_ms->value == Approx(0).margin(1e-9));
  CHECK(overlap_efficiency(rates_of({200}, {250}, {100}))->value == Approx(0.5));
}

TEST_CASE("verdict: a rest that the rounds' noise explains is no contention", "[unit][analysis]") {
  // F/min is 0.80, 1.05, 0.95 by round: 0.93 on average, and 1 lies within its interval.
  CHECK_FALSE(verdict_of(rates_of({100, 100, 100}, {900, 900, 900}, {80, 105, 95})).contention_ms);
}

TEST_CASE("verdict: a larger side is named although something is lost to contention too",
          "[unit][analysis]") {
  // L = 100, T = 1000, F = 90: 11.1 ms contention, 90 ms loader.
  const Verdict v = verdict_of(rates_of({100, 100}, {1000, 1000}, {90, 90}));
  CHECK(v.side == Side::loader);
  CHECK(v.side_cost_ms->value == Approx(90));
  CHECK(v.contention_ms->value == Approx(1e4 * (1 / 90.0 - 1 / 100.0)));
}

// Rounds in which the trainer's thread waited for a core for this share of the step.
Verdict with_core_wait(double share, const std::vector<double>& loader,
                       const std::vector<double>& trainer, const std::vector<double>& pipeline) {
  PointRates r = rates_of(loader, trainer, pipeline);
  for (const auto& [round, log] : r.pipeline) r.core_wait[round] = share, r.waited[round] = 0;
  return verdict_of(r);
}

TEST_CASE("verdict: what the trainer's thread waits for a core costs neither side",
          "[unit][analysis]") {
  // T = 100 and F = 97: without the wait, 3 % of the step, F is T, and the loader costs nothing.
  const Verdict v = with_core_wait(0.03, five(1000), five(100), five(97));
  CHECK(v.side == Side::trainer);
  CHECK(v.loader_cost_ms->value == Approx(0).margin(1e-9));
  CHECK(v.trainer_cost_ms->value == Approx(90));
  REQUIRE(v.contention_ms);
  CHECK(v.contention_ms->value == Approx(0.03 * 1e4 / 97));
  const Verdict without = with_core_wait(0, five(1000), five(100), five(97));
  CHECK(without.loader_cost_ms->value == Approx(0.03 * 1e4 / 97));
  CHECK_FALSE(without.contention_ms);
  // In two rounds 3 % are too little to be named, and the loader's all the less.
  const Verdict indicative = with_core_wait(0.03, {1000, 1000}, {100, 100}, {97, 97});
  CHECK_FALSE(indicative.contention_ms);
  CHECK(indicative.loader_cost_ms->value == Approx(0).margin(1e-9));
}

TEST_CASE("verdict: a wait for a core that lowers no rate costs nothing", "[unit][analysis]") {
  // The loader sets the pace, F = L: while the thread had no core, the next batch was made.
  const Verdict v = with_core_wait(0.3, five(100), five(1000), five(100));
  CHECK_FALSE(v.contention_ms);
  CHECK(v.side == Side::loader);
  CHECK(v.loader_cost_ms->value == Approx(90));
  // F = 0.96 L: as much of it as is missing, and no more.
  const Verdict some = with_core_wait(0.3, five(100), five(1000), five(96));
  REQUIRE(some.contention_ms);
  CHECK(some.contention_ms->value == Approx(0.04 * 1e4 / 96));
  CHECK(some.loader_cost_ms->value == Approx(90));
}

TEST_CASE("verdict: cores that are full are no contention", "[unit][analysis]") {
  PointRates r = rates_of({200, 200}, {250, 250}, {100, 100});
  r.cpu = logs({102, 102});
  const Verdict v = verdict_of(r);
  CHECK_FALSE(v.contention_ms);
  CHECK(v.side == Side::loader);
  CHECK(v.loader_cost_ms->value == Approx(60));
  CHECK(v.trainer_cost_ms->value == Approx(50));
}

TEST_CASE("verdict: without workers the serial step is no contention", "[unit][analysis]") {
  // 1/L + 1/T = 10 + 20 ms a sample: F = 33.3.
  PointRates r = rates_of({100, 100}, {50, 50}, {100 / 3.0, 100 / 3.0});
  r.overlaps = false;
  const Verdict v = verdict_of(r);
  CHECK_FALSE(v.contention_ms);
  CHECK(v.side == Side::trainer);
  CHECK(v.loader_cost_ms->value == Approx(100));
  CHECK(v.trainer_cost_ms->value == Approx(200));
}

TEST_CASE("verdict: a machine that gets slower leaves the shares clear", "[unit][analysis]") {
  // Two rounds, the second at half speed: 90 % of the step is the trainer's in both.
  const Verdict v = verdict_of(rates_of({1000, 500}, {100, 50}, {100, 50}));
  CHECK(v.side == Side::trainer);
  CHECK(v.step_ms->value == Approx(150));
  CHECK(v.side_cost_ms->value == Approx(135));
  CHECK(v.side_cost_ms->low == Approx(135));
}

TEST_CASE("verdict: rounds that disagree name no side", "[unit][analysis]") {
  // Costs of the loader by round: 0, 80 and 20 ms; their interval holds 0.
  const Verdict v = verdict_of(rates_of({500, 100, 250}, {500, 500, 500}, {500, 100, 250}));
  CHECK(v.side == Side::unknown);
  CHECK(v.unclear);
  CHECK(v.loader_cost_ms->low < 0);
}

TEST_CASE("verdict: only rounds with all three count, and one has no interval",
          "[unit][analysis]") {
  PointRates r = rates_of({100, 100}, {500}, {100, 90, 80});
  const Verdict v = verdict_of(r);
  CHECK(v.side == Side::loader);
  CHECK(v.side_cost_ms->n == 1);
  CHECK(v.step_ms->n == 3);
  r.trainer.clear();
  CHECK(verdict_of(r).side == Side::unknown);
  CHECK_FALSE(verdict_of(r).loader_cost_ms);
  CHECK_FALSE(overlap_efficiency(r));
}

TEST_CASE("verdict: ratios pair by round, so that a drift of the machine leaves them alone",
          "[unit][analysis]") {
  const Measured e = ratio_within_rounds(logs({200, 100, 50}), logs({100, 50, 25}));
  REQUIRE(e);
  CHECK(e->value == Approx(2));
  CHECK(e->low == Approx(2));
  CHECK(e->n == 3);
  CHECK_FALSE(ratio_within_rounds(logs({1}), {}));
}

ByRound share_of_rounds(const std::vector<double>& shares) {
  ByRound out;
  for (std::uint32_t i = 0; i < shares.size(); ++i) out[i] = shares[i];
  return out;
}

// Ten rounds of F = T, in which the loader alone was now faster and now slower: its interval says
// nothing.
PointRates unsteady_loader(double waited, double pipeline = 100) {
  PointRates r = rates_of({900, 20, 800, 15, 950, 30, 700, 18, 850, 25},
                          std::vector<double>(10, 100), std::vector<double>(10, pipeline));
  r.waited = share_of_rounds(std::vector<double>(10, waited));
  return r;
}

TEST_CASE("verdict: no wait and F equal to T is the trainer, whatever the loader's rounds say",
          "[unit][analysis]") {
  CHECK(verdict_of(unsteady_loader(0.5)).side != Side::trainer);
  PointRates unmetered = unsteady_loader(0);
  unmetered.waited.clear();
  CHECK_FALSE(verdict_of(unmetered).by_waits);
  const Verdict v = verdict_of(unsteady_loader(26e-6 / 0.323));
  CHECK(v.side == Side::trainer);
  CHECK(v.by_waits);
  CHECK_FALSE(v.unclear);
  CHECK_FALSE(v.side_cost_ms);
  CHECK(v.side_takes_ms->value == Approx(100));
  CHECK(v.step_ms->value == Approx(100));
  CHECK(verdict_of(unsteady_loader(0.01)).by_waits);
  CHECK_FALSE(verdict_of(unsteady_loader(0.0101)).by_waits);
}

TEST_CASE("verdict: F is the trainer's rate within 2 % or the A/A floor, up to 10 %",
          "[unit][analysis]") {
  const auto by_waits = [](double pipeline, double floor) {
    PointRates r = unsteady_loader(0, pipeline);
    r.floor = floor;
    return verdict_of(r).by_waits;
  };
  CHECK(by_waits(98.1, 0));
  CHECK_FALSE(by_waits(97.9, 0));
  CHECK(by_waits(95.1, 0.05));
  CHECK_FALSE(by_waits(94.9, 0.05));
  CHECK_FALSE(by_waits(89, 0.5));
}

TEST_CASE("verdict: F is the trainer's rate where the rest of it is a wait for a core",
          "[unit][analysis]") {
  PointRates r = unsteady_loader(0, 97);
  CHECK_FALSE(verdict_of(r).by_waits);
  r.core_wait = share_of_rounds(std::vector<double>(10, 0.03));
  const Verdict v = verdict_of(r);
  CHECK(v.by_waits);
  CHECK(v.side == Side::trainer);
}

TEST_CASE("verdict: a round without metered waits leaves the waits unused", "[unit][analysis]") {
  PointRates r = unsteady_loader(0);
  r.waited.erase(3);
  CHECK_FALSE(verdict_of(r).by_waits);
}

TEST_CASE("verdict: workers that wait for no credit and F equal to L are the loader",
          "[unit][analysis]") {
  const auto unsteady_trainer = [](double waited, std::optional<double> slot_waited) {
    PointRates r = rates_of(std::vector<double>(6, 100), {900, 40, 800, 45, 700, 50},
                            std::vector<double>(6, 100));
    r.waited = share_of_rounds(std::vector<double>(6, waited));
    if (slot_waited) r.slot_waited = share_of_rounds(std::vector<double>(6, *slot_waited));
    return verdict_of(r);
  };
  const Verdict v = unsteady_trainer(0.6, 0.002);
  CHECK(v.side == Side::loader);
  CHECK(v.by_waits);
  CHECK(v.side_takes_ms->value == Approx(100));
  CHECK_FALSE(unsteady_trainer(0.6, 0.02).by_waits);
  CHECK_FALSE(unsteady_trainer(0.6, std::nullopt).by_waits);
  CHECK(unsteady_trainer(0.99, std::nullopt).side == Side::loader);
  // Neither side waits: no side.
  CHECK_FALSE(unsteady_trainer(0.001, 0.001).by_waits);
}

TEST_CASE("verdict: sides known to cost too little stay balanced, whatever the waits",
          "[unit][analysis]") {
  PointRates r = rates_of(five(101), five(100), five(100));
  r.waited = share_of_rounds(std::vector<double>(5, 0.0));
  CHECK(verdict_of(r).side == Side::balanced);
  CHECK_FALSE(verdict_of(r).side_takes_ms);
}

TEST_CASE("verdict: a side takes its own time of the step, at most all of it", "[unit][analysis]") {
  // The trainer takes all 50 ms of the step, and costs 20 of them beyond the loader's 30.
  const Verdict trainer =
      verdict_of(rates_of(five(10 / 0.030), five(10 / 0.050), five(10 / 0.050)));
  CHECK(trainer.side_takes_ms->value == Approx(50));
  CHECK(trainer.side_cost_ms->value == Approx(20));
  const Verdict loader = verdict_of(rates_of(five(100), five(500), five(90)));
  CHECK(loader.side_takes_ms->value == Approx(100).epsilon(1e-9));
  CHECK(loader.step_ms->value == Approx(1000.0 / 9));
  // Noise: alone it was slower than in the pipeline.
  const Verdict slower = verdict_of(rates_of(five(100), five(500), five(101)));
  CHECK(slower.side_takes_ms->value == Approx(slower.step_ms->value));
  CHECK(slower.side_takes_ms->high <= slower.step_ms->value * (1 + 1e-12));
}

TEST_CASE("verdict: no interval of a cost goes beyond the step", "[unit][analysis]") {
  const Verdict v = verdict_of(rates_of({100, 300}, {2000, 2000}, {100, 300}));
  REQUIRE(v.loader_cost_ms);
  CHECK(v.loader_cost_ms->high <= v.step_ms->value);
}

}  // namespace verdict_test
}  // namespace benchbench
