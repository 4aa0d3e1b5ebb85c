// Exponential times: the birth–death chain of a line with tokens, within three standard errors.
#include <catch2/catch.hpp>
#include <cmath>

#include "harness/core/random.h"
#include "tests/unit/trial/virtual_line.h"

namespace benchbench::test {
namespace exponential {

constexpr double kUnit = 1e6;  // ns of one unit of time: fine enough that rounding does not show
constexpr int kRuns = 30;
constexpr std::uint64_t kBatches = 4000;

struct Share {
  double mean = 0, error = 0;
};

Share of_runs(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  const auto n = static_cast<double>(values.size());
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

// Independent of who draws it: batch k's own random stream.
std::function<std::int64_t(std::uint64_t)> times(double mean, std::uint64_t seed) {
  return [mean, seed](std::uint64_t k) {
    return static_cast<std::int64_t>(Random(mix_seed(seed, k)).exponential(mean * kUnit));
  };
}

// Throughput of the gets after the first tenth.
double throughput(const Outcome& out) {
  const std::size_t from = out.got.size() / 10;
  const double time = static_cast<double>(out.got.back().at - out.got[from].at) / kUnit;
  return static_cast<double>(out.got.size() - 1 - from) / time;
}

Outcome run(SupplyOptions options, double make, double step, int number) {
  const auto seed = static_cast<std::uint64_t>(number);
  return simulate({.options = options,
                   .batches = kBatches,
                   .make = times(make, mix_seed(1, seed)),
                   .step = times(step, mix_seed(2, seed))});
}

struct Row {
  std::uint32_t workers, buffer;
  double make, step, throughput, starved, blocked;
};

}  // namespace exponential
using namespace exponential;

TEST_CASE("exponential times: throughput, starved and blocked share of the birth-death chain",
          "[known_answer][queue]") {
  const Row rows[] = {{1, 0, 1, 1, 0.666667, 0.3333, 0.3333},        {1, 1, 1, 1, 0.750000, 0.2500, 0.2500},
                      {1, 2, 0.5, 1, 0.967742, 0.0323, 0.5161},      {4, 4, 4, 1, 0.878327, 0.1217, 0.1217},
                      {4, 8, 10.0 / 3, 1, 0.976230, 0.0238, 0.1865}, {8, 2, 8, 1, 0.861974, 0.1380, 0.1380}};
  for (const Row& row : rows) {
    std::vector<double> rates, starved, blocked;
    for (int number = 0; number < kRuns; ++number) {
      const Outcome out = run(
          {.num_workers = row.workers, .max_jobs = row.workers + row.buffer, .in_order = false, .meters = {}},
          row.make, row.step, number);
      rates.push_back(throughput(out));
      starved.push_back(static_cast<double>(out.blocked) / static_cast<double>(out.end));
      blocked.push_back(static_cast<double>(out.workers.waiting.count()) / static_cast<double>(out.end) /
                        row.workers);
    }
    INFO(row.workers << " workers, buffer " << row.buffer << ", loader " << row.make << ", trainer "
                     << row.step);
    // The start, empty, and the table's rounding: 2 in 1000.
    CHECK(of_runs(rates).mean == Approx(row.throughput).margin(3 * of_runs(rates).error + 1e-6));
    CHECK(of_runs(starved).mean == Approx(row.starved).margin(3 * of_runs(starved).error + 0.002));
    CHECK(of_runs(blocked).mean == Approx(row.blocked).margin(3 * of_runs(blocked).error + 0.002));
  }
}

// W = 8, 16 outstanding, a trainer that takes no time: how much of W/mean each order keeps.
TEST_CASE("exponential times: what order and dispatch cost eight workers", "[known_answer][queue]") {
  struct Case {
    Dispatch dispatch;
    bool in_order;
    double share;
  };
  for (const Case& c : {Case{Dispatch::round_robin, true, 0.61}, Case{Dispatch::shared, true, 0.72},
                        Case{Dispatch::round_robin, false, 0.81}, Case{Dispatch::shared, false, 1.00},
                        Case{Dispatch::least_loaded, false, 1.00}}) {
    std::vector<double> shares;
    for (int number = 0; number < kRuns; ++number)
      shares.push_back(throughput(run(
          {.num_workers = 8, .max_jobs = 16, .in_order = c.in_order, .dispatch = c.dispatch, .meters = {}}, 8,
          0, number)));
    INFO("dispatch " << static_cast<int>(c.dispatch) << ", in order " << c.in_order);
    CHECK(of_runs(shares).mean ==
          Approx(c.share).margin(3 * of_runs(shares).error + 0.005));  // table: two digits
  }
}

}  // namespace benchbench::test
