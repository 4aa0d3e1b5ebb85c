// Rounds are repetitions: each draws anew, and all that runs in one draws alike.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "harness/record/resolved_settings.h"
#include "harness/trial/round_seeds.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace rounds_test {

// The steps' own times, which the trainer drew, and when steps ended, which both sides decide.
struct Seen {
  std::vector<std::int64_t> steps;
  std::int64_t window_ns;
  bool operator==(const Seen&) const = default;
};
Seen seen(TrialOfMocks mocks, const PlannedRun& planned, TrialOfMocks::Changes more = {}) {
  mocks.change(more);
  TrialRecord record = run_simulated(mocks.trial(), planned);
  REQUIRE(record.status == Status::valid);
  return {std::move(record.raw_series["step"]), record.facts.window.ns};
}
TrialOfMocks exponential_line() {
  TrialOfMocks mocks("synthetic", "timed",
                     {{"loader.batch_time", "2ms"},
                      {"loader.distribution", "exponential"},
                      {"trainer.step_time", "1ms"},
                      {"trainer.distribution", "exponential"},
                      {"measure.warmup", "1ns"},
                      {"measure.window", "100ms"},
                      {"loader.access", "random"}});
  return mocks;
}

RoundSeeds seeds(std::uint64_t measure, std::uint64_t loader, std::uint64_t trainer,
                 std::uint32_t round) {
  ResolvedSettings s;
  s.measure.seed = measure;
  s.loader.seed = loader;
  s.trainer.seed = trainer;
  return seeds_of(s, round);
}

}  // namespace rounds_test
using namespace rounds_test;

TEST_CASE(
    "rounds: every part's seed follows from measure.seed, "
    "its own and the round, and no two are alike",
    "[unit][trial]") {
  std::set<std::uint64_t> all;
  std::size_t made = 0;
  for (const std::uint64_t measure : {0, 1, 2})
    for (const std::uint64_t own : {0, 1, 2})
      for (const std::uint32_t round : {0, 1, 2, 3}) {
        const RoundSeeds s = seeds(measure, own, own, round);
        for (const std::uint64_t seed : {s.order, s.loader, s.trainer}) all.insert(seed), ++made;
      }
  CHECK(all.size() == made);
  const RoundSeeds base = seeds(1, 2, 3, 4);
  CHECK(seeds(1, 2, 3, 4).loader == base.loader);
  CHECK(seeds(1, 2, 9, 4).loader == base.loader);  // another part's seed is none of its business
  CHECK(seeds(1, 2, 9, 4).order == base.order);
  CHECK(seeds(1, 9, 3, 4).trainer == base.trainer);
  CHECK(seeds(1, 9, 3, 4).order != base.order);
}

TEST_CASE("rounds: each draws its own times, alike whenever it runs and for every repeat",
          "[unit][trial]") {
  const TrialOfMocks mocks = exponential_line();
  const Seen first = seen(mocks, {0, 0, 0}), second = seen(mocks, {0, 1, 0}),
             third = seen(mocks, {0, 2, 0});
  CHECK(first.steps != second.steps);
  CHECK(second.steps != third.steps);
  CHECK(first.window_ns != second.window_ns);
  CHECK(seen(mocks, {0, 1, 0}) == second);  // a run that was resumed draws what it would have drawn
  CHECK(seen(mocks, {0, 1, 2}) == second);  // the anchor's third run
  CHECK(seen(mocks, {7, 1, 0}) == second);  // whichever trial it is
}

TEST_CASE("rounds: each of the three seeds changes the draws of its round", "[unit][trial]") {
  const TrialOfMocks mocks = exponential_line();
  const Seen base = seen(mocks, {0, 1, 0});
  CHECK(seen(mocks, {0, 1, 0}, {{"measure.seed", "1"}}).steps != base.steps);
  CHECK(seen(mocks, {0, 1, 0}, {{"trainer.seed", "1"}}).steps != base.steps);
  CHECK(seen(mocks, {0, 1, 0}, {{"loader.seed", "1"}}).window_ns != base.window_ns);
}

