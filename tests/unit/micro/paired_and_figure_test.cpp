#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/micro/figures/figure.h"
#include "harness/micro/figures/paired.h"

namespace benchbench::micro {
namespace paired_test {

TEST_CASE(
    "in rounds: each side once a round, each first in turn, one round before them not counted",
    "[unit][micro]") {
  std::string order;
  double ours = 0;
  const Side sides[] = {[&] { return order += 'a', ours += 1; }, [&] { return order += 'b', 10.0; },
                        [&] { return order += 'c', 20.0; }};
  const auto times = in_rounds(4, sides);
  CHECK(order == "abcabcbcacababc");
  CHECK(times[0] == std::vector<double>{2, 3, 4, 5});  // its first was the round before
  CHECK(times[1] == std::vector<double>(4, 10.0));
  CHECK(ratios_of(times[2], times[1]) == std::vector<double>(4, 2.0));
}

// Time that passes only when a test says so; nothing waits in it.
class HandClock final : public Runtime {
 public:
  TimePoint now() const noexcept override { return time; }
  void spend_until(TimePoint deadline, Spend) override { time = deadline; }
  bool park(Waiter&, TimePoint) override { return false; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }
  TimePoint time{};
};

TEST_CASE("steady slice: what the warm-up takes is not timed, and either limit ends it",
          "[unit][micro]") {
  using std::chrono::milliseconds;
  HandClock clock;
  int got = 0;
  const auto batch = [&] {
    clock.spend(++got <= 4 ? milliseconds{500} : milliseconds{20}, Spend::sleep);
  };
  CHECK(steady_seconds_a_batch(clock, {4, 64, milliseconds{1'000'000}}, batch) == Approx(0.020));
  CHECK(got == 4 + 64);
  got = 0;
  CHECK(steady_seconds_a_batch(clock, {4, 64, milliseconds{100}}, batch) == Approx(0.020));
  CHECK(got == 4 + 5);
}

TEST_CASE("median interval: by order, so that one wild round moves nothing", "[unit][micro]") {
  std::vector<double> ratios;
  for (int i = 1; i <= 20; ++i) ratios.push_back(i);
  const Interval plain = median_interval(ratios);
  CHECK(plain.middle == Approx(10.5));
  CHECK(plain.low == 6);  // the 6th and the 15th of 20 hold the median in 95.9 % of samples
  CHECK(plain.high == 15);
  ratios.back() = 1e9;
  CHECK(median_interval(ratios).high == 15);
  const std::vector<double> few = {3, 1, 2};
  CHECK(median_interval(few).low == 1);
  CHECK(median_interval(few).middle == 2);
  CHECK(median_interval(few).high == 3);
  const std::vector<double> one = {4};
  CHECK(median_interval(one).low == 4);
  CHECK(median_interval(one).high == 4);
}

TEST_CASE("figure: reached, missed, and where the interval does not decide", "[unit][micro]") {
  const Figure figure{"it", "the peer", 0.95, nullptr};
  const std::vector<double> above(12, 0.97);
  CHECK(verdict_on(figure, above) ==
        "0.970 of the peer, 95 % interval 0.970..0.970, 12 rounds, goal 0.95: reached");
  const std::vector<double> below(12, 0.9);
  CHECK(verdict_on(figure, below) ==
        "0.900 of the peer, 95 % interval 0.900..0.900, 12 rounds, goal 0.95: missed");
  std::vector<double> around(6, 0.94);
  around.insert(around.end(), 7, 0.96);
  CHECK(verdict_on(figure, around) ==
        "0.960 of the peer, 95 % interval 0.940..0.960, 13 rounds, "
        "goal 0.95: not shown: the interval contains the goal");
  std::vector<double> lower(7, 0.94);
  lower.insert(lower.end(), 6, 0.96);
  CHECK(
      verdict_on(figure, lower).ends_with("goal 0.95: not shown: the interval contains the goal"));
  const std::vector<double> just(12, 0.95);
  CHECK(verdict_on(figure, just).ends_with(": reached"));
  const std::vector<double> large(9, 1234.5);
  CHECK(verdict_on({"it", "the peer", 30, nullptr}, large).starts_with("1234 of the peer"));
}

}  // namespace paired_test
}  // namespace benchbench::micro
