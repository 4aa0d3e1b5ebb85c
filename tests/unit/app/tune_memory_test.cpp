// What a trial's memory comes to for a tune, and when a trial is hopeless.
#include "harness/app/tune/tune_memory.h"

#include <catch2/catch.hpp>

#include "harness/app/tune/tune_replay.h"
#include "harness/app/tune/tune_run.h"

namespace benchbench::tune_memory_test {
namespace {

constexpr double kMiB = 1 << 20;

// Two workers that grow by 10 MiB in a window of 1 s and 100 samples, and share 800 MiB, 400 each.
Facts growing() {
  Facts f;
  f.window.ns = 1'000'000'000, f.window.samples = 100;
  f.workers.count = 2;
  f.peak_memory_bytes = 1u << 30;
  ExternalMemory m;
  m.pss_growth = 10 << 20, m.samples = 100, m.shared = 800u << 20;
  f.external.emplace().memory = m;
  return f;
}

TEST_CASE("tune: what Linux, Python and torch say where memory ran out is told from other failures",
          "[unit][app]") {
  for (const char* reason :
       {"the trial's process was killed (SIGKILL): out of memory, or killed by hand",
        "MemoryError: no room", "std::bad_alloc",
        "RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed. ",
        "RuntimeError: [enforce fail] Cannot allocate memory",
        "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. It is possible "
        "that dataloader's workers are out of shared memory.",
        "RuntimeError: unable to write to file </torch_7_1>: "
        "dataloader's workers are out of shared memory",
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
        "shared memory (shm)."})
    CHECK(tells_of_no_memory(reason));
  for (const char* reason :
       {"ValueError: bad batch",
        "RuntimeError: DataLoader worker (pid 7) is killed by signal: Segmentation fault. ",
        "no usable shared memory was needed", ""})
    CHECK_FALSE(tells_of_no_memory(reason));
}

}  // namespace

TEST_CASE("tune memory: growth goes on until the job's end, or until all is copied",
          "[unit][app]") {
  const Facts f = growing();
  CHECK(growth_until(f, 60) == Approx(600 * kMiB));
  CHECK(growth_until(f, 3600) == Approx(800 * kMiB));
  CHECK(memory_needed(f, {}) == Approx(1024 * kMiB));
  CHECK(memory_needed(f, 60) == Approx(1624 * kMiB));
}

TEST_CASE(
    "tune memory: growth is that of the window's samples, "
    "where memory was followed over a part of them",
    "[unit][app]") {
  Facts f = growing();
  f.external->memory->samples = 50;
  CHECK(growth_until(f, 10) == Approx(200 * kMiB));
}

TEST_CASE(
    "tune memory: less than 2 MiB a worker is no growth, "
    "and without what they share none is foretold",
    "[unit][app]") {
  Facts f = growing();
  f.external->memory->pss_growth = 3 << 20;
  CHECK(growth_until(f, 3600) == 0);
  f = growing();
  f.external->memory->shared.reset();
  CHECK(growth_until(f, 3600) == 0);
  f.external.reset();
  CHECK(memory_needed(f, 3600) == Approx(1024 * kMiB));
  f.peak_memory_bytes.reset();
  CHECK_FALSE(memory_needed(f, 3600));
}

TEST_CASE("tune: a trial is hopeless from a third of its window on, below the rate that is",
          "[unit][app]") {
  CHECK(why_hopeless({Phase::measuring, 0.34, 70}, 75, {100, 2}) ==
        "ended early: 70 samples/s after 34 % of its window, where less than 75 is hopeless");
  CHECK_FALSE(why_hopeless({Phase::measuring, 0.44, 70}, 75, {9, 0}));  // few batches
  CHECK(why_hopeless({Phase::measuring, 0.44, 70}, 75, {10, 0}));
  CHECK_FALSE(why_hopeless({Phase::measuring, 0.44, 70}, 75, {63, 8}));  // few bursts
  CHECK(why_hopeless({Phase::measuring, 0.44, 70}, 75, {64, 8}));
  CHECK_FALSE(why_hopeless({Phase::measuring, 0.33, 70}, 75, {100, 2}));
  CHECK_FALSE(why_hopeless({Phase::measuring, 0.9, 75}, 75, {100, 2}));
  CHECK_FALSE(why_hopeless({Phase::starting, 0.9, 0}, 75, {100, 2}));
  CHECK_FALSE(why_hopeless({Phase::measuring, 0.9, 10}, std::nullopt, {100, 2}));
}

}  // namespace benchbench::tune_memory_test
