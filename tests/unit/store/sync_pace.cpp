#include "harness/store/sync_pace.h"

#include <catch2/catch.hpp>

namespace benchbench::store_tests {

TEST_CASE(
    "sync pace: what waits is due a second after the last sync, "
    "not before, and only where something waits",
    "[unit][store]") {
  using namespace std::chrono_literals;
  const SyncPace::Clock::time_point start{};
  SyncPace pace(start);
  CHECK_FALSE(pace.waiting());
  CHECK_FALSE(pace.due(start + 1h));  // nothing was written
  pace.wrote();
  CHECK(pace.waiting());
  CHECK_FALSE(pace.due(start));
  CHECK_FALSE(pace.due(start + 1s - 1ns));
  CHECK(pace.due(start + 1s));
  pace.synced(start + 2s);
  CHECK_FALSE(pace.waiting());
  CHECK_FALSE(pace.due(start + 9s));
  pace.wrote();
  CHECK_FALSE(pace.due(start + 3s - 1ns));
  CHECK(pace.due(start + 3s));
}

}  // namespace benchbench::store_tests
