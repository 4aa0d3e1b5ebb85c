// How often history is wrong, and how soon it is right: simulated series under one noise model,
// seeds fixed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "harness/analysis/history/alerts.h"
#include "harness/core/random.h"

namespace benchbench {
namespace history_known {

constexpr std::size_t kNights = 60, kStepAt = 40;

// The log of a night's median of ten rounds: 1 % within, 1.5 % between rounds, 2 % between nights,
// log-normal; 5 % of nights are bad, slower by 30 % or by 5 to 30 %.
double night(Random& random, bool bad_alike) {
  double level = 0.02 * random.normal();
  if (random.uniform() < 0.05) level += std::log1p(bad_alike ? -0.3 : -random.uniform(0.05, 0.3));
  std::array<double, 10> rounds;
  for (double& r : rounds) r = level + 0.015 * random.normal() + 0.01 * random.normal();
  std::ranges::sort(rounds);
  return (rounds[4] + rounds[5]) / 2;
}

// `change`: of the log, by night.
std::vector<Alert> alerts_of(Random& random, bool bad_alike, auto change) {
  SeriesJudge judge;
  for (std::size_t k = 0; k < kNights; ++k)
    judge.add({night(random, bad_alike) + change(k), false, false});
  return judge.alerts();
}

std::size_t false_alarms(std::uint64_t seed, bool bad_alike) {
  Random random(seed);
  std::size_t n = 0;
  for (int i = 0; i < 3000; ++i)
    n += alerts_of(random, bad_alike, [](std::size_t) { return 0.0; }).size();
  return n;
}

struct Found {
  int in_time = 0, one_alert = 0;
};

// Of 1,000 series: told within so many nights as a step no more than six nights off.
Found found_steps(std::uint64_t seed, double step, std::size_t within) {
  Random random(seed);
  Found out;
  for (int i = 0; i < 1000; ++i) {
    const auto alerts = alerts_of(
        random, false, [&](std::size_t k) { return k >= kStepAt ? std::log1p(step) : 0.0; });
    out.one_alert += alerts.size() == 1;
    out.in_time += std::ranges::any_of(alerts, [&](const Alert& a) {
      return a.kind == ChangeKind::step && a.worse() == (step < 0) && a.first + 6 >= kStepAt &&
             a.first <= kStepAt + 6 && a.told >= kStepAt && a.told < kStepAt + within;
    });
  }
  return out;
}

TEST_CASE("history: at most 1 false alarm in 300 metric-months, looking every night",
          "[known_answer][statistics]") {
  CHECK(false_alarms(151, false) <= 20);  // 6,000 metric-months
  CHECK(false_alarms(152, true) <= 20);
}

TEST_CASE("history: a step of 10 % is found within 4 nights, of 5 % within 14, and told once",
          "[known_answer][statistics]") {
  for (const double step : {-0.10, 0.10}) {
    const Found found = found_steps(153, step, 4);
    INFO(step);
    CHECK(found.in_time >= 950);
    CHECK(found.one_alert >= 980);
  }
  for (const double step : {-0.05, 0.05}) {
    const Found found = found_steps(154, step, 14);
    INFO(step);
    CHECK(found.in_time >= 950);
    CHECK(found.one_alert >= 980);
  }
}

TEST_CASE("history: a drift of 10 % in 60 nights is told once, as drift",
          "[known_answer][statistics]") {
  Random random(155);
  int once = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto alerts = alerts_of(random, false, [](std::size_t k) {
      return std::log(1 - 0.1 * static_cast<double>(k) / (kNights - 1));
    });
    once += alerts.size() == 1 && alerts[0].kind == ChangeKind::drift && alerts[0].worse();
  }
  CHECK(once >= 940);
}

}  // namespace history_known
}  // namespace benchbench
