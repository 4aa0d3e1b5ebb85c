#include "harness/app/wrap/schedule/round_lengths.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace round_lengths_test {

using namespace std::chrono_literals;

WrapLoop loop_with(Nanoseconds batch, std::uint64_t workers = 2) {
  WrapLoop loop;
  loop.batch = loop.step = batch;
  loop.workers = workers, loop.prefetched = 2 * workers;
  return loop;
}

WrapOrder order_with(std::optional<Nanoseconds> budget = {}) {
  WrapOrder order;
  order.stretch = 1s;
  order.budget = budget;
  return order;
}

WrapOrder with_default_budget() {
  WrapOrder order = order_with();
  order.least = 60s, order.most = 300s;
  return order;
}

TEST_CASE("rounds have what they need", "[wrap]") {
  const RoundLengths found = plan_rounds(order_with(), loop_with(1ms), 3);
  CHECK(found.rounds == 5);
  CHECK(found.stretch == 1s);
  CHECK(found.batches == 16);
  CHECK_FALSE(found.cut);
  CHECK(found.expected > 15s);
  CHECK(found.expected < 15500ms);
}

TEST_CASE("slow batches make longer stretches, in whole groups of the workers", "[wrap]") {
  CHECK(plan_rounds(order_with(), loop_with(200ms), 3).stretch == 16 * 200ms);
  CHECK(plan_rounds(order_with(), loop_with(1ms, 5), 3).batches == 20);
}

TEST_CASE("time that is left makes stretches longer", "[wrap]") {
  const RoundLengths found = plan_rounds(with_default_budget(), loop_with(1ms), 3);
  CHECK(found.rounds == 5);
  CHECK(found.expected > 59s);
  CHECK(found.expected < 61s);
  CHECK(found.stretch > 3900ms);
  CHECK(found.stretch < 4100ms);
}

TEST_CASE("a small budget makes stretches shorter, then rounds fewer", "[wrap]") {
  const RoundLengths shorter = plan_rounds(order_with(50s), loop_with(100ms), 3);
  CHECK(shorter.rounds == 5);
  CHECK(shorter.cut);
  CHECK(shorter.stretch < 16 * 100ms);
  CHECK(shorter.expected <= 50s);
  const RoundLengths fewer = plan_rounds(order_with(120s), loop_with(1s), 3);
  CHECK(fewer.rounds < 5);
  CHECK(fewer.batches >= 4);
  CHECK(fewer.expected <= 120s);
}

TEST_CASE("rounds that were asked for are shorter, and fewer only where the least have no room",
          "[wrap]") {
  WrapOrder usual = order_with(20s), exact = usual;
  usual.rounds = exact.rounds = 6;
  exact.exact = true;
  const WrapLoop loop = loop_with(85ms);  // six of the least take 18.4 s
  CHECK(plan_rounds(usual, loop, 3).rounds < 6);
  const RoundLengths found = plan_rounds(exact, loop, 3);
  CHECK(found.rounds == 6);
  CHECK(found.distinct == 4);
  CHECK(found.expected < 20s);
  CHECK(plan_rounds(exact, loop_with(500ms), 3).rounds == 1);
}

TEST_CASE("no stretch is shorter than can be used, and a round is the least", "[wrap]") {
  const RoundLengths found = plan_rounds(order_with(1s), loop_with(1ms), 3);
  CHECK(found.stretch >= kLeastStretch);
  CHECK(found.rounds < 5);
  CHECK(plan_rounds(order_with(1s), loop_with(10s), 3).rounds == 1);
}

TEST_CASE("a budget is kept", "[wrap]") {
  for (const Nanoseconds batch :
       {Nanoseconds{100us}, Nanoseconds{1ms}, Nanoseconds{30ms}, Nanoseconds{300ms}})
    for (const std::uint64_t workers : {0u, 1u, 8u}) {
      const RoundLengths found = plan_rounds(order_with(100s), loop_with(batch, workers), 3);
      CHECK(found.expected <= found.ends_after);
      CHECK(found.ends_after == 100s);
    }
}