// What is drawn for a sample (here its time, elsewhere its crop) is drawn from the sample's own
// seed.
TEST_CASE("rounds: each draws anew for the samples, the same ones whenever it runs",
          "[unit][trial]") {
  const auto window = [](const PlannedRun& planned, TrialOfMocks::Changes more) {
    TrialOfMocks mocks("synthetic", "discard",
                       {{"loader.sample_time", "1ms"},
                        {"loader.distribution", "exponential"},
                        {"loader.num_workers", "0"},
                        {"measure.warmup", "1ns"},
                        {"measure.window", "20ms"}});
    return seen(mocks, planned, more).window_ns;
  };
  // One sample an epoch: the same sample over and over, with other draws in each epoch.
  const TrialOfMocks::Changes one = {{"loader.samples", "1"}, {"loader.batch_size", "1"}};
  CHECK(window({0, 0, 0}, one) != window({0, 1, 0}, one));
  CHECK(window({0, 1, 0}, one) == window({0, 1, 0}, one));
  CHECK(window({0, 1, 0}, one) % 1'000'000 != 0);
  CHECK(window({0, 1, 0},
               {{"loader.samples", "1"}, {"loader.batch_size", "1"}, {"measure.seed", "3"}}) !=
        window({0, 1, 0}, one));
}

// What the trainer draws is the step's alone, so that T and F of a round, and all their points, are
// compared in pairs.
TEST_CASE("rounds: a step takes the same time alone and behind any loader", "[unit][trial]") {
  const auto head = [](Seen s) {
    REQUIRE(s.steps.size() >= 30);
    s.steps.resize(30);
    return s.steps;
  };
  // Windows behind workers begin later, past what their first fill of the queue feeds.
  const auto are_among = [](const std::vector<std::int64_t>& some,
                            const std::vector<std::int64_t>& all) {
    return std::search(all.begin(), all.end(), some.begin(), some.end()) != all.end();
  };
  const PlannedRun third{0, 2, 0};
  const auto alone = [&] {
    TrialOfMocks mocks("cached_batch", "timed",
                       {{"trainer.step_time", "1ms"},
                        {"trainer.distribution", "exponential"},
                        {"loader.num_workers", "0"},
                        {"measure.warmup", "1ns"},
                        {"measure.window", "100ms"}});
    mocks.repeat_a_synthetic_batch();
    return seen(mocks, third).steps;
  }();
  // One step is the warm-up everywhere. Epochs of 25 batches, of 7, and of 1024 where the batch is
  // repeated.
  CHECK(are_among(head(seen(exponential_line(), third)), alone));
  CHECK(are_among(head(seen(exponential_line(), third,
                            {{"loader.num_workers", "5"}, {"loader.batch_size", "13"}})),
                  alone));
}

