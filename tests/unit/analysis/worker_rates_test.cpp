// More workers are advised by what a batch takes of the main thread, of a worker and of the cores.
#include "harness/analysis/rates/worker_rates.h"

#include <catch2/catch.hpp>

namespace benchbench::worker_rates_test {

// Two busy workers of 40 ms a batch on 8 cores, and a main thread that has 2 ms to do.
BatchTimes even() {
  return {.step_ms = 20,
          .main_ms = 2,
          .worker_ms = 40,
          .worker_wait_ms = 0,
          .cpu_ms = 42,
          .cores = 8,
          .workers = 2,
          .largest_share = 0.5};
}

TEST_CASE("workers: a step takes the most of the main thread, of the workers and of the cores",
          "[unit][analysis]") {
  BatchTimes b = even();
  CHECK(foretold_step_ms(b, 1) == Approx(40));
  CHECK(foretold_step_ms(b, 2) == Approx(20));
  CHECK(foretold_step_ms(b, 4) == Approx(10));
  CHECK(foretold_step_ms(b, 100) == Approx(42.0 / 8));
  b.main_ms = 15;
  CHECK(foretold_step_ms(b, 4) == Approx(15));
  // Nothing makes batches meanwhile.
  CHECK(foretold_step_ms(b, 0) == Approx(55));
  b.largest_share = 0.9;
  CHECK(foretold_step_ms(b, 4) == Approx(36));
}

TEST_CASE("workers: more where they take longest and a core is free, twice as many at most",
          "[unit][analysis]") {
  const WorkersForetold found = foretell_workers(even());
  CHECK(found.limit == WorkersLimit::workers);
  CHECK(found.workers == 4);
  CHECK(found.times == Approx(2));
  BatchTimes b = even();
  b.main_ms = 14;  // three workers make a batch every 13.3 ms
  CHECK(foretell_workers(b).workers == 3);
  CHECK(foretell_workers(b).times == Approx(20.0 / 14));
  b.main_ms = 19.5;  // 3 % are worth no worker
  CHECK(foretell_workers(b).limit == WorkersLimit::main);
}

TEST_CASE("workers: no more of them where the main thread, the cores or one worker is the limit",
          "[unit][analysis]") {
  BatchTimes main = even(), cores = even(), loaded = even(), one = even(), idle = even();
  main.main_ms = 21, main.step_ms = 22;
  CHECK(foretell_workers(main).limit == WorkersLimit::main);
  cores.cores = 2;  // 2.1 are in use
  CHECK(foretell_workers(cores).limit == WorkersLimit::cores);
  loaded.cores = 2.5;  // other programs have the rest: 1.2 times 2.1 would be 2.52
  CHECK(foretell_workers(loaded).limit == WorkersLimit::cores);
  loaded.cores = 2.6;
  CHECK(foretell_workers(loaded).limit == WorkersLimit::workers);
  one.largest_share = 0.89, one.step_ms = 0.89 * 40;
  CHECK(foretell_workers(one).limit == WorkersLimit::one_worker);
  idle.step_ms = 35;  // of 70 ms of the workers 40 were seen
  CHECK(foretell_workers(idle).limit == WorkersLimit::unseen);
  // Waits for a core are no idleness: 28 ms of each batch.
  idle.worker_wait_ms = 28;
  CHECK(foretell_workers(idle).limit == WorkersLimit::workers);
  BatchTimes nothing;
  CHECK(foretell_workers(nothing).limit == WorkersLimit::cores);
}

TEST_CASE("workers: the first one overlaps with the step", "[unit][analysis]") {
  BatchTimes b = even();
  b.workers = 0, b.largest_share = 0, b.main_ms = 10, b.worker_ms = 10;
  CHECK(foretell_workers(b).limit == WorkersLimit::workers);
  CHECK(foretell_workers(b).workers == 1);
  CHECK(foretell_workers(b).times == Approx(20 / 10.8));  // what hands a batch over takes 0.8 ms
  b.cpu_ms = 20, b.cores = 1.1;  // one core is in use, and there is no other
  CHECK(foretell_workers(b).limit == WorkersLimit::cores);
}

// A step of 12.5 ms, 4.6 of them its batch, on two cores.
TEST_CASE("workers: the first one is foretold with the hand-over, at most by what the cores give",
          "[unit][analysis]") {
  BatchTimes b = {.step_ms = 12.5,
                  .main_ms = 7.9,
                  .worker_ms = 4.6,
                  .worker_wait_ms = 0,
                  .cpu_ms = 12.5,
                  .cores = 2,
                  .all_cores = 2,
                  .workers = 0,
                  .largest_share = 0};
  CHECK(foretell_workers(b).times == Approx(12.5 / 8.6));
  BatchTimes cheap = b;  // the hand-over takes what a worker would
  cheap.step_ms = cheap.cpu_ms = 10, cheap.main_ms = 8.7, cheap.worker_ms = 1.3;
  CHECK(foretell_workers(cheap).limit == WorkersLimit::main);
  BatchTimes shared = b;  // 6.5 ms of CPU time on 1.3 cores are no less than the 5 ms there are
  shared.step_ms = shared.cpu_ms = 5, shared.main_ms = 3.5, shared.worker_ms = 1.5;
  shared.cores = 1.3;
  CHECK(foretell_workers(shared).limit == WorkersLimit::cores);
}

TEST_CASE("workers: less than forecasts are off by is no gain", "[unit][analysis]") {
  BatchTimes b = even();
  b.main_ms = 18.5;  // 8 %
  CHECK(foretell_workers(b).limit == WorkersLimit::main);
  b.main_ms = 18;
  CHECK(foretell_workers(b).limit == WorkersLimit::workers);
}

// Two workers that sleep use a tenth of a core, of which others leave less than a fifth.
TEST_CASE("workers: cores that other programs keep busy are no reason against more",
          "[unit][analysis]") {
  BatchTimes b = even();
  b.cpu_ms = 4, b.cores = 0.2, b.all_cores = 2;
  CHECK(foretell_workers(b).limit == WorkersLimit::others);
  b.all_cores = 0.2;
  CHECK(foretell_workers(b).limit == WorkersLimit::cores);
}

TEST_CASE("workers: who uses next to nothing does not keep the cores busy", "[unit][analysis]") {
  BatchTimes b = even();
  b.cores = 1.99, b.all_cores = 2;
  b.cpu_ms = 1.995 / 1.2 * b.step_ms;
  CHECK(foretell_workers(b).limit == WorkersLimit::cores);
}

}  // namespace benchbench::worker_rates_test
