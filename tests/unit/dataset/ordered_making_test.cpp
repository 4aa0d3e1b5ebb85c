#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/dataset/ordered_making.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::ordered_making_test {

using test::run_simulated;

// A source whose sample `id` is the 8 bytes of id; makers take a random time each, and sample `bad`
// throws.
class Numbers final : public SampleSource {
 public:
  PayloadSpec payload() const override { return {}; }
  explicit Numbers(std::uint64_t samples, SampleId bad = ~0ull) : samples_(samples), bad_(bad) {}
  std::uint64_t samples() const override { return samples_; }
  std::uint64_t bytes_estimate() const override { return 8 * samples_; }
  std::int64_t label(SampleId) const override { return 0; }
  std::string name(SampleId) const override { return "x"; }
  std::string text() const override { return "numbers"; }
  SampleMaker maker(Runtime& runtime) const override {
    return [this, &runtime](SampleId id, const PayloadSink& sink) {
      runtime.spend(Nanoseconds{static_cast<std::int64_t>(mix(id) % 1000000)}, Spend::sleep);
      if (id == bad_) throw PartError("sample 17 is bad");
      sink(std::as_bytes(std::span(&id, 1)));
    };
  }

 private:
  std::uint64_t samples_;
  SampleId bad_;
};

std::vector<SampleId> taken(const Numbers& numbers, unsigned threads, const std::atomic<bool>& stop,
                            SampleId fail_at = ~0ull) {
  const auto runtime = make_simulated_runtime();
  std::vector<SampleId> order;
  std::exception_ptr error;
  run_simulated(*runtime, [&] {
    try {
      make_in_order(numbers, *runtime, threads, stop,
                    [&](SampleId id, std::span<const std::byte> bytes) {
                      if (id == fail_at) throw StoreError("the taker has enough");
                      SampleId held = 0;
                      std::memcpy(&held, bytes.data(), sizeof held);
                      CHECK(held == id);
                      order.push_back(id);
                    });
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  return order;
}

TEST_CASE("ordered making: many makers, one order", "[unit][dataset]") {
  const std::atomic<bool> stop{false};
  for (const unsigned threads : {1u, 2u, 7u}) {
    const auto order = taken(Numbers(500), threads, stop);
    REQUIRE(order.size() == 500);
    for (SampleId id = 0; id < 500; ++id) CHECK(order[id] == id);
  }
  CHECK(taken(Numbers(1), 8, stop).size() == 1);
  CHECK(taken(Numbers(0), 2, stop).empty());
}

TEST_CASE("ordered making: makers work at the same time", "[unit][dataset]") {
  const auto time_with = [](unsigned threads) {
    const auto runtime = make_simulated_runtime();
    const std::atomic<bool> stop{false};
    Nanoseconds time{};
    run_simulated(*runtime, [&] {
      const TimePoint start = runtime->now();
      make_in_order(Numbers(400), *runtime, threads, stop,
                    [](SampleId, std::span<const std::byte>) {});
      time = runtime->now() - start;
    });
    return to_seconds(time);
  };
  CHECK(time_with(1) / time_with(4) > 3.5);
}

TEST_CASE("ordered making: the first error ends it, a maker's or the taker's", "[unit][dataset]") {
  const std::atomic<bool> stop{false};
  CHECK_THROWS_AS(taken(Numbers(500, 17), 4, stop), PartError);
  CHECK_THROWS_AS(taken(Numbers(500), 4, stop, 20), StoreError);
}

TEST_CASE("ordered making: stop ends it", "[unit][dataset]") {
  const std::atomic<bool> stop{true};
  CHECK_THROWS_AS(taken(Numbers(500), 4, stop), InterruptedError);
}

}  // namespace benchbench::ordered_making_test