TEST_CASE(
    "rounds: storage order begins at another place in each, the first of them at its beginning",
    "[unit][trial]") {
  constexpr std::uint64_t kSamples = 1000;
  CHECK(first_sample(0, kSamples) == 0);
  CHECK(first_sample(1, kSamples) == 618);
  CHECK(first_sample(2, kSamples) == 236);
  CHECK(first_sample(7, 1) == 0);
  std::vector<std::uint64_t> places;
  for (std::uint32_t round = 0; round < 10; ++round)
    places.push_back(first_sample(round, kSamples));
  std::sort(places.begin(), places.end());
  // 10 windows of 5 % overlap nowhere
  for (std::size_t i = 1; i < places.size(); ++i) CHECK(places[i] - places[i - 1] >= 50);
  for (std::uint32_t round = 0; round < 100'000; round += 97) REQUIRE(first_sample(round, 3) < 3);
}

TEST_CASE(
    "rounds: replayed times begin at another place in each, the first of them at their beginning",
    "[unit][trial]") {
  std::vector<std::int64_t> times;  // 1.00 ms, 1.01 ms, ...: a window of 10 ms replays few of them
  for (std::int64_t i = 0; i < 100; ++i) times.push_back(1'000'000 + 10'000 * i);
  const auto mocks = [](const char* loader, const char* trainer) {
    TrialOfMocks made(
        loader, trainer,
        {{"loader.num_workers", "0"}, {"measure.warmup", "1ns"}, {"measure.window", "10ms"}});
    for (const auto& [part, key] :
         {std::pair{loader, "loader.times"}, std::pair{trainer, "trainer.times"}})
      if (std::string_view(part) == "replay") made.change({{key, "x.csv"}});
    return made;
  };
  for (std::uint32_t round = 0; round < 4; ++round) {
    INFO(round);
    const std::size_t first = first_sample(round, 100);
    const auto at = [&](std::size_t i) { return times[(first + i) % 100]; };
    const TrialRecord steps =
        run_simulated(mocks("synthetic", "replay").trial(), {0, round, 0}, {}, times);
    const auto& took = steps.raw_series.at("step");
    REQUIRE(took.size() >= 5);
    // One step is the warm-up.
    for (std::size_t i = 0; i < took.size(); ++i) CHECK(took[i] == at(i + 1));
    const TrialRecord fills =
        run_simulated(mocks("replay", "discard").trial(), {0, round, 0}, times);
    std::int64_t window = 0;
    for (std::size_t i = 0; i < fills.facts.window.steps; ++i) window += at(i + 1);
    CHECK(fills.facts.window.ns == window);
    CHECK(run_simulated(mocks("replay", "discard").trial(), {5, round, 2}, times).facts.window.ns ==
          window);
  }
}

TEST_CASE(
    "rounds: a short window sees other samples in each round, "
    "in any order, and an epoch stays whole",
    "[unit][trial]") {
  for (const char* access : {"sequential", "random"}) {
    INFO(access);
    TrialOfMocks mocks("synthetic", "discard",
                       {{"loader.batch_time", "1ms"},
                        {"loader.access", access},
                        {"loader.fill", "write"},
                        {"measure.warmup", "1ns"},
                        {"measure.window", "10ms"}});
    std::set<std::string> digests;
    for (std::uint32_t round = 0; round < 4; ++round) {
      const TrialRecord record = run_simulated(mocks.trial(), {0, round, 0});
      REQUIRE(record.status == Status::valid);
      digests.insert(record.facts.parts.batch_digest);
      CHECK(record.facts.accounting.duplicated == 0);
      CHECK(record.facts.accounting.missing == 0);
      if (std::string_view(access) == "sequential") {
        CHECK(record.facts.shuffle.displacement == 0);  // in storage order still
        CHECK(record.facts.shuffle.together == 1);
      }
    }
    CHECK(digests.size() == 4);
    mocks.change({{"measure.window", "500ms"}});  // several epochs
    const AccountingFacts whole = run_simulated(mocks.trial(), {0, 3, 0}).facts.accounting;
    CHECK(whole.duplicated == 0);
    CHECK(whole.missing == 0);
    CHECK(whole.delivered > 500);
  }
}

TEST_CASE(
    "mocks: a trial holds what each side was asked for and what it took, "
    "and nothing of parts that take no time",
    "[unit][trial]") {
  TrialOfMocks mocks(
      "synthetic", "timed",
      {{"loader.batch_time", "3ms"}, {"trainer.step_time", "2ms"}, {"measure.window", "50ms"}});
  for (const char* workers : {"0", "2"}) {
    INFO(workers);
    mocks.change({{"loader.num_workers", workers}});
    const PartFacts parts = run_simulated(mocks.trial()).facts.parts;
    CHECK(parts.trainer_mock.pieces >= 10);
    CHECK(parts.trainer_mock.asked_ns ==
          2'000'000 * static_cast<std::int64_t>(parts.trainer_mock.pieces));
    CHECK(parts.trainer_mock.taken_ns == parts.trainer_mock.asked_ns);
    CHECK(parts.loader_mock.pieces >= 10);
    CHECK(parts.loader_mock.asked_ns ==
          3'000'000 * static_cast<std::int64_t>(parts.loader_mock.pieces));
    CHECK(parts.loader_mock.taken_ns == parts.loader_mock.asked_ns);
    CHECK(parts.mock_fidelity == 1);
  }
  const PartFacts none =
      run_simulated(TrialOfMocks("synthetic", "discard", {{"loader.batch_time", "3ms"}}).trial())
          .facts.parts;
  CHECK(none.trainer_mock.pieces == 0);
  CHECK_FALSE(none.mock_fidelity);
}

// Virtual time makes nothing of writing them; who wants to see them says so.
TEST_CASE(
    "mocks: under the simulated clock images are written where that is asked for, labels always",
    "[unit][trial]") {
  const auto digest = [](TrialOfMocks::Changes changes) {
    TrialOfMocks mocks("synthetic", "discard",
                       {{"loader.batch_time", "1ms"}, {"measure.window", "10ms"}});
    mocks.change(changes);
    return run_simulated(mocks.trial()).facts.parts.batch_digest;
  };
  CHECK(digest({}) == digest({{"loader.fill", "none"}}));
  CHECK(digest({}) != digest({{"loader.fill", "write"}}));
  CHECK(digest({}) != digest({{"loader.classes", "2"}}));
}

}  // namespace benchbench::test
