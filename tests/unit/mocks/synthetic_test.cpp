#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>

#include "harness/core/digest.h"
#include "tests/unit/core/jobs.h"
#include "tests/unit/mocks/bench.h"

namespace benchbench::synthetic_test {

using Given = std::map<std::string, std::string>;
using test::DescribedSettings;
using test::RememberingMeter;
using test::samples_from;
using test::Slot;

const PartRow& row() { return *built_in_catalog().find(PartKind::loader, "synthetic"); }

std::unique_ptr<Loader> make(Given given, std::uint64_t seed = 0) {
  given.insert({{"height", "4"}, {"width", "6"}});
  const DescribedSettings settings(*row().description, given);
  return row().maker.loader({.settings = settings, .dataset = {}, .seed = seed});
}

// The simulated time that one fill takes.
Nanoseconds time_of_fill(Loader& loader, const BatchRequest& request, RememberingMeter& meter) {
  const auto runtime = make_simulated_runtime();
  test::run_simulated(*runtime, [&] { loader.worker(0, *runtime)->fill(request, meter); });
  return runtime->now().time_since_epoch();
}
Nanoseconds time_of_batch(Loader& loader, std::size_t samples, BatchNumber batch,
                          std::size_t first = 0) {
  Slot slot(loader.spec(), static_cast<std::int64_t>(first + samples));
  const auto refs = samples_from(batch * 1000, samples);
  RememberingMeter meter;
  return time_of_fill(loader, {3, batch, refs, slot.rows(first, samples)}, meter);
}

TEST_CASE("synthetic loader: constant times are the batch's plus its samples', to the nanosecond",
          "[unit][mocks]") {
  const auto loader = make({{"batch_time", "5ms"}, {"sample_time", "300us"}});
  CHECK(time_of_batch(*loader, 8, 0) == Nanoseconds{7'400'000});
  CHECK(time_of_batch(*loader, 3, 1) == Nanoseconds{5'900'000});
  CHECK(time_of_batch(*make({}), 8, 0) == Nanoseconds{0});
}

TEST_CASE(
    "synthetic loader: where workers share a batch, "
    "its own time falls to the part with the first row",
    "[unit][mocks]") {
  const auto loader = make({{"batch_time", "5ms"}, {"sample_time", "1ms"}});
  CHECK(time_of_batch(*loader, 4, 0, 0) == Nanoseconds{9'000'000});
  CHECK(time_of_batch(*loader, 4, 0, 4) == Nanoseconds{4'000'000});
}

struct Moments {
  double mean;
  double deviation;
};
Moments moments(Loader& loader, std::size_t samples) {
  constexpr int kBatches = 4000;
  double sum = 0;
  double squares = 0;
  for (BatchNumber b = 0; b < kBatches; ++b) {
    const double ms = to_seconds(time_of_batch(loader, samples, b)) * 1e3;
    sum += ms;
    squares += ms * ms;
  }
  const double mean = sum / kBatches;
  return {mean, std::sqrt(squares / kBatches - mean * mean)};
}

TEST_CASE(
    "synthetic loader: random times have the mean asked for and the scatter of their distribution",
    "[unit][mocks]") {
  const auto check = [](const Given& given, double deviation) {
    const auto seen = moments(*make(given), 1);
    CHECK(seen.mean == Approx(2).margin(4 * deviation / std::sqrt(4000)));
    CHECK(seen.deviation == Approx(deviation).epsilon(0.1));
  };
  for (const char* key : {"batch_time", "sample_time"}) {
    check({{key, "2ms"}, {"distribution", "exponential"}}, 2);
    check({{key, "2ms"}, {"distribution", "uniform"}, {"spread", "0.9"}}, 2 * 0.9 / std::sqrt(3));
    check({{key, "2ms"}, {"distribution", "lognormal"}, {"spread", "0.5"}},
          2 * std::sqrt(std::exp(0.25) - 1));
  }
}

TEST_CASE(
    "synthetic loader: a batch takes the same time whichever worker makes it, "
    "and another with another seed",
    "[unit][mocks]") {
  const Given given = {{"batch_time", "2ms"}, {"distribution", "exponential"}};
  const auto loader = make(given);
  const auto again = make(given);
  const auto other = make(given, 1);
  int same_as_other = 0;
  Nanoseconds last{0};
  for (BatchNumber b = 0; b < 20; ++b) {
    const Nanoseconds time = time_of_batch(*loader, 2, b);
    CHECK(time == time_of_batch(*again, 2, b));
    CHECK(time != last);
    last = time;
    same_as_other += time == time_of_batch(*other, 2, b);
  }
  CHECK(same_as_other == 0);
}

TEST_CASE("synthetic loader: uniform times that could be negative are refused", "[unit][mocks]") {
  CHECK_THROWS_AS(make({{"distribution", "uniform"}, {"spread", "1.5"}}), ScenarioError);
  CHECK_NOTHROW(make({{"distribution", "lognormal"}, {"spread", "1.5"}}));
}

TEST_CASE("synthetic loader: every byte is written and depends on the sample alone",
          "[unit][mocks]") {
  for (const char* dtype : {"uint8", "float32"}) {
    const auto loader = make({{"dtype", dtype}, {"classes", "10"}, {"width", "7"}});
    RememberingMeter meter;
    const auto fill = [&](std::byte background, SampleId first) {
      Slot slot(loader->spec(), 5);
      for (auto& tensor : slot.memory) std::fill(tensor.begin(), tensor.end(), background);
      const auto refs = samples_from(first, 5);
      time_of_fill(*loader, {0, 0, refs, slot.rows(0, 5)}, meter);
      return slot.memory;
    };
    const auto one = fill(std::byte{0}, 37);
    const auto two = fill(std::byte{0xff}, 37);
    CHECK(one == two);  // nothing of the background is left
    CHECK(one[0] != fill(std::byte{0}, 38)[0]);
    const std::size_t row_bytes = loader->spec().tensor[0].bytes_per_row();
    CHECK(std::memcmp(one[0].data() + row_bytes, fill(std::byte{0}, 38)[0].data(), row_bytes) == 0);
    std::int64_t label = -1;
    std::memcpy(&label, one[1].data() + 8, 8);
    CHECK(label == 8);
    if (std::string_view(dtype) == "float32")
      for (std::size_t at = 0; at < one[0].size(); at += 4) {
        float value;
        std::memcpy(&value, one[0].data() + at, 4);
        REQUIRE(std::abs(value) <= 1.0F);
      }
  }
}

TEST_CASE("synthetic loader: fill: none leaves the image alone and still labels it",
          "[unit][mocks]") {
  const auto loader = make({{"fill", "none"}});
  Slot slot(loader->spec(), 2);
  std::fill(slot.memory[0].begin(), slot.memory[0].end(), std::byte{0x5a});
  const auto before = slot.memory[0];
  const auto refs = samples_from(7, 2);
  RememberingMeter meter;
  time_of_fill(*loader, {0, 0, refs, slot.rows(0, 2)}, meter);
  CHECK(slot.memory[0] == before);
  CHECK(static_cast<int>(slot.memory[1][0]) == 7);
}

TEST_CASE("synthetic loader: its time is billed to its stages, without a gap", "[unit][mocks]") {
  const auto loader = make({{"batch_time", "5ms"}});
  Slot slot(loader->spec(), 1);
  const auto refs = samples_from(0, 1);
  RememberingMeter meter;
  const Nanoseconds time = time_of_fill(*loader, {0, 0, refs, slot.rows(0, 1)}, meter);
  CHECK(meter.stages[Stage::collate] + meter.stages[Stage::decode] == time);
}

// Every look at its clock takes a millisecond, so that time passes while a payload is written.
class SteppingRuntime : public Runtime {
 public:
  TimePoint now() const noexcept override { return time_ += std::chrono::milliseconds{1}; }
  void spend_until(TimePoint deadline, Spend) override { deadlines.push_back(deadline); }
  bool park(Waiter&, TimePoint) override { return false; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return false; }
  std::vector<TimePoint> deadlines;

 private:
  mutable TimePoint time_{};
};

TEST_CASE("synthetic loader: the payload's writing is inside its time, not on top",
          "[unit][mocks]") {
  const auto loader = make({{"batch_time", "60ms"}});
  Slot slot(loader->spec(), 2);
  const auto refs = samples_from(0, 2);
  RememberingMeter meter;
  SteppingRuntime runtime;
  loader->worker(0, runtime)->fill({0, 0, refs, slot.rows(0, 2)}, meter);
  REQUIRE(runtime.deadlines.size() == 1);
  // The time counts from fill()'s first look; the worker's making had one.
  CHECK(runtime.deadlines[0] == TimePoint{std::chrono::milliseconds{2 + 60}});
  CHECK(meter.stages[Stage::collate] > Nanoseconds{0});
}

}  // namespace benchbench::synthetic_test
