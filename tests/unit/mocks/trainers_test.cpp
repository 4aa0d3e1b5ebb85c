#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/core/jobs.h"
#include "tests/unit/mocks/bench.h"

namespace benchbench::mock_trainers_test {

using Given = std::map<std::string, std::string>;
using test::DescribedSettings;
using test::RememberingMeter;
using test::Slot;

// A device that nobody asks anything of.
class NoDevice : public Device {
 public:
  std::string_view name() const noexcept override { return "cpu"; }
  std::string_view model() const noexcept override { return "none"; }
  std::byte* allocate(std::size_t, Memory) override { return nullptr; }
  void deallocate(std::byte*, std::size_t, Memory) noexcept override {}
};

std::unique_ptr<Trainer> make(std::string_view name, const Given& given, Runtime& runtime,
                              std::uint64_t seed = 0) {
  static NoDevice device;
  const PartRow& row = *built_in_catalog().find(PartKind::trainer, name);
  const DescribedSettings settings(*row.description, given);
  return row.maker.trainer(
      {.settings = settings, .batch = {}, .seed = seed, .runtime = runtime, .device = device});
}

BatchSpec one_byte() {
  BatchSpec spec;
  spec.count = 1;
  spec.tensor[0].row.rank = 0;
  return spec;
}

// The simulated times of `steps` steps with batches of `samples`.
std::vector<Nanoseconds> times(const Given& given, int steps, std::int64_t samples,
                               std::uint64_t seed = 0) {
  const auto runtime = make_simulated_runtime();
  std::vector<Nanoseconds> seen;
  test::run_simulated(*runtime, [&] {
    const auto trainer = make("timed", given, *runtime, seed);
    RememberingMeter meter;
    for (int k = 0; k < steps; ++k) {
      Slot slot(one_byte(), samples);
      slot.slot.batch = static_cast<BatchNumber>(k);
      StepContext context{static_cast<StepNumber>(k), meter};
      const TimePoint start = runtime->now();
      trainer->step(slot.lease(), context);
      seen.push_back(runtime->now() - start);
    }
    trainer->finish();
  });
  return seen;
}

TEST_CASE("discard trainer: it gives the batch back at once and takes no time", "[unit][mocks]") {
  const auto runtime = make_simulated_runtime();
  test::run_simulated(*runtime, [&] {
    const auto trainer = make("discard", {}, *runtime);
    RememberingMeter meter;
    Slot slot(one_byte(), 3);
    StepContext context{0, meter};
    trainer->step(slot.lease(), context);
    trainer->finish();
    if (slot.given_back != 1 || !std::isnan(trainer->loss()) || trainer->parameters() != 0)
      throw PartError("no");
  });
  CHECK(runtime->now() == TimePoint{});
}

TEST_CASE("timed trainer: a constant step takes its time plus its samples', to the nanosecond",
          "[unit][mocks]") {
  CHECK(times({{"step_time", "7ms"}}, 2, 5) == std::vector<Nanoseconds>(2, Nanoseconds{7'000'000}));
  CHECK(times({{"step_time", "7ms"}, {"sample_time", "10us"}}, 1, 5).at(0) ==
        Nanoseconds{7'050'000});
  CHECK(times({{"sample_time", "10us"}}, 1, 32).at(0) == Nanoseconds{320'000});
}

TEST_CASE("timed trainer: it keeps the batch until its step is over and bills the step",
          "[unit][mocks]") {
  const auto runtime = make_simulated_runtime();
  RememberingMeter meter;
  int given_back_midway = -1;
  int given_back = -1;
  test::run_simulated(*runtime, [&] {
    const auto trainer = make("timed", {{"step_time", "4ms"}}, *runtime);
    Slot slot(one_byte(), 1);
    test::Work watcher([&] {
      runtime->spend(Nanoseconds{3'999'999}, Spend::sleep);
      given_back_midway = slot.given_back;
    });
    const auto task = runtime->spawn("watcher", watcher);
    StepContext context{0, meter};
    trainer->step(slot.lease(), context);
    given_back = slot.given_back;
  });
  CHECK(given_back_midway == 0);
  CHECK(given_back == 1);
  CHECK(meter.stages[Stage::forward] == Nanoseconds{4'000'000});
}

TEST_CASE(
    "timed trainer: random steps have the mean asked "
    "for and depend on the batch and the seed alone",
    "[unit][mocks]") {
  const Given given = {{"step_time", "2ms"}, {"distribution", "exponential"}};
  const auto seen = times(given, 4000, 1);
  double sum = 0;
  for (const Nanoseconds t : seen) sum += to_seconds(t) * 1e3;
  CHECK(sum / 4000 == Approx(2).margin(4 * 2 / std::sqrt(4000)));
  CHECK(times(given, 50, 1) == std::vector<Nanoseconds>(seen.begin(), seen.begin() + 50));
  CHECK(times(given, 50, 1, 1) != times(given, 50, 1));
}

TEST_CASE("timed trainer: each sample's time is drawn apart, so that many even out",
          "[unit][mocks]") {
  const auto seen = times({{"sample_time", "1ms"}, {"distribution", "exponential"}}, 200, 100);
  double squares = 0;
  for (const Nanoseconds t : seen) squares += std::pow(to_seconds(t) * 1e3 - 100, 2);
  // One draw times 100 would scatter by 100.
  CHECK(std::sqrt(squares / 200) == Approx(10).epsilon(0.25));
}

}  // namespace benchbench::mock_trainers_test
