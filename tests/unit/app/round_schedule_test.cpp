#include "harness/app/wrap/schedule/round_schedule.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "harness/core/error.h"

namespace benchbench {
namespace round_schedule_test {

using namespace std::chrono_literals;

WrapOrder order_with(std::uint32_t rounds = 5) {
  WrapOrder order;
  order.stretch = 1s, order.rounds = rounds;
  return order;
}

WrapSteady steady_with(Nanoseconds batch = 10ms) {
  WrapSteady steady;
  steady.loop.batch = steady.loop.step = batch;
  steady.loop.workers = 2, steady.loop.prefetched = 4;
  return steady;
}

std::string letters(const WrapNext& next) {
  std::string text;
  for (const WrapStretchOrder& asked : next.stretches)
    text += kWordsOf<WrapKind>[static_cast<std::size_t>(asked.kind)];
  return text;
}

std::vector<std::string> rounds_of(RoundSchedule& schedule, WrapState state = {}) {
  std::vector<std::string> rounds;
  while (const auto next = schedule.next(state)) {
    if (next->stretches.front().place == 0) rounds.emplace_back();
    rounds.back() += letters(*next);
    for (const WrapStretchOrder& asked : next->stretches) {
      CHECK(asked.round == rounds.size() - 1);
      CHECK(rounds.back().substr(asked.place, 1) ==
            kWordsOf<WrapKind>[static_cast<std::size_t>(asked.kind)]);
    }
  }
  return rounds;
}

TEST_CASE("each round has one stretch of each kind, in random order", "[wrap]") {
  RoundSchedule schedule(order_with(40), steady_with());
  const auto rounds = rounds_of(schedule);
  CHECK(rounds.size() == 40);
  std::set<std::string> seen;
  for (std::string round : rounds) {
    seen.insert(round);
    std::ranges::sort(round);
    CHECK(round == "FLT");
  }
  CHECK(seen.size() == 6);
  CHECK(rounds.front().front() == 'F');
}

TEST_CASE("rounds that were asked for and have no room are counted", "[wrap]") {
  WrapOrder order = order_with(3);
  order.budget = 20s;
  CHECK(RoundSchedule(order, steady_with(500ms)).planned(steady_with()).fewer.empty());
  order.exact = true;
  CHECK(RoundSchedule(order, steady_with(500ms)).planned(steady_with()).fewer ==
        "the budget of 20 s has room for 1 of 3 rounds");
  CHECK(RoundSchedule(order, steady_with(100ms)).planned(steady_with()).fewer.empty());
}

TEST_CASE("a seed has one order", "[wrap]") {
  WrapOrder order = order_with();
  RoundSchedule first(order, steady_with()), again(order, steady_with());
  const auto rounds = rounds_of(first);
  CHECK(rounds == rounds_of(again));
  order.seed = 7;
  RoundSchedule other(order, steady_with());
  CHECK(rounds != rounds_of(other));
}

TEST_CASE("a copy takes turns", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.changed = WrapLoader{};
  RoundSchedule schedule(order_with(3), steady);
  for (std::string round : rounds_of(schedule)) {
    std::ranges::sort(round);
    CHECK(round == "FLTfl");
  }
  CHECK(schedule.planned(steady).kinds == "FTLfl");
}

TEST_CASE("a script that runs to its end has F alone, and longer ones", "[wrap]") {
  WrapOrder order = order_with();
  order.keep_going = true;
  RoundSchedule schedule(order, steady_with());
  std::vector<WrapStretchOrder> all;
  while (all.size() < 200) {
    const auto next = schedule.next({});
    all.insert(all.end(), next->stretches.begin(), next->stretches.end());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].kind == WrapKind::full);
    CHECK(all[i].round == i);
  }
  CHECK(all.front().least == 1s);
  CHECK(all.back().least > 20s);
}

TEST_CASE("F is measured alone where no round of all fits", "[wrap]") {
  WrapOrder order = order_with();
  order.budget = 15s;
  WrapSteady steady = steady_with(1s);
  const WrapPlanned planned = RoundSchedule(order, steady).planned(steady);
  CHECK(planned.kinds == "F");
  CHECK(planned.cut);
  CHECK(planned.why == "a batch takes 1 s: a round of all three has room in --budget 20s");
}

