// A window of several segments is their sum, each field of it: what lies between two segments
// counts for nothing.
#include <catch2/catch.hpp>

#include "harness/trial/readings/window_sum.h"

namespace benchbench::window_sum_test {
namespace {

Nanoseconds ns(std::int64_t n) { return Nanoseconds{n}; }

StageTotal& read_stage(MeterTotals& totals) {
  return totals.stages[static_cast<std::size_t>(Stage::read)];
}

// Counters that have all run up to `n`, at different speeds.
SegmentEdge readings(std::int64_t n) {
  const auto u = static_cast<std::uint64_t>(n);
  SegmentEdge r;
  r.at = TimePoint{ns(100 * n)};
  r.workers = {.fill_ns = 5 * n,
               .slot_wait_ns = 3 * n,
               .queue_ns = 2 * n,
               .batches = 11 * u,
               .reads = 7 * u};
  r.loaded.payload_bytes = 13 * u;
  r.loaded.payloads = 17 * u;
  read_stage(r.loaded) = {19 * n, 23 * u};
  r.resources.cpu_user_s = 0.5 * static_cast<double>(n);
  r.resources.cpu_system_s = 0.25 * static_cast<double>(n);
  r.resources.device_bytes = 29 * u;
  r.loader_cpu = ns(31 * n);
  r.checkpoints = 37 * u;
  return r;
}

MeterTotals trained(std::int64_t n) {
  MeterTotals totals;
  totals.stages[static_cast<std::size_t>(Stage::forward)] = {n, static_cast<std::uint64_t>(n)};
  return totals;
}

}  // namespace

TEST_CASE(
    "window sum: each field adds up over the segments, and what lies between them is nobody's",
    "[unit][trial]") {
  WindowSum sum;
  sum.add(readings(10), readings(14), trained(3));     // 4
  sum.add(readings(100), readings(101), trained(5));   // 1
  sum.add(readings(200), readings(202), trained(20));  // 2: 7 together
  CHECK(sum.segments == 3);
  CHECK(sum.time == ns(700));
  CHECK(sum.workers.queue_ns == 14);
  CHECK(sum.workers.slot_wait_ns == 21);
  CHECK(sum.workers.fill_ns == 35);
  CHECK(sum.workers.reads == 49);
  CHECK(sum.workers.batches == 77);
  CHECK(sum.loaded.payload_bytes == 91);
  CHECK(sum.loaded.payloads == 119);
  CHECK(read_stage(sum.loaded).ns == 133);
  CHECK(read_stage(sum.loaded).count == 161);
  CHECK(sum.trained.stages[static_cast<std::size_t>(Stage::forward)].ns == 28);
  CHECK(sum.trained.stages[static_cast<std::size_t>(Stage::forward)].count == 28);
  CHECK(sum.used.cpu_user_s == Approx(3.5));
  CHECK(sum.used.cpu_system_s == Approx(1.75));
  CHECK(sum.used.device_bytes == 203u);
  CHECK(sum.loader_cpu == ns(217));
  CHECK(sum.checkpoints == 259);
}

TEST_CASE("window sum: what one segment could not measure, the window has not measured",
          "[unit][trial]") {
  WindowSum sum;
  SegmentEdge blind = readings(20);
  blind.resources.device_bytes.reset();
  sum.add(readings(10), readings(11), {});
  sum.add(readings(15), blind, {});
  CHECK_FALSE(sum.used.device_bytes);
  CHECK(sum.used.cpu_user_s == Approx(3));
}

}  // namespace benchbench::window_sum_test
