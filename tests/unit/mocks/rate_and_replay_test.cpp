#include <catch2/catch.hpp>

#include "tests/unit/mocks/loader_bench.h"

namespace benchbench::rate_and_replay_test {

using namespace benchbench::test;

constexpr std::int64_t kMs = 1'000'000;

TEST_CASE("rate_limited: batches are due on one schedule, whatever the number of workers",
          "[unit][mocks]") {
  for (const std::uint32_t workers : {1u, 3u}) {
    MadeLoader made("rate_limited", {{"rate", "300/s"}}, 1);
    const auto seen = fill_all(made, workers, 900);
    // 3.33... ms each: rounded one by one, so that nothing drifts.
    for (std::size_t k = 0; k < 900; ++k)
      REQUIRE(seen[k].at == std::llround(static_cast<double>(k + 1) * 1e9 / 300));
    CHECK(seen.back().at == 3'000'000'000);
  }
}

// Batches of 10 ms; before batch 10 nobody asks for 95 ms.
std::vector<Filled> after_a_pause(const char* burst) {
  MadeLoader made("rate_limited", {{"rate", "400/s"}, {"burst", burst}}, 4);
  return fill_all(made, 1, 20, nullptr, [](Runtime& runtime, BatchNumber b) {
    if (b == 10) runtime.spend(Nanoseconds{95 * kMs}, Spend::sleep);
  });
}

TEST_CASE(
    "rate_limited: after a pause at most `burst` batches come at once, then it is the rate again",
    "[unit][mocks]") {
  const std::int64_t resumed = 195 * kMs;
  const auto one = after_a_pause("1");
  CHECK(one[9].at == 100 * kMs);
  CHECK(one[10].at == resumed);
  CHECK(one[11].at == resumed + 10 * kMs);
  const auto three = after_a_pause("3");
  for (int k = 10; k < 13; ++k) CHECK(three[static_cast<std::size_t>(k)].at == resumed);
  CHECK(three[13].at == resumed + 10 * kMs);
  const auto none = after_a_pause("0");
  CHECK(none[10].at == resumed + 10 * kMs);
  const auto all = after_a_pause("1000");  // never more than the rate had due
  CHECK(all[18].at == resumed);
  CHECK(all[19].at == 200 * kMs);
}

TEST_CASE("rate_limited: its time is billed as reading", "[unit][mocks]") {
  MadeLoader made("rate_limited", {{"rate", "400/s"}}, 4);
  RememberingMeter meter;
  fill_all(made, 1, 5, &meter);
  CHECK(meter.stages[Stage::read].count() == 50 * kMs);
  CHECK(meter.stages.size() == 1);
}

TEST_CASE("replay loader: batch b takes the time number b, round and round, in its worker",
          "[unit][mocks]") {
  const std::vector<std::int64_t> times = {5, 70, 0, 1234};
  MadeLoader made("replay", {{"times", "x.csv"}}, 2, 0, times);
  for (const Filled& f : fill_all(made, 2, 40)) CHECK(f.took == times[f.batch % 4]);
}

TEST_CASE(
    "replay loader: batch 0 takes the time at first_time, "
    "and each its own, per batch and per worker",
    "[unit][mocks]") {
  const std::vector<std::int64_t> times = {5, 70, 0, 1234};
  for (const std::uint64_t first : {0u, 1u, 3u}) {
    MadeLoader per_worker("replay", {{"times", "x.csv"}}, 2, 0, times, nullptr, first);
    for (const Filled& f : fill_all(per_worker, 2, 40))
      CHECK(f.took == times[(f.batch + first) % 4]);
    MadeLoader per_batch("replay", {{"times", "x.csv"}, {"per", "batch"}}, 2, 0, times, nullptr,
                         first);
    std::int64_t due = 0;
    for (const Filled& f : fill_all(per_batch, 3, 40))
      CHECK(f.at == (due += times[(f.batch + first) % 4]));
  }
}

TEST_CASE("replay loader: the times of a whole loader are its own, whatever the number of workers",
          "[unit][mocks]") {
  const std::vector<std::int64_t> times = {5 * kMs, 3 * kMs, 0, 8 * kMs};
  for (const std::uint32_t workers : {1u, 2u, 5u}) {
    MadeLoader made("replay", {{"times", "x.csv"}, {"per", "batch"}}, 2, 0, times);
    CHECK(fill_all(made, workers, 400).back().at == 400 * 4 * kMs);
    MadeLoader folder("replay", {{"times", "/"}}, 2, 0, times);  // auto: a folder is a stored run
    CHECK(fill_all(folder, workers, 400).back().at == 400 * 4 * kMs);
  }
  const std::vector<std::int64_t> same = {4 * kMs};
  MadeLoader file("replay", {{"times", "x.csv"}}, 2, 0, same);
  CHECK(fill_all(file, 2, 400).back().at == 200 * 4 * kMs);
}

TEST_CASE("replay loader: a schedule of batches makes a pause good by one batch's time, not more",
          "[unit][mocks]") {
  const std::vector<std::int64_t> times = {10 * kMs};
  MadeLoader made("replay", {{"times", "x.csv"}, {"per", "batch"}}, 2, 0, times);
  const auto seen = fill_all(made, 1, 20, nullptr, [](Runtime& runtime, BatchNumber b) {
    if (b == 10) runtime.spend(Nanoseconds{95 * kMs}, Spend::sleep);
  });
  CHECK(seen[10].at == 195 * kMs);  // all requests were there: what was asked for long ago is late
  CHECK(seen[11].at == 205 * kMs);
}

TEST_CASE("replay: no times and negative times are errors of the scenario that say what was wanted",
          "[unit][mocks]") {
  const auto make = [](std::vector<std::int64_t> times) {
    return MadeLoader("replay", {{"times", "x.csv"}}, 2, 0, times);
  };
  try {
    make({});
    FAIL_CHECK("made");
  } catch (const ScenarioError& error) {
    CHECK(std::string(error.hint()).find("CSV") != std::string::npos);
  }
  CHECK_THROWS_WITH(make({3, -4}), Catch::Contains("time 2") && Catch::Contains("-4 ns"));
}

// The real clock, properties that hold however busy the machine is.
TEST_CASE("loader mocks: on the real clock nothing is over before its deadline", "[unit][mocks]") {
  const std::vector<std::int64_t> times = {200'000, 400'000};
  MadeLoader replay("replay", {{"times", "x.csv"}}, 2, 0, times);
  MadeLoader made("synthetic", {{"batch_time", "300us"}}, 2);
  const auto runtime = make_real_runtime();
  RememberingMeter meter;
  for (MadeLoader* loader : {&replay, &made}) {
    const TimePoint start = runtime->now();
    const auto worker = loader->loader->worker(0, *runtime);
    Slot slot(loader->loader->spec(), 2);
    for (BatchNumber b = 0; b < 20; ++b) {
      const auto refs = samples_from(b * 2, 2);
      worker->fill({0, b, refs, slot.rows(0, 2), start}, meter);
      CHECK((runtime->now() - start).count() >=
            static_cast<std::int64_t>(b + 1) * 300'000 - (b % 2 == 0) * 100'000);
    }
  }
}

}  // namespace benchbench::rate_and_replay_test