TEST_CASE("slow steps hold fewer batches for T", "[wrap]") {
  const RoundLengths one = plan_rounds(with_default_budget(), loop_with(1s), 3);
  CHECK(one.distinct == 16);
  CHECK_FALSE(one.needed);
  const RoundLengths four = plan_rounds(with_default_budget(), loop_with(4s), 3);
  CHECK(four.distinct == 4);
  CHECK(four.batches == 4);
  CHECK_FALSE(four.needed);
  CHECK(four.expected <= 300s);
}

// 2 workers: F has 2 + 4 steps, 4 are held, T has 2 + 4; L has 2 + 4 and the 4 that are prefetched,
// where it is known how long they take.
TEST_CASE("the budget that one round needs is known", "[wrap]") {
  for (const auto& [step, steps] : {std::pair{Nanoseconds{4s}, 16}, {Nanoseconds{3s}, 26}}) {
    WrapLoop loop = loop_with(4s);
    loop.step = step;
    const Nanoseconds needed = steps * 5s;
    CHECK_FALSE(plan_rounds(order_with(needed + 1ns), loop, 3).needed);
    CHECK(plan_rounds(order_with(needed - 4ns), loop, 3).needed == needed);
  }
  CHECK_FALSE(plan_rounds(order_with(1s), loop_with(4s), 1).needed);
}

TEST_CASE("short epochs take longer", "[wrap]") {
  WrapLoop loop = loop_with(10ms);
  loop.epoch_batches = 2, loop.epoch_beginning = 90ms;
  const RoundLengths quick = plan_rounds(order_with(), loop_with(10ms), 3),
                     slow = plan_rounds(order_with(), loop, 3);
  CHECK(slow.stretch == quick.stretch);
  CHECK(slow.expected / quick.expected == 11);
  CHECK(plan_rounds(order_with(30s), loop, 3).expected < 30s);
  loop.epoch_batches = 100, loop.epoch_beginning = 0ns;  // 6 are not counted
  const double ratio = static_cast<double>(plan_rounds(order_with(), loop, 3).expected.count()) /
                       static_cast<double>(quick.expected.count());
  CHECK(ratio == Approx(100.0 / 94).epsilon(1e-6));
  loop.is_rank = true;
  CHECK(plan_rounds(order_with(), loop, 3).expected == quick.expected);
}

TEST_CASE("a search leaves most of the budget for its own rounds", "[wrap]") {
  const RoundLengths first = plan_rounds_of_search(order_with(600s), loop_with(1ms), 3);
  CHECK(first.stretch == 1s);
  CHECK(first.ends_after == 600s);
  const RoundLengths cut = plan_rounds_of_search(order_with(20s), loop_with(1ms), 3);
  CHECK(cut.ends_after == 20s);
  CHECK(cut.expected <= 16s);
}

TEST_CASE("first rounds end with the epoch", "[wrap]") {
  WrapLoop loop = loop_with(20ms);
  loop.prefetched = 4;
  const RoundLengths lengths = plan_rounds(with_default_budget(), loop, 3);
  const auto within = [&](std::optional<std::uint64_t> left, Nanoseconds batch = 20ms) {
    WrapLoop of = loop;
    of.epoch_left = left, of.batch = of.step = batch;
    const ShortRounds found = fit_in_epoch(lengths, of);
    return std::vector<std::uint64_t>{found.rounds, found.batches, found.distinct};
  };
  using Found = std::vector<std::uint64_t>;
  const std::uint64_t whole = static_cast<std::uint64_t>(lengths.stretch / 20ms);
  CHECK(within(std::nullopt) == Found{0, 0, 16});
  CHECK(within(5 * (2 * whole + 30)) == Found{0, 0, 16});
  CHECK(within(5 * (2 * whole + 30) - 1)[0] == 5);
  for (const std::uint64_t left : {100u, 215u, 400u, 900u}) {
    const Found found = within(left);
    CHECK(found[0] * (2 * found[1] + 30) <= left);
    CHECK(found[1] >= 16);
    CHECK(found[2] == 16);
  }
  CHECK(within(215) == Found{3, 20, 16});
  CHECK(within(62) == Found{1, 16, 16});
  CHECK(within(61) == Found{1, 20, 4});  // one round of the least length
  CHECK(within(30) == Found{1, 6, 4});
  CHECK(within(29) == Found{0, 0, 16});
  CHECK(within(200, 1ms) == Found{0, 0, 16});  // 100 ms are 100 batches there
}

