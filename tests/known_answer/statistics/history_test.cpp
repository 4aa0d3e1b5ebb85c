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

// NOISY nights: this share of all, each slower by up to 15 %, on average so many in a row; 1: each
// is drawn by itself.
struct NoisyNights {
  double share = 0;
  double in_a_row = 1;
};

// The nights of one series, one after the other.
class NightDrawer {
 public:
  NightDrawer(Random& random, NoisyNights noisy) : random_(random), noisy_(noisy) {}
  SeriesNight next(double change) {
    const double log = night(random_, false) + change;
    if (!is_noisy()) return {log, false, false};
    return {log + std::log1p(-random_.uniform(0, 0.15)), false, false, kNoisyWidth};
  }

 private:
  bool is_noisy() {
    const auto [share, in_a_row] = noisy_;
    if (left_ == 0 && random_.uniform() < share / (share + (1 - share) * in_a_row))
      for (left_ = 1; random_.uniform() < 1 - 1 / in_a_row;) ++left_;
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  Random& random_;
  NoisyNights noisy_;
  int left_ = 0;  // of the run that has begun
};

std::vector<Alert> alerts_of_noisy(Random& random, NoisyNights noisy, double step) {
  SeriesJudge judge;
  NightDrawer drawer(random, noisy);
  for (std::size_t k = 0; k < kNights; ++k) judge.add(drawer.next(k >= kStepAt ? step : 0.0));
  return judge.alerts();
}

std::size_t false_alarms(std::uint64_t seed, NoisyNights noisy) {
  Random random(seed);
  std::size_t n = 0;
  for (int i = 0; i < 3000; ++i) n += alerts_of_noisy(random, noisy, 0).size();
  return n;
}

// Counts those of 1,000 series with a fifth more time that are found within this many nights.
int found_among_noisy(std::uint64_t seed, NoisyNights noisy, std::size_t within) {
  Random random(seed);
  int n = 0;
  for (int i = 0; i < 1000; ++i)
    n += std::ranges::any_of(alerts_of_noisy(random, noisy, -std::log(1.2)), [&](const Alert& a) {
      return a.worse() && a.first + 6 >= kStepAt && a.first <= kStepAt + 6 && a.told >= kStepAt &&
             a.told < kStepAt + within;
    });
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

TEST_CASE("history: no more false alarms where a third of the nights, or all, are NOISY",
          "[known_answer][statistics]") {
  CHECK(false_alarms(156, NoisyNights{1.0 / 3}) <= 20);
  CHECK(false_alarms(157, NoisyNights{1}) <= 20);
  // Four slower nights that follow each other are what a change is: 1 in 20 metric-months.
  CHECK(false_alarms(158, NoisyNights{1.0 / 3, 4}) <= 300);
}

TEST_CASE("history: a fifth more time is found among NOISY nights", "[known_answer][statistics]") {
  CHECK(found_among_noisy(159, {1.0 / 3}, 7) >= 920);
  CHECK(found_among_noisy(160, {1}, 14) >= 920);
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
