// How often the interval that a tune prints holds the true gain, on machines of any noise where one
// trial in thirty is slowed by something else.
#include <catch2/catch.hpp>
#include <cmath>

#include "harness/tune/recheck.h"
#include "tests/known_answer/tune/simulated_tune.h"
#include "tests/sweep.h"
#include "tests/unit/tune/space_of.h"

namespace benchbench::known_answer {
namespace recheck_coverage_test {

constexpr std::uint64_t kSeed = 20261128;
constexpr double kNoises[] = {0.02, 0.05, 0.2};

// num_workers 1, 2 and 4, the first of which is the present one.
test::SurfaceCase three_points(double noise) {
  test::SurfaceCase c;
  c.problem.space = Space({test::number_knob("num_workers", KnobKind::workers, {1, 2, 4})});
  c.rate = {400, 700, 1000};
  c.memory.assign(3, 1e9);
  c.cpu.assign(3, 1e-6);
  c.noise = noise;
  c.tail_chance = 0.03;
  c.problem.floor = 2.77 * noise;
  c.problem.budget_runs = 20;
  return c;
}

bool holds(const Estimate& e, double truth) { return e.low <= truth && truth <= e.high; }

// The share of a sample may be off by three standard errors; --all takes a thousand.
TEST_CASE(
    "tune: the gain that searches print has the true one in its interval, 93 to 97 of a hundred",
    "[known_answer][tune]") {
  const std::uint64_t searches = test::sweep_size(200, 1000);
  const double off = searches == 1000 ? 0.02 : 3 * std::sqrt(0.95 * 0.05 / 200);
  for (const double noise : kNoises) {
    const test::SurfaceCase c = three_points(noise);
    std::uint64_t printed = 0, held = 0;
    for (std::uint64_t seed = 0; seed < searches; ++seed) {
      const TuneResult r = result_of(c.problem, test::simulated_tune(c, mix_seed(kSeed, seed)));
      if (r.gains.empty() || !r.gains.front().ratio || r.gains.front().of_search) continue;
      REQUIRE(r.gains.front().ratio->n >= kRecheckRounds);
      REQUIRE(r.gains.front().ratio->n <= kMostRecheckRounds);
      ++printed;
      held += holds(*r.gains.front().ratio, c.rate[r.found] / c.rate[c.problem.present]);
    }
    const double share = static_cast<double>(held) / static_cast<double>(printed);
    INFO("noise " << noise << ": " << held << " of " << printed);
    CHECK(printed >= searches * 9 / 10);
    CHECK(std::abs(share - 0.95) <= off);
  }
}

}  // namespace recheck_coverage_test
}  // namespace benchbench::known_answer