TEST_CASE("a batch that takes too much memory is not held", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.tunes = true;
  steady.loop.distinct = 0;
  const WrapPlanned planned = RoundSchedule(order_with(), steady).planned(steady);
  CHECK(planned.kinds == "F");
  CHECK(planned.why == "a batch takes more than a quarter of the memory that is free");
  CHECK_FALSE(planned.tunes);
}

TEST_CASE("F alone is measured where each step makes an iterator", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.loop.full_alone = "each step makes an iterator of its own (train.py:4)";
  for (const bool is_rank : {false, true}) {
    steady.loop.is_rank = is_rank;
    const WrapPlanned planned = RoundSchedule(order_with(), steady).planned(steady);
    CHECK(planned.kinds == "F");
    CHECK(planned.why == steady.loop.full_alone);
    CHECK(planned.ends_after <= 15s);
  }
  steady.loop.is_rank = false;
  steady.loop.batch = steady.loop.step = 4s;  // which has no room in that
  WrapOrder order = order_with();
  order.budget = 60s;
  CHECK(RoundSchedule(order, steady).planned(steady).ends_after == 60s);
}

TEST_CASE("a script that saves all the time is measured as it is", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.loop.saves = 2, steady.loop.between_saves = 14;
  CHECK(RoundSchedule(order_with(), steady).planned(steady).why ==
        "the script saves every 14 batches, which leaves no room for the other two in between");
  steady.loop.between_saves = 15;
  CHECK(RoundSchedule(order_with(), steady).planned(steady).kinds == "FTL");
}

TEST_CASE("steps too slow for any stretch are refused", "[wrap]") {
  WrapOrder order = order_with();
  order.budget = 1s;
  CHECK_THROWS_AS(RoundSchedule(order, steady_with(10s)), ScenarioError);
}

TEST_CASE("rounds begin behind a save that is near, with L at the end", "[wrap]") {
  RoundSchedule schedule(order_with(), steady_with());
  CHECK(letters(*schedule.next({})) == "F");
  WrapState state;
  state.saves = 1, state.between_saves = 200, state.until_save = 50;
  const auto next = schedule.next(state);
  CHECK(next->after_save);
  CHECK(letters(*next) == "TL");
  CHECK(next->stretches.front().least == kLeastStretch);
  const std::uint64_t batches = next->stretches.front().batches;
  CHECK(batches >= 10);
  CHECK(batches <= 100);
}

TEST_CASE("rounds are shorter before a save that is far, and as they are before none", "[wrap]") {
  WrapState state;
  state.saves = 1, state.between_saves = 4000, state.until_save = 1600;
  RoundSchedule before(order_with(), steady_with());
  before.next({});
  const auto next = before.next(state);
  CHECK_FALSE(next->after_save);
  CHECK(next->stretches.front().least == kLeastStretch);
  state.until_save = 100'000;
  RoundSchedule without(order_with(), steady_with());
  without.next({});
  const auto whole = without.next(state);
  CHECK_FALSE(whole->after_save);
  CHECK(std::ranges::none_of(whole->stretches, [](const WrapStretchOrder& asked) {
    return asked.kind == WrapKind::loader && asked.least != 1s;
  }));
}

TEST_CASE("three short rounds come first where a save may come at any time", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.loop.will_save = true;
  for (const std::uint32_t rounds : {2u, 3u, 5u}) {
    WrapOrder order = order_with(rounds);
    order.budget = 60s;
    RoundSchedule schedule(order, steady);
    std::uint32_t brief = 0;
    std::uint64_t batches = 0;
    while (const auto next = schedule.next({}))
      for (const WrapStretchOrder& asked : next->stretches)
        if (asked.round < 3) ++brief, batches += asked.batches;
    CHECK(brief == 3 * std::min(rounds, 3u));
    CHECK(batches == brief * 100);
  }
  steady.loop.saves = 1;  // it is known when
  CHECK(RoundSchedule(order_with(), steady).next({})->stretches.front().least == 1s);
}

TEST_CASE("ranks have all rounds at once, in batches", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.loop.is_rank = true;
  RoundSchedule schedule(order_with(4), steady);
  const WrapNext all = schedule.take_all();
  CHECK(all.stretches.size() == 12);
  for (const WrapStretchOrder& asked : all.stretches) {
    CHECK(asked.least == 0ns);
    CHECK(asked.batches == 100);
  }
  CHECK(all.stretches.back().round == 3);
  CHECK_FALSE(schedule.next({}));
}