// A step of T takes 10 ms. 10 batches at least count; an eighth of them and 4 do not.
TEST_CASE("first rounds end before the script saves", "[wrap]") {
  WrapLoop loop = loop_with(10ms);
  RoundLengths lengths;
  lengths.rounds = 5, lengths.batches = 100, lengths.distinct = 4;
  const auto within = [&](std::uint64_t left) {
    const ShortRounds found = fit_before_save(lengths, loop, left);
    return std::pair{found.rounds, found.batches};
  };
  CHECK(within(18) == std::pair{1u, std::uint64_t{12}});
  CHECK(within(16) == std::pair{1u, std::uint64_t{10}});
  CHECK(within(14) == std::pair{1u, std::uint64_t{4}});  // too few: tried all the same
  CHECK(within(100).first >= 2);
  for (std::uint64_t left = 60; left < 400; left += 20) {
    const auto [rounds, batches] = within(left);
    CHECK(rounds * (batches + batches / 8 + 4) + (rounds - 1) * (6 + 4 + batches) <= left);
  }
  CHECK(within(5000) == std::pair{5u, std::uint64_t{100}});
}

TEST_CASE("a script that saves often leaves no room in between", "[wrap]") {
  CHECK(least_between_saves(loop_with(10ms)) == 15);
  CHECK(least_between_saves(loop_with(1ms)) == 116);
  WrapLoop loop = loop_with(10ms, 8);
  loop.prefetched = 64;
  CHECK(least_between_saves(loop) == 80);
}

TEST_CASE("T counts as many batches as F does", "[wrap]") {
  RoundLengths lengths;
  lengths.stretch = 4s, lengths.batches = 16;
  for (const WrapKind kind :
       {WrapKind::full, WrapKind::loader, WrapKind::changed_full, WrapKind::changed_loader}) {
    const WrapStretchOrder asked = order_stretch(kind, lengths, 25ms);
    CHECK(asked.least == 4s);
    CHECK(asked.batches == 16);
  }
  const WrapStretchOrder replayed = order_stretch(WrapKind::trainer, lengths, 25ms);
  CHECK(replayed.least == kLeastStretch);
  CHECK(replayed.batches == 160);
  CHECK(order_stretch(WrapKind::trainer, lengths, 1s).batches == 16);
}

TEST_CASE("ranks count batches alone", "[wrap]") {
  const WrapLoop loop = loop_with(10ms, 3);
  const RoundLengths found = count_in_batches(plan_rounds(order_with(), loop, 3), loop);
  CHECK(found.stretch == 0ns);
  CHECK(found.batches == 102);
  CHECK(order_stretch(WrapKind::trainer, found, 10ms).batches == 102);
}

TEST_CASE("a day of watching has some hundreds of stretches", "[wrap]") {
  RoundLengths lengths;
  lengths.stretch = 1s;
  for (const Nanoseconds batch : {Nanoseconds{500us}, Nanoseconds{100ms}}) {
    Nanoseconds elapsed{0};
    int stretches = 0;
    while (elapsed < 24h) {
      const Nanoseconds size = watch_for(lengths, elapsed, batch);
      CHECK(size <= 200'000 * batch);
      elapsed += size, ++stretches;
    }
    CHECK(stretches < 1000);
  }
  CHECK(watch_for(lengths, 19s, 1ms) == 1s);
}

}  // namespace round_lengths_test
}  // namespace benchbench
