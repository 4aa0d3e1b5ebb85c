// The search for the rate of supply that a step needs, on answers that are known.
#include <catch2/catch.hpp>

#include <cmath>

#include "harness/core/random.h"
#include "harness/tune/required_rate.h"

namespace benchbench {
namespace required_rate_test {

// A constant step of a trainer of 1000 samples/s: the supply binds below it.
double slower_at(double rate) { return std::max(0.0, std::log(1000 / rate)); }

template <class Look>
std::vector<SupplyLook> searched(const RequireProblem& problem, Look look) {
  std::vector<SupplyLook> looks;
  while (const auto next = required_rate(problem, looks).next) {
    looks.push_back({*next, look(problem.rates.at(*next))});
    REQUIRE(looks.size() < 1000);
  }
  return looks;
}

TEST_CASE("required rate: of a constant step it is the trainer's rate less 1 %, within a rung",
          "[unit][tune]") {
  for (const double first_look : {0.9, 1.0, 1.1}) {  // how far the first look at the trainer is off
    const RequireProblem problem{.rates = supply_ladder(1000 * first_look), .noise = 0};
    const auto looks = searched(problem, slower_at);
    const RequiredRate found = required_rate(problem, looks);
    REQUIRE(found.enough);
    CHECK(problem.rates[*found.enough] >= 1000 / 1.01);
    CHECK(problem.rates[*found.enough] <= 1000 / 1.01 * 1.0051);
    CHECK(found.too_little == *found.enough - 1);
    CHECK(found.surely_enough == found.enough);
    CHECK(found.surely_too_little == found.too_little);
    CHECK(looks.size() <= 8);
  }
}

TEST_CASE(
    "required rate: a step that needs three times the trainer's rate is found in the wider part",
    "[unit][tune]") {
  const RequireProblem problem{.rates = supply_ladder(1000), .noise = 0};
  const auto looks = searched(problem, [](double rate) { return rate < 3000 ? 0.02 : 0.005; });
  const double rate = problem.rates.at(required_rate(problem, looks).enough.value());
  CHECK(rate >= 3000);
  CHECK(rate <= 3300);
}

TEST_CASE(
    "required rate: where no rung is enough none is named, and where all are there is none below",
    "[unit][tune]") {
  const RequireProblem problem{.rates = supply_ladder(1000), .noise = 0};
  const RequiredRate never = required_rate(problem, searched(problem, [](double) { return 0.05; }));
  CHECK(!never.enough);
  CHECK(!never.next);
  CHECK(never.too_little == problem.rates.size() - 1);
  const RequiredRate always = required_rate(problem, searched(problem, [](double) { return 0.0; }));
  CHECK(always.enough == 0u);
  CHECK(!always.too_little);
}

TEST_CASE(
    "required rate: far from the limit one look tells, "
    "near it there are more, and no more than asked for",
    "[unit][tune]") {
  RequireProblem problem{.rates = {500, 990.2, 2000}};
  const auto looks = searched(problem, slower_at);
  const auto count = [&](std::size_t rung) {
    return std::count_if(looks.begin(), looks.end(),
                         [&](const SupplyLook& l) { return l.rung == rung; });
  };
  CHECK(count(0) == 1);
  CHECK(count(1) == 12);
  const RequiredRate found = required_rate(problem, looks);
  CHECK(found.enough == 1u);
  CHECK(found.surely_too_little == 0u);
  CHECK(!found.surely_enough);  // the mean alone decided
}

TEST_CASE("required rate: with 2 % of noise the answer is within 2 % in 9 of 10 searches",
          "[unit][tune]") {
  Random random(7);
  int good = 0;
  for (int i = 0; i < 100; ++i) {
    const RequireProblem problem{.rates = supply_ladder(1000)};
    const auto noisy = [&](double rate) {
      double sum = 0;
      for (int k = 0; k < 12; ++k) sum += random.uniform(0, 1);
      return slower_at(rate) + 0.02 * (sum - 6);
    };
    const RequiredRate found = required_rate(problem, searched(problem, noisy));
    if (found.enough && std::abs(problem.rates[*found.enough] / (1000 / 1.01) - 1) < 0.02) ++good;
  }
  CHECK(good >= 90);
}

}  // namespace required_rate_test
}  // namespace benchbench
