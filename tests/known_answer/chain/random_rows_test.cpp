// Random lines against the birth–death chain, 300 of one seed, or with scripts/test --all a
// thousand under each of three: were the harness right, 3 of a thousand would lie beyond three
// standard errors (a t with 99 degrees of freedom: 3.4), and one in 400 thousand beyond five.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/known_answer/chain/batch_means.h"
#include "tests/sweep.h"

namespace benchbench::test::random_rows {

constexpr double kBeyond3 = 0.0034;
constexpr std::uint32_t kMaxWorkers = 8, kMaxCredits = 12;
// Below this a share is made of a few rare stretches of time, and no mean of a hundred stretches is
// near to normal.
constexpr double kMinShare = 0.05;

struct Verdicts {
  const char* what;
  int judged = 0, beyond_3 = 0;
  double worst = 0, sum = 0, squares = 0;
  void judge(const Estimate& measured, double known) {
    const double z = (measured.mean - known) / measured.error;
    ++judged;
    beyond_3 += std::abs(z) > 3;
    worst = std::max(worst, std::abs(z));
    sum += z;
    squares += z * z;
  }
};

struct RandomRow {
  std::uint32_t workers, credits;
  double make, step;

  // Loader and trainer within three times of each other's rate, and scales of time from a fifth to
  // five.
  explicit RandomRow(Random& random)
      : workers(1 + static_cast<std::uint32_t>(random.below(kMaxWorkers))),
        credits(1 + static_cast<std::uint32_t>(random.below(kMaxCredits))) {
    step = std::exp(random.uniform(-1.6, 1.6));
    make = step * workers * std::exp(random.uniform(-1.1, 1.1));
  }
};

// How many of so many may lie beyond three standard errors, so that a harness
// that is right has more once in 300 times: 9 of a thousand, 4 of 300 (Poisson).
int most_beyond_3(int rows) {
  const double mean = kBeyond3 * rows;
  int most = 0;
  double chance = std::exp(-mean), so_far = chance;
  for (; 1 - so_far > 1.0 / 300; so_far += chance) chance *= mean / ++most;
  return most;
}

void judge_rows(std::uint64_t seed) {
  const int rows = static_cast<int>(sweep_size(300, 1000));
  Random random(seed);
  Verdicts throughput{"throughput"}, starved{"starved"}, blocked{"blocked"};
  int fewer_credits_than_workers = 0;
  for (int number = 0; number < rows; ++number) {
    const RandomRow row(random);
    const ChainAnswer known = chain_with_credits(row.workers, row.credits, row.make, row.step);
    const ChainMeasurement m =
        measure(exponential_line(row.workers, row.credits, row.make, row.step,
                                 mix_seed(seed, number), stretch_steps(row.credits)));
    fewer_credits_than_workers += row.credits < row.workers;
    throughput.judge(m.throughput, known.throughput);
    if (known.starved_share >= kMinShare) starved.judge(m.starved, known.starved_share);
    if (known.blocked_share >= kMinShare) blocked.judge(m.blocked, known.blocked_share);
  }
  for (const Verdicts& v : {throughput, starved, blocked}) {
    std::printf(
        "seed %llu, %s: %d rows, %d beyond 3 standard errors, "
        "the farthest at %.2f, mean %.3f, deviation %.3f\n",
        static_cast<unsigned long long>(seed), v.what, v.judged, v.beyond_3, v.worst,
        v.sum / v.judged, std::sqrt(v.squares / v.judged));
    INFO(v.what << ", seed " << seed);
    CHECK(v.judged >= rows / 2);
    CHECK(v.beyond_3 <= most_beyond_3(v.judged));
    CHECK(v.worst <= 5);
    // What all rows together would show and none alone: a systematic error.
    CHECK(std::abs(v.sum / v.judged) <= 4 / std::sqrt(v.judged));
  }
  CHECK(fewer_credits_than_workers > rows / 10);
}

TEST_CASE("exponential times: random lines, seed 1", "[known_answer][chain]") { judge_rows(1); }
TEST_CASE("exponential times: random lines, seed 2", "[known_answer][chain][.all]") {
  judge_rows(2);
}
TEST_CASE("exponential times: random lines, seed 3", "[known_answer][chain][.all]") {
  judge_rows(3);
}

}  // namespace benchbench::test::random_rows