// A script whose stretches take as long as they are asked for, and two seconds more each.
struct Running {
  Running(WrapOrder order, WrapSteady steady, std::uint64_t loader, std::uint64_t trainer)
      : schedule(order, steady), loader_(loader), trainer_(trainer) {}

  void run(const WrapStretchOrder& asked) {
    const Nanoseconds of_batches = static_cast<std::int64_t>(asked.batches) * 10ms,
                      counted = std::max(asked.least, of_batches);
    WrapStretch stretch;
    stretch.kind = asked.kind, stretch.round = asked.round;
    stretch.result.segments = {{now.count(), (now + counted).count()}};
    const std::uint64_t rate = asked.kind == WrapKind::trainer  ? trainer_
                               : asked.kind == WrapKind::loader ? loader_
                                                                : std::min(loader_, trainer_);
    stretch.result.samples = rate * static_cast<std::uint64_t>(counted / 1ms);
    stretch.result.steps = 10;
    stretch.result.get_ns = {counted.count() / 2};
    now += counted + between;
    ResourceUse used;
    used.shared.emplace();
    used.shared->others_s = 0, used.shared->span_s = to_seconds(counted);
    schedule.finished(stretch, used);
    longest = asked.kind == WrapKind::full ? counted : longest;
  }
  // The beginning of an epoch has been seen if no state says otherwise.
  static WrapState epoch_seen() {
    WrapState state;
    state.epochs = 1;
    return state;
  }
  std::uint32_t rounds(const WrapState& state = epoch_seen(),
                       const std::function<bool()>& is_answer_open = {}) {
    std::uint32_t last = 0;
    while (const auto next = schedule.next(state, is_answer_open))
      for (const WrapStretchOrder& asked : next->stretches) run(asked), last = asked.round + 1;
    return last;
  }

  RoundSchedule schedule;
  Nanoseconds now{0}, between{2s}, longest{0};

 private:
  std::uint64_t loader_, trainer_;
};

WrapOrder until_settled(std::optional<Nanoseconds> budget = {}) {
  WrapOrder order = order_with();
  order.most_rounds = 10, order.budget = budget;
  order.least = 60s, order.most = 300s;
  return order;
}

