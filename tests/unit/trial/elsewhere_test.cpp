// What the processes of a hand-over cost, against processes that do a known thing.
#include <catch2/catch.hpp>

#include "harness/trial/external/elsewhere.h"
#include "tests/hang.h"
#include "tests/unit/trial/outside_process.h"

namespace benchbench::elsewhere_test {
namespace {

using test::OutsideProcess;

constexpr std::int64_t kMs = 1'000'000, kMiB = 1 << 20;

}  // namespace

TEST_CASE(
    "elsewhere: CPU time of a process and of all that it started is theirs, within segments alone",
    "[unit][trial]") {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  const OutsideProcess other;
  Elsewhere elsewhere(*runtime);
  const OutsideProcess python;
  python.ask("worker()");
  python.ask("burn(0.2)");  // before the first segment
  elsewhere.begin_segment();
  python.ask("burn(0.1)");
  python.ask("w0:burn(0.1)");
  other.ask("burn(0.2)");  // none of theirs
  elsewhere.end_segment();
  python.ask("burn(0.2)");  // between two
  elsewhere.begin_segment();
  python.ask("w0:burn(0.1)");
  elsewhere.end_segment();
  const SeenElsewhere& seen = elsewhere.seen();
  CHECK(seen.cpu_ns > 295 * kMs);
  CHECK(seen.cpu_ns < 360 * kMs);
  CHECK(seen.user_ticks + seen.system_ticks >= 20);
  CHECK(seen.own_cpu_ns < 150 * kMs);
  CHECK(seen.observed.count() >= 500 * kMs);
}

// Workers that are started anew for each epoch end within the window.
TEST_CASE("elsewhere: one that ends in the segment is billed by what its parent waited for",
          "[unit][trial]") {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  Elsewhere elsewhere(*runtime);
  const OutsideProcess python;
  elsewhere.begin_segment();
  python.ask("worker()");
  python.ask("w0:burn(0.2)");
  python.ask("workers[0][0].close(); os.waitpid(workers[0][2], 0)");
  elsewhere.end_segment();
  CHECK(elsewhere.seen().cpu_ns > 180 * kMs);
  CHECK(elsewhere.seen().cpu_ns < 300 * kMs);
}

TEST_CASE("elsewhere: memory is theirs and ours together", "[unit][trial]") {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  Elsewhere elsewhere(*runtime);
  const OutsideProcess python;
  elsewhere.begin_segment();
  const auto before = static_cast<std::int64_t>(elsewhere.seen().peak_memory_bytes);
  CHECK(before > 4 * kMiB);
  python.ask("allocate(64)");
  elsewhere.end_segment();
  // The slower a look is, the later the next one.
  const TimePoint until = runtime->now() + test::kHang;
  while (static_cast<std::int64_t>(elsewhere.seen().peak_memory_bytes) == before &&
         runtime->now() < until) {
    elsewhere.begin_segment();
    elsewhere.end_segment();
  }
  CHECK(static_cast<std::int64_t>(elsewhere.seen().peak_memory_bytes) - before > 60 * kMiB);
  CHECK(static_cast<std::int64_t>(elsewhere.seen().peak_memory_bytes) - before < 80 * kMiB);
}

}  // namespace benchbench::elsewhere_test
