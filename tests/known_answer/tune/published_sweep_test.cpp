// A published DataLoader sweep (A100, 8 cores a rank) whose loading times and training times
// disagree: choosing by the loader's own rate takes 32 workers where 8 train in 60 % of the time.
#include <catch2/catch.hpp>

#include "tests/known_answer/tune/simulated_tune.h"

namespace benchbench::known_answer {
namespace published_sweep_test {

struct Row {
  double workers, loading, training;  // seconds: of a step's loading, of all
};
constexpr Row kSweep[] = {{8, 0.2042, 87.5},
                          {16, 0.1406, 81.5},
                          {24, 0.2006, 151.6},
                          {32, 0.1457, 146.5},
                          {40, 0.1470, 150.2}};

test::SurfaceCase sweep_without(double left_out, std::uint32_t present) {
  Knob workers{"num_workers", KnobKind::workers, {}, false};
  test::SurfaceCase c;
  for (const Row& row : kSweep) {
    if (row.workers == left_out) continue;
    workers.values.push_back({std::to_string(static_cast<int>(row.workers)), row.workers, 0});
    c.rate.push_back(1000 / row.training);
  }
  c.memory.assign(c.rate.size(), 1e9);
  c.cpu.assign(c.rate.size(), 1e-6);
  c.problem.space = Space({workers});
  c.problem.present = present;
  c.problem.floor = 2.77 * c.noise;
  c.problem.budget_runs = static_cast<double>(c.rate.size()) * 2;
  return c;
}

double workers_chosen(const test::SurfaceCase& c, std::uint64_t seed) {
  return c.problem.space.workers(result_of(c.problem, test::simulated_tune(c, seed)).chosen);
}

TEST_CASE("tune: the published sweep without its best point picks 8 workers, not 32",
          "[known_answer][tune]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint32_t present = 0; present < 4; ++present) {
      CAPTURE(seed, present);
      CHECK(workers_chosen(sweep_without(16, present), seed) == 8);
    }
}

TEST_CASE("tune: the published sweep as a whole picks 16 workers", "[known_answer][tune]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    CHECK(workers_chosen(sweep_without(0, 4), seed) == 16);
  }
}

}  // namespace published_sweep_test
}  // namespace benchbench::known_answer