TEST_CASE("the next epoch's beginning is watched where no round has seen one and it has room",
          "[wrap]") {
  const auto run = [](std::optional<std::uint64_t> left, std::uint64_t epochs) {
    Running script(until_settled(), steady_with(), 1000, 3000);
    WrapState state;
    state.epoch_left = left, state.epochs = epochs;
    return std::pair(script.rounds(state), script.longest);
  };
  const auto [rounds, longest] = run(1000, 0);
  CHECK(rounds == 2);
  CHECK(longest > 10s);  // 1,000 batches of 10 ms, and what is behind the beginning
  CHECK(run(1000, 1).first == 1);
  CHECK(run({}, 0).second > 20s);  // its length is not known
  CHECK(run(3000, 0).first == 1);  // 30 s, which have room and are longer than the answer is worth
  CHECK(run(100'000, 0).first == 1);
}

TEST_CASE("rounds end once they settle the side", "[wrap]") {
  CHECK(Running(until_settled(), steady_with(), 1000, 3000).rounds() == 1);
  CHECK(Running(until_settled(), steady_with(), 3000, 1000).rounds() == 1);
  CHECK(Running(until_settled(), steady_with(), 1000, 1400).rounds() == 2);
}

TEST_CASE("rounds that settle the side go on while another advice may come first", "[wrap]") {
  int asked = 0;
  const auto open_twice = [&] { return ++asked <= 2; };
  Running script(until_settled(), steady_with(), 1000, 3000);
  CHECK(script.rounds(Running::epoch_seen(), open_twice) == 3);
  CHECK(asked == 3);
  const auto open = [] { return true; };
  Running all(until_settled(), steady_with(), 1000, 3000);
  all.between = 0s;
  CHECK(all.rounds(Running::epoch_seen(), open) >= 5);  // as many as have room
  WrapSteady alone = steady_with();
  alone.loop.workers = 0;  // the side needs no second round, and there is none
  CHECK(Running(until_settled(), alone, 1000, 3000).rounds(Running::epoch_seen(), open) == 1);
}

TEST_CASE("rounds that settle nothing go on while there is room, planned by what they took",
          "[wrap]") {
  Running alike(until_settled(200s), steady_with(), 1000, 1040);
  alike.between = 0s;
  const std::uint32_t most = alike.rounds();
  CHECK(most >= 3);
  CHECK(alike.now <= 200s);
  // The script's work in between leaves room for fewer rounds, and for shorter stretches.
  Running slow(until_settled(200s), steady_with(), 1000, 1040);
  slow.between = 20s;
  CHECK(slow.rounds() < most);
  CHECK(slow.now <= 200s + slow.between);
  CHECK(slow.longest < alike.longest);
}

TEST_CASE("rounds are over before the script is asked to end, which takes a part of the budget",
          "[wrap]") {
  int late = 0;
  for (auto budget = 20s; budget <= 60s; ++budget)
    for (const std::uint64_t left : {1, 50, 100, 200, 400}) {
      Running script(until_settled(budget), steady_with(), 1000, 1040);
      script.between = 0s;
      WrapState state;
      state.epoch_left = left;
      script.rounds(state, [] { return true; });
      late += script.now > script.schedule.planned(steady_with()).stops_after;
    }
  CHECK(late == 0);
}

TEST_CASE("rounds that were asked for are exact, and so are those of a copy and of ranks",
          "[wrap]") {
  CHECK(Running(order_with(4), steady_with(), 1000, 3000).rounds() == 4);
  WrapSteady steady = steady_with();
  steady.loop.is_rank = true;
  RoundSchedule ranks(until_settled(), steady);
  CHECK(ranks.take_all().stretches.back().round == 4);
  CHECK_FALSE(ranks.planned(steady).until_settled);
}

TEST_CASE("without workers one round is planned", "[wrap]") {
  WrapSteady steady = steady_with();
  steady.loop.workers = steady.loop.prefetched = 0;
  Running script(until_settled(), steady, 1000, 1040);
  const WrapPlanned planned = script.schedule.planned(steady);
  CHECK(planned.rounds == 1);
  CHECK_FALSE(planned.until_settled);
  CHECK(planned.expected == planned.round);
  CHECK(script.rounds() == 1);
}

TEST_CASE("what is planned says the least and the most", "[wrap]") {
  const WrapSteady steady = steady_with();
  const WrapPlanned planned = RoundSchedule(until_settled(), steady).planned(steady);
  CHECK(planned.until_settled);
  CHECK(planned.rounds == 10);
  CHECK(planned.round > 11s);
  CHECK(planned.round < 13s);
  CHECK(planned.expected > 59s);
  CHECK(planned.expected < 61s);
  CHECK(RoundSchedule(until_settled(90s), steady).planned(steady).expected == 90s);
}

TEST_CASE("no more rounds are planned than have room", "[wrap]") {
  const WrapSteady steady = steady_with(100ms);
  const WrapPlanned planned = RoundSchedule(until_settled(12s), steady).planned(steady);
  CHECK(planned.rounds == 3);
  CHECK(planned.until_settled);
  CHECK(planned.round < 4s);
  WrapSteady saves = steady_with();
  saves.loop.will_save = true;
  const WrapPlanned brief = RoundSchedule(until_settled(60s), saves).planned(saves);
  CHECK(brief.rounds == 10);
  CHECK(brief.round > 3s);  // stretches of 1 s
  CHECK(brief.round < 4s);
  CHECK(brief.expected == 60s);
}

TEST_CASE("without workers one round has all of a small budget", "[wrap]") {
  WrapSteady steady = steady_with(100ms);
  steady.loop.workers = steady.loop.prefetched = 0;
  const WrapPlanned planned = RoundSchedule(until_settled(12s), steady).planned(steady);
  CHECK(planned.rounds == 1);
  CHECK(planned.stretch > 2s);
  CHECK(planned.expected > 9s);
  CHECK(planned.expected < 10s);
  // A larger one is not used up.
  CHECK(RoundSchedule(until_settled(300s), steady).planned(steady).expected < 60s);
}

TEST_CASE("rounds that a search adds come behind all others", "[wrap]") {
  WrapOrder order = order_with(1);
  order.tune = true;
  RoundSchedule schedule(order, steady_with());
  CHECK(rounds_of(schedule).size() == 1);
  const WrapNext next = schedule.add(WrapKind::changed_full, {{"num_workers", std::int64_t{4}}});
  CHECK(letters(next) == "f");
  CHECK(next.stretches.front().round == 1);
  CHECK(next.settings.contains("num_workers"));
}

}  // namespace round_schedule_test
}  // namespace benchbench
