// Times that are known exactly: closed forms, equal to the last nanosecond of virtual time.
#include <catch2/catch.hpp>

#include "harness/core/random.h"
#include "tests/unit/trial/virtual_line.h"

namespace benchbench::test {
namespace deterministic {

SupplyOptions workers(std::uint32_t count, std::uint32_t max_jobs,
                      Dispatch dispatch = Dispatch::shared) {
  return {.num_workers = count,
          .batch_size = 1,
          .max_jobs = max_jobs,
          .dispatch = dispatch,
          .meters = {}};
}

Line constant(std::uint64_t batches, std::int64_t make, std::int64_t step,
              const SupplyOptions& options) {
  return {.options = options,
          .batches = batches,
          .make = [make](BatchNumber) { return make; },
          .step = [step](std::uint64_t) { return step; }};
}

}  // namespace deterministic
using namespace deterministic;

TEST_CASE("one worker: T(N) = sp + (N-1) max(sp, sc) + sc at any depth", "[known_answer][queue]") {
  for (const std::uint32_t depth : {1u, 2u, 3u, 8u})
    for (const auto& [make, step] :
         {std::pair<std::int64_t, std::int64_t>{3, 2}, {2, 3}, {5, 5}, {1, 100}, {100, 1}}) {
      const Outcome out = simulate(constant(1000, make, step, workers(1, depth)));
      INFO("depth " << depth << ", loader " << make << ", trainer " << step);
      CHECK(out.end == make + 999 * std::max(make, step) + step);
    }
  CHECK(simulate(constant(1000, 3, 2, workers(1, 1))).end == 3002);
}

TEST_CASE("no workers: loader and trainer add up", "[known_answer][queue]") {
  CHECK(simulate(constant(100, 3, 2, workers(0, 2))).end == 500);
}

TEST_CASE("constant times, shared dispatch: the rate is that of the slower side",
          "[known_answer][queue]") {
  // 4 workers of 8 ns each make one batch every 2 ns.
  const Outcome trainer_bound = simulate(constant(1001, 8, 3, workers(4, 8)));
  CHECK(trainer_bound.end == 8 + 1001 * 3);
  const Outcome loader_bound = simulate(constant(1001, 8, 1, workers(4, 8)));
  CHECK(loader_bound.got[1000].at - loader_bound.got[0].at == 1000 * 2);
}

TEST_CASE("the waits are the meter: each side's blocked time is what the other costs",
          "[known_answer][queue]") {
  const Outcome loader_bound = simulate(constant(1000, 5, 2, workers(1, 2)));
  CHECK(loader_bound.blocked == 5 + 999 * (5 - 2));
  CHECK(loader_bound.workers.slot_wait_ns == 0);
  const Outcome trainer_bound = simulate(constant(1000, 2, 5, workers(1, 2)));
  CHECK(trainer_bound.blocked == 2);
  CHECK(ns(trainer_bound.workers.fill_ns + trainer_bound.workers.slot_wait_ns) ==
        ns(trainer_bound.end));
  CHECK(trainer_bound.workers.fill_ns == 2 * 1002);  // 1000 got, and two ahead
}

// ready[k] = p[k] + max(ready[k-W], get[k-n]),  get[k] = max(get[k-1] + c[k-1], ready[k])
TEST_CASE("round robin in order: the recurrence, for any times", "[known_answer][queue]") {
  Random random(20261105);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto w = 1 + static_cast<std::uint32_t>(random.below(8));
    const auto n = 1 + static_cast<std::uint32_t>(random.below(3 * w));
    const std::size_t batches = 40 + random.below(60);
    const std::uint64_t longest_make = 1 + random.below(100), longest_step = 1 + random.below(100);
    std::vector<std::int64_t> p(batches + n), c(batches);
    for (auto& time : p) time = static_cast<std::int64_t>(random.below(longest_make * w));
    for (auto& time : c) time = static_cast<std::int64_t>(random.below(longest_step));
    const Outcome out = simulate({.options = workers(w, n, Dispatch::round_robin),
                                  .batches = batches,
                                  .make = [&](BatchNumber k) { return p[k]; },
                                  .step = [&](std::uint64_t k) { return c[k]; }});
    std::vector<std::int64_t> ready(batches), get(batches);
    bool equal = true;
    for (std::size_t k = 0; k < batches; ++k) {
      const std::int64_t worker_free = k >= w ? ready[k - w] : 0;
      const std::int64_t token_free = k >= n ? get[k - n] : 0;
      ready[k] = p[k] + std::max(worker_free, token_free);
      get[k] = std::max(k > 0 ? get[k - 1] + c[k - 1] : 0, ready[k]);
      equal = equal && out.ready[k] == ready[k] && out.got[k].at == get[k] && out.got[k].batch == k;
    }
    INFO("trial " << trial << ": " << w << " workers, " << n << " tokens");
    REQUIRE(equal);
  }
}

TEST_CASE("round robin gives worker k the batches k, k+W, ...", "[known_answer][queue]") {
  const Outcome out = simulate(constant(64, 3, 1, workers(4, 8, Dispatch::round_robin)));
  for (BatchNumber k = 0; k < 64; ++k) CHECK(out.worker[k] == k % 4);
}

TEST_CASE("workers that share a batch's rows divide its time", "[known_answer][queue]") {
  // With one credit, all four wait for each get and must all wake.
  for (const std::uint32_t max_jobs : {1u, 2u}) {
    Line line{.options = workers(4, max_jobs), .batches = 100};
    line.options.batch_size = 8;
    line.options.work_unit = WorkUnit::sample;
    line.make_rows = [](BatchNumber, std::uint64_t rows) {
      return static_cast<std::int64_t>(10 * rows);
    };
    const Outcome out = simulate(line);
    CHECK(out.got[0].at == 20);  // 8 rows of 10 ns among 4
    CHECK(out.got[99].at == 2000);
  }
}

}  // namespace benchbench::test
