// Exponential times: the table of known lines, and one worker at several depths.
#include <catch2/catch.hpp>

#include "tests/known_answer/chain/batch_means.h"
#include "tests/known_answer/chain/closed_forms.h"

namespace benchbench::test::chain_table {

struct Row {
  std::uint32_t workers, buffer;
  double make, step, throughput, starved, blocked;
};
constexpr Row kRows[] = {
    {1, 0, 1, 1, 0.666667, 0.3333, 0.3333},        {1, 1, 1, 1, 0.750000, 0.2500, 0.2500},
    {1, 2, 1, 1, 0.800000, 0.2000, 0.2000},        {1, 8, 1, 1, 0.909091, 0.0909, 0.0909},
    {1, 2, 0.5, 1, 0.967742, 0.0323, 0.5161},      {4, 4, 4, 1, 0.878327, 0.1217, 0.1217},
    {4, 8, 10.0 / 3, 1, 0.976230, 0.0238, 0.1865}, {8, 2, 8, 1, 0.861974, 0.1380, 0.1380}};

constexpr std::uint64_t kLong = 32;  // times the usual stretch: an error of a thousandth

void judge(const char* what, const Estimate& measured, double known) {
  INFO(what << ": known " << known << ", measured " << measured.mean << " +- " << measured.error);
  CHECK(std::abs(measured.mean - known) <= 3 * measured.error);
}

TEST_CASE("birth-death chain: the formula gives the table, under both ways of counting",
          "[known_answer][chain]") {
  for (const Row& row : kRows) {
    INFO(row.workers << " workers, buffer " << row.buffer << ", loader " << row.make << ", trainer "
                     << row.step);
    for (const ChainAnswer& a :
         {chain_with_buffer(row.workers, row.buffer, row.make, row.step),
          chain_with_credits(row.workers, row.workers + row.buffer, row.make, row.step)}) {
      CHECK(a.throughput == Approx(row.throughput).margin(5e-7));
      CHECK(a.starved_share == Approx(row.starved).margin(5e-5));
      CHECK(a.blocked_share == Approx(row.blocked).margin(5e-5));
    }
  }
}

TEST_CASE("exponential times: each row of the table is met within three standard errors",
          "[known_answer][chain]") {
  std::string table;
  for (const Row& row : kRows) {
    const std::uint32_t credits = row.workers + row.buffer;
    const ChainAnswer known = chain_with_buffer(row.workers, row.buffer, row.make, row.step);
    const ChainMeasurement m = measure(exponential_line(row.workers, credits, row.make, row.step,
                                                        20261121, kLong * stretch_steps(credits)));
    INFO(row.workers << " workers, buffer " << row.buffer << ", loader " << row.make << ", trainer "
                     << row.step);
    judge("throughput", m.throughput, known.throughput);
    judge("starved", m.starved, known.starved_share);
    judge("blocked", m.blocked, known.blocked_share);
    CHECK(m.throughput.error < 0.01);  // else the above says little
    char line[200];
    std::snprintf(line, sizeof line, "%u %u %6.4f %g | %.6f %.4f %.4f | %.6f %.4f %.4f (+- %.4f)\n",
                  row.workers, row.buffer, row.make, row.step, row.throughput, row.starved,
                  row.blocked, m.throughput.mean, m.starved.mean, m.blocked.mean,
                  m.throughput.error);
    table += line;
  }
  std::printf("W B loader trainer | known throughput starved blocked | measured\n%s",
              table.c_str());
}

TEST_CASE("one worker, exponential times: a step is x + y P(n) at any depth",
          "[known_answer][chain]") {
  struct Depth {
    std::uint32_t credits;
    double step;
  };
  for (const auto& [credits, step] :
       {Depth{1, 1.500}, {2, 1.333}, {4, 1.200}, {8, 1.111}, {16, 1.059}})
    CHECK(one_worker_step(1, 1, credits) == Approx(step).margin(0.0005));
  for (const auto& [x, y] : {std::pair{1.0, 1.0}, {1.0, 2.0}, {2.0, 1.0}, {3.0, 0.7}})
    for (const std::uint32_t credits : {1u, 2u, 4u, 8u, 16u}) {
      const double known = one_worker_step(x, y, credits);
      INFO("loader " << x << ", trainer " << y << ", " << credits << " tokens");
      CHECK(known == Approx(one_worker_step(y, x, credits)));
      CHECK(known == Approx(1 / chain_with_credits(1, credits, x, y).throughput));
      const Estimate rate =
          measure(exponential_line(1, credits, x, y, mix_seed(20261122, credits, x * 10, y * 10),
                                   16 * stretch_steps(credits)))
              .throughput;
      INFO("known step " << known << ", measured " << 1 / rate.mean << " +- "
                         << rate.error / rate.mean / rate.mean);
      CHECK(std::abs(rate.mean - 1 / known) <= 3 * rate.error);
    }
}

}  // namespace benchbench::test::chain_table
