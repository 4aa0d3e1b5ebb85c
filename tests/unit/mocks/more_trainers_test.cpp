#include <catch2/catch.hpp>
#include <cmath>

#include "mocks/trainers/byte_sum.h"
#include "tests/unit/core/jobs.h"
#include "tests/unit/mocks/bench.h"

namespace benchbench::more_trainers_test {

using Given = std::map<std::string, std::string>;
using test::DescribedSettings;
using test::RememberingMeter;
using test::Slot;

constexpr std::int64_t kMs = 1'000'000;

// A device that nobody asks anything of.
class NoDevice : public Device {
 public:
  std::string_view name() const noexcept override { return "cpu"; }
  std::string_view model() const noexcept override { return "none"; }
  std::byte* allocate(std::size_t, Memory) override { return nullptr; }
  void deallocate(std::byte*, std::size_t, Memory) noexcept override {}
};

std::unique_ptr<Trainer> make(std::string_view name, const Given& given, Runtime& runtime,
                              std::span<const std::int64_t> times = {},
                              std::uint64_t first_time = 0) {
  static NoDevice device;
  const PartRow& row = *built_in_catalog().find(PartKind::trainer, name);
  const DescribedSettings settings(*row.description, given);
  return row.maker.trainer({.settings = settings,
                            .batch = {},
                            .batch_size = 4,
                            .runtime = runtime,
                            .device = device,
                            .times = times,
                            .first_time = first_time});
}

BatchSpec thousand_bytes() {
  BatchSpec spec;
  spec.count = 1;
  spec.tensor[0].row.rank = 1;
  spec.tensor[0].row.extent = {1000};
  return spec;
}

struct Steps {
  std::vector<std::int64_t> took;  // ns
  std::vector<double> losses;
  RememberingMeter meter;
  double fidelity = 0;
  int given_back = 0;
};

// Steps with batches of 4 rows of 1000 bytes, in virtual time, one right after another.
Steps steps(std::string_view name, const Given& given, int count,
            std::span<const std::int64_t> times = {}, std::uint64_t first_time = 0) {
  const auto runtime = make_simulated_runtime();
  Steps seen;
  std::vector<std::unique_ptr<Slot>> slots;
  test::run_simulated(*runtime, [&] {
    const auto trainer = make(name, given, *runtime, times, first_time);
    for (int k = 0; k < count; ++k) {
      Slot& slot = *slots.emplace_back(std::make_unique<Slot>(thousand_bytes(), 4));
      slot.slot.batch = static_cast<BatchNumber>(k);
      StepContext context{static_cast<StepNumber>(k), seen.meter};
      const TimePoint start = runtime->now();
      trainer->step(slot.lease(), context);
      seen.took.push_back((runtime->now() - start).count());
      seen.losses.push_back(trainer->loss());
    }
    for (const auto& slot : slots) seen.given_back += slot->given_back;
    seen.fidelity = trainer->mock_time().fidelity();
    trainer->finish();
  });
  return seen;
}

TEST_CASE("timed trainer: the copy takes bytes x factor / bandwidth before the step",
          "[unit][mocks]") {
  const Steps plain = steps("timed", {{"step_time", "2ms"}, {"copy_bandwidth", "1MB/s"}}, 3);
  CHECK(plain.took == std::vector<std::int64_t>(3, 6 * kMs));
  CHECK(plain.meter.stages.at(Stage::h2d).count() == 12 * kMs);
  CHECK(plain.meter.stages.at(Stage::forward).count() == 6 * kMs);
  const Steps floats = steps("timed", {{"copy_bandwidth", "1MB/s"}, {"copy_factor", "2.5"}}, 1);
  CHECK(floats.took.at(0) == 10 * kMs);
  const Steps none = steps("timed", {{"step_time", "2ms"}}, 1);
  CHECK(none.took.at(0) == 2 * kMs);
  CHECK_FALSE(none.meter.stages.contains(Stage::h2d));
}

TEST_CASE(
    "timed trainer: in virtual time it is true to the scenario, "
    "and without a time there is nothing to be true to",
    "[unit][mocks]") {
  CHECK(steps("timed", {{"step_time", "2ms"}, {"distribution", "exponential"}}, 50).fidelity == 1);
  CHECK(std::isnan(steps("timed", {}, 2).fidelity));
}

// A real runtime's behaviour without its noise: waits end late, and time passes between steps.
class LateRuntime : public Runtime {
 public:
  TimePoint now() const noexcept override { return time; }
  void spend_until(TimePoint deadline, Spend) override { time = std::max(time, deadline + late); }
  bool park(Waiter&, TimePoint) override { return false; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return false; }
  TimePoint time{};
  Nanoseconds late = std::chrono::microseconds{40};
};

// Where 100 steps of 1 ms end, in us, with 10 us from the end of one to the call of the next,
// `between` us of other work in the thread and the batch there `filled_after` us after the end of
// the step before.
std::int64_t end_of_steps(std::int64_t between, std::int64_t filled_after) {
  LateRuntime runtime;
  const auto trainer = make("timed", {{"step_time", "1ms"}}, runtime);
  RememberingMeter meter;
  Slot slot(thousand_bytes(), 4);
  for (StepNumber k = 0; k < 100; ++k) {
    const TimePoint end = runtime.time;
    const TimePoint free = end + std::chrono::microseconds{between};
    const TimePoint filled = end + std::chrono::microseconds{filled_after};
    runtime.time = std::max(free, filled) + std::chrono::microseconds{10};
    StepContext context{k, meter, free, filled};
    trainer->step(slot.lease(), context);
  }
  return runtime.time.time_since_epoch().count() / 1000;
}

TEST_CASE("timed trainer: a step makes good what the last one overran, and no get, work or waiting",
          "[unit][mocks]") {
  // Each step takes the 10 us before its call and its own 1 ms; the 40 us are taken once.
  CHECK(end_of_steps(0, -500) == 100 * 1010 + 40);
  CHECK(end_of_steps(300, -500) == 100 * 1310 + 40);
  // The batch came after the late end, so that nothing is made good: 200 us of waiting, not 160.
  CHECK(end_of_steps(0, 200) == 100 * 1250);
  // It came 15 us before the late end: as much is made good, and 25 us are not.
  CHECK(end_of_steps(0, -15) == 100 * 1035 + 15);
}

// A trainer of 2 ms gets each batch after another time, 0 to 5 ms, though all of them were there.
struct LateGets {
  std::vector<Nanoseconds> took;  // each step, by its meter
  MockTime time;
};

LateGets steps_after_late_gets(int count, const char* name, const Given& given,
                               std::span<const std::int64_t> times = {}) {
  LateRuntime runtime;
  const auto trainer = make(name, given, runtime, times);
  Slot slot(thousand_bytes(), 4);
  LateGets seen;
  Random random(9);
  for (StepNumber k = 0; k < static_cast<StepNumber>(count); ++k) {
    RememberingMeter meter;
    const TimePoint free = runtime.time;
    runtime.time += Nanoseconds{static_cast<std::int64_t>(random.below(5 * kMs + 1))};
    StepContext context{k, meter, free, TimePoint{}};
    trainer->step(slot.lease(), context);
    seen.took.push_back(meter.stages.at(Stage::forward));
  }
  seen.time = trainer->mock_time();
  return seen;
}

TEST_CASE("timed trainer: a step is never shorter than set because the get before it was late",
          "[unit][mocks]") {
  const std::vector<std::int64_t> times = {2 * kMs};
  const std::pair<const char*, Given> made[] = {{"timed", {{"step_time", "2ms"}}},
                                                {"replay", {{"times", "x.csv"}}},
                                                {"faulty", {{"step_time", "2ms"}}},
                                                {"roofline", {{"wait_time", "2ms"}}}};
  for (const auto& [name, given] : made) {
    INFO(name);
    const LateGets seen = steps_after_late_gets(
        200, name, given,
        std::string_view(name) == "replay" ? std::span(times) : std::span<const std::int64_t>{});
    // Each wait ends 40 us late, which the next step makes good: what is left is the first one's.
    CHECK(seen.took.front() == Nanoseconds{2 * kMs + 40'000});
    for (std::size_t k = 1; k < seen.took.size(); ++k)
      REQUIRE(seen.took[k] == Nanoseconds{2 * kMs});
    CHECK(seen.time.asked == Nanoseconds{200 * 2 * kMs});
    CHECK(seen.time.taken == Nanoseconds{200 * 2 * kMs + 40'000});
  }
}

TEST_CASE("replay trainer: step k takes the time number k, round and round", "[unit][mocks]") {
  const std::vector<std::int64_t> times = {40, 0, 7000};
  const Steps seen = steps("replay", {{"times", "x.csv"}}, 7, times);
  CHECK(seen.took == std::vector<std::int64_t>{40, 0, 7000, 40, 0, 7000, 40});
  CHECK(seen.fidelity == 1);
  CHECK(steps("replay", {{"times", "x.csv"}}, 5, times, 2).took ==
        std::vector<std::int64_t>{7000, 40, 0, 7000, 40});
  const auto runtime = make_simulated_runtime();
  CHECK_THROWS_AS(make("replay", {{"times", "x.csv"}}, *runtime), ScenarioError);
}

TEST_CASE("roofline: max takes the longest of arithmetic, memory and wait; sum all three",
          "[unit][mocks]") {
  Given given = {{"step_flops", "1e6"}, {"sample_flops", "0.5e6"}, {"flop_rate", "1e9/s"},
                 {"step_bytes", "2MB"}, {"sample_bytes", "1MB"},   {"memory_rate", "1GB/s"},
                 {"wait_time", "5ms"}};
  CHECK(steps("roofline", given, 1).took.at(0) == 6 * kMs);  // arithmetic 3, memory 6, wait 5
  given["blend"] = "sum";
  const Steps sum = steps("roofline", given, 2);
  CHECK(sum.took == std::vector<std::int64_t>(2, 14 * kMs));
  CHECK(sum.meter.stages.at(Stage::forward).count() == 28 * kMs);
  CHECK(sum.fidelity == 1);
  CHECK(std::isnan(steps("roofline", {}, 1).fidelity));
}

TEST_CASE(
    "roofline: on the real clock it is never early, "
    "and it uses the core for its arithmetic and not its wait",
    "[unit][mocks]") {
  const auto runtime = make_real_runtime();
  RememberingMeter meter;
  Slot slot(thousand_bytes(), 4);
  const auto cpu_of = [&](const Given& given, Nanoseconds min) {
    const auto trainer = make("roofline", given, *runtime);
    const TimePoint start = runtime->now();
    const Nanoseconds before = runtime->thread_cpu_time();
    StepContext context{0, meter};
    trainer->step(slot.lease(), context);
    const Nanoseconds used = runtime->thread_cpu_time() - before;
    CHECK(runtime->now() - start >= min);
    CHECK(trainer->mock_time().fidelity() >= 1);
    return used;
  };
  // A machine that is shared may give the core to others for a while, so that only orders are
  // compared.
  const Nanoseconds busy =
      cpu_of({{"step_flops", "50e6"}, {"flop_rate", "1e9/s"}}, Nanoseconds{50 * kMs});
  const Nanoseconds idle = cpu_of({{"wait_time", "50ms"}}, Nanoseconds{50 * kMs});
  CHECK(busy > idle);
  cpu_of(
      {{"step_bytes", "1MB"}, {"memory_rate", "100MB/s"}, {"blend", "sum"}, {"wait_time", "2ms"}},
      Nanoseconds{12 * kMs});
}

TEST_CASE("touch: its checksum sees every byte and its place, and it takes no virtual time",
          "[unit][mocks]") {
  const auto loss_of = [](const std::vector<std::byte>& bytes) {
    const auto runtime = make_simulated_runtime();
    double loss = 0;
    Slot slot(thousand_bytes(), 4);
    slot.memory[0] = bytes;
    slot.slot.tensors[0].data = slot.memory[0].data();
    test::run_simulated(*runtime, [&] {
      const auto trainer = make("touch", {}, *runtime);
      RememberingMeter meter;
      StepContext context{0, meter};
      trainer->step(slot.lease(), context);
      loss = trainer->loss();
    });
    CHECK(runtime->now() == TimePoint{});
    CHECK(slot.given_back == 1);
    return loss;
  };
  std::vector<std::byte> bytes(4000);
  Random random(3);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  const double loss = loss_of(bytes);
  CHECK(loss >= 1);
  CHECK(loss < 2);
  CHECK(loss_of(bytes) == loss);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::vector<std::byte> other = bytes;
    other[at] ^= std::byte{1};
    REQUIRE(loss_of(other) != loss);
  }
  std::vector<std::byte> swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 1000, swapped.begin() + 1000);  // two rows
  CHECK(loss_of(swapped) != loss);
  std::vector<std::byte> blocks = bytes;
  std::swap_ranges(blocks.begin(), blocks.begin() + 64, blocks.begin() + 64);
  CHECK(loss_of(blocks) != loss);
}

TEST_CASE("byte sum: ends that fill no block count", "[unit][mocks]") {
  std::vector<std::byte> bytes(130, std::byte{0});
  const auto sum_of = [](std::span<const std::byte> b) {
    ByteSum sum;
    sum.add(b);
    return sum.value();
  };
  const std::uint64_t before = sum_of(bytes);
  for (std::byte& b : bytes) {
    b = std::byte{0x80};
    CHECK(sum_of(bytes) != before);
    b = std::byte{0};
  }
}

TEST_CASE("faulty trainer: without a fault it is the timed one, with a stall every N steps",
          "[unit][mocks]") {
  const Given given = {{"step_time", "2ms"}, {"distribution", "exponential"}};
  const Steps well = steps("timed", given, 30);
  CHECK(steps("faulty", given, 30).took == well.took);
  Given slow = given;
  slow.insert({{"slow_step_every", "10"}, {"slow_step_time", "100ms"}});
  const Steps stalls = steps("faulty", slow, 30);
  for (std::size_t k = 0; k < 30; ++k)
    CHECK(stalls.took[k] - well.took[k] == ((k + 1) % 10 == 0 ? 100 * kMs : 0));
}

TEST_CASE("faulty trainer: the loss is a number until it is none", "[unit][mocks]") {
  const Steps seen = steps("faulty", {{"fault", "nan_loss"}, {"after", "3"}}, 5);
  for (std::size_t k = 0; k < 5; ++k) CHECK(std::isnan(seen.losses[k]) == (k >= 3));
}

TEST_CASE(
    "faulty trainer: it keeps batches that it said it would not keep, "
    "and gives them back at the end",
    "[unit][mocks]") {
  const Steps seen = steps("faulty", {{"fault", "holds_lease"}, {"after", "3"}}, 8);
  CHECK(seen.given_back == 3);
  CHECK(steps("faulty", {{"after", "3"}}, 8).given_back == 8);
}

TEST_CASE(
    "faulty trainer: it throws after the steps it was told, "
    "and a hang in virtual time is a deadlock",
    "[unit][mocks]") {
  CHECK_NOTHROW(steps("faulty", {{"fault", "throw"}, {"after", "3"}}, 3));
  CHECK_THROWS_WITH(steps("faulty", {{"fault", "throw"}, {"after", "3"}}, 4),
                    Catch::Contains("injected fault"));
  CHECK_THROWS_WITH(steps("faulty", {{"fault", "hang"}, {"after", "0"}}, 1),
                    Catch::Contains("deadlock"));
}

}  // namespace benchbench::more_trainers_test
