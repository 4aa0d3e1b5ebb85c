// What a budget cuts, in which order and how much of it, with prices that are given.
#include "harness/plan/budget.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "harness/plan/order.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_budget {

using Kept = std::vector<std::vector<std::size_t>>;

// A scenario of axes a, b, ... with values 0, 1, ...
Scenario with_axes(const std::vector<std::size_t>& sizes, std::int64_t rounds,
                   const std::string& window, std::int64_t batches,
                   SweepMode mode = SweepMode::one_at_a_time) {
  Scenario s;
  s.mode = mode;
  s.base.set("measure.rounds", {ParameterType::integer, rounds});
  s.base.set("measure.window", Value::parse(ParameterType::duration, window).value());
  s.base.set("measure.window_batches", {ParameterType::integer, batches});
  s.base.set("measure.class", {ParameterType::text, std::string("normal")});
  s.base.set("measure.budget", Value::parse(ParameterType::duration, "60s").value());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Axis axis{std::string(1, static_cast<char>('a' + i)), {}};
    for (std::size_t v = 0; v < sizes[i]; ++v) axis.values.push_back({std::to_string(v), {}, {}});
    s.axes.push_back(std::move(axis));
  }
  return s;
}

Swept all_cost(const Scenario& s) {
  Swept swept;
  for (const Axis& axis : s.axes)
    swept.push_back({true, std::vector<SweptValue>(axis.values.size())});
  return swept;
}

// Of a star: a second a point and second of window, the base point included.
double star_price(const Cuts& c) {
  const auto points =
      std::accumulate(c.values.begin(), c.values.end(), std::size_t{1},
                      [](std::size_t sum, const auto& values) { return sum + values.size(); });
  return c.rounds * static_cast<double>(points) * to_seconds(c.window);
}

Cuts cut(const Scenario& s, double seconds, const PriceOfCuts& price = star_price) {
  return cut_to_budget(s, all_cost(s), seconds, price);
}

TEST_CASE("budget: each step cuts as little as fits, and in its order", "[unit][plan]") {
  const Scenario s = with_axes({5, 4}, 10, "2s", 5);  // 10 points: 200 s
  const Kept whole{{0, 1, 2, 3, 4}, {0, 1, 2, 3}};
  const Cuts none = cut(s, 200);
  CHECK(none.told.empty());
  CHECK(none.values == whole);

  const Cuts rounds = cut(s, 199);
  CHECK(rounds.rounds == 9);
  CHECK(rounds.window == std::chrono::seconds(2));
  CHECK(rounds.told == std::vector<std::string>{"9 rounds instead of 10"});
  CHECK(cut(s, 180).rounds == 9);
  CHECK(cut(s, 60).rounds == 3);
  CHECK(cut(s, 60).window == std::chrono::seconds(2));

  // 3 rounds are 60 s; a sixteenth off the second above the minimum makes 58.125.
  const Cuts window = cut(s, 59);
  CHECK(window.rounds == 3);
  CHECK(window.window == std::chrono::milliseconds(1937) + std::chrono::microseconds(500));
  CHECK(window.values == whole);
  CHECK(cut(s, 30).window == std::chrono::seconds(1));
  CHECK(cut(s, 30).values == whole);

  const Cuts last_middle = cut(s, 29);  // one value of the last axis: 9 points
  CHECK(last_middle.values == Kept{{0, 1, 2, 3, 4}, {0, 2, 3}});
  CHECK(last_middle.told.back() == "b 1 left out");
  CHECK(cut(s, 24).values == Kept{{0, 1, 2, 3, 4}, {0, 3}});
  CHECK(cut(s, 21).values == Kept{{0, 2, 3, 4}, {0, 3}});
  CHECK(cut(s, 18).values == Kept{{0, 2, 4}, {0, 3}});
  CHECK(cut(s, 17).values == Kept{{0, 4}, {0, 3}});
  CHECK(cut(s, 15).values == Kept{{0, 4}, {0, 3}});

  const Cuts two = cut(s, 14);
  CHECK(two.rounds == 2);
  CHECK(two.values == Kept{{0, 4}, {0, 3}});
  CHECK(two.told.front() == "2 rounds instead of 10");
  CHECK(cut(s, 9).rounds == 1);
  CHECK(cut(s, 5).values == Kept{{0, 4}, {0, 3}});

  const Cuts axis = cut(s, 4.9);
  CHECK(axis.values == Kept{{0, 4}, {}});
  CHECK(axis.rounds == 1);
  CHECK(axis.told.back() == "sweep of b left out");
  const Cuts never = cut(s, 2);
  CHECK(never.values == axis.values);
  CHECK(never.rounds == 1);
  CHECK(never.told.back() ==
        "estimated to need about 1 s more than the 2 s that are left of the budget of 60s: what "
        "has no time is not run");
  Scenario all_left = s;
  all_left.base.set("measure.budget", {ParameterType::duration, 2'000'000'000});
  CHECK(cut(all_left, 2).told.back() ==
        "estimated to need about 1 s more than the budget of 2s: what has no time is not run");
}

TEST_CASE("budget: rounds that fit without an axis that was left out come back, up to three",
          "[unit][plan]") {
  const Scenario s = with_axes({2, 2}, 10, "1s", 5);
  const auto price = [](const Cuts& c) {  // a round of the second axis takes 100 s, else 10 s
    return c.rounds * (c.values[1].empty() ? 10.0 : 100.0);
  };
  CHECK(cut(s, 99, price).values == Kept{{0, 1}, {}});
  CHECK(cut(s, 99, price).rounds == 3);
  CHECK(cut(s, 29, price).rounds == 2);
  CHECK(cut(s, 19, price).rounds == 1);
}

TEST_CASE("budget: batches of a window go with it, to their class's minimum", "[unit][plan]") {
  const Scenario s = with_axes({2}, 3, "1s", 85);
  const auto price = [](const Cuts& c) { return static_cast<double>(c.window_batches); };
  CHECK(cut(s, 85, price).window_batches == 85);
  CHECK(cut(s, 84, price).window_batches == 80);
  CHECK(cut(s, 5, price).window_batches == 5);
  CHECK(cut(s, 5, price).told == std::vector<std::string>{"windows of 5 batches instead of 85"});
}

TEST_CASE("budget: of a long axis first, last and the base point's value stay", "[unit][plan]") {
  const Scenario s = with_axes({7, 3}, 3, "1s", 5);
  Swept swept = all_cost(s);
  swept[0].values[4] = {false, true};
  const Cuts least = cut_to_budget(s, swept, 0, star_price);
  CHECK(least.values == Kept{{0, 4, 6}, {}});
  // 0 1 2 3 [4] 5 6: the one between the nearest neighbours goes each time.
  std::vector<std::vector<std::size_t>> seen;
  for (int points = 10; points >= 7; --points)
    seen.push_back(cut_to_budget(s, swept, 3 * points, star_price).values[0]);
  CHECK(seen == Kept{{0, 2, 3, 4, 5, 6}, {0, 2, 4, 5, 6}, {0, 2, 4, 6}, {0, 4, 6}});
}

TEST_CASE("budget: of three values the middle one goes after the rounds, and before an axis does",
          "[unit][plan]") {
  const Scenario s = with_axes({3, 3}, 3, "1s", 5);  // 7 points
  CHECK(cut(s, 7).values == Kept{{0, 1, 2}, {0, 1, 2}});
  CHECK(cut(s, 7).rounds == 1);
  CHECK(cut(s, 6).values == Kept{{0, 1, 2}, {0, 2}});
  CHECK(cut(s, 5).values == Kept{{0, 2}, {0, 2}});
  CHECK(cut(s, 4).values == Kept{{0, 2}, {}});
}

TEST_CASE("budget: what costs nothing is not cut, and is not the axis that stays", "[unit][plan]") {
  const Scenario s = with_axes({2, 5, 2, 2}, 3, "1s", 5);
  Swept swept = all_cost(s);
  for (const std::size_t axis : {0u, 3u}) swept[axis].costs = false;
  const auto price = [](const Cuts& c) {
    return c.rounds * static_cast<double>(1 + c.values[1].size() + c.values[2].size());
  };
  const Cuts least = cut_to_budget(s, swept, 0, price);
  CHECK(least.values == Kept{{0, 1}, {0, 4}, {}, {0, 1}});
}

TEST_CASE("budget: a zip loses the same places of all axes, and none of them", "[unit][plan]") {
  const Scenario s = with_axes({5, 5}, 3, "1s", 5, SweepMode::zip);
  const auto price = [](const Cuts& c) {
    return c.rounds * static_cast<double>(1 + c.values[0].size());
  };
  CHECK(cut(s, 15, price).values == Kept{{0, 2, 3, 4}, {0, 2, 3, 4}});
  CHECK(cut(s, 0, price).values == Kept{{0, 4}, {0, 4}});
  CHECK(cut(s, 0, price).rounds == 1);
}

TEST_CASE("budget: never more rounds, windows or values than were asked for", "[unit][plan]") {
  for (const std::int64_t rounds : {1, 2, 3}) {
    const Cuts c = cut(with_axes({2}, rounds, "500ms", 2), 0);
    CHECK(c.rounds == 1);
    CHECK(c.window == std::chrono::milliseconds(500));
    CHECK(c.window_batches == 2);
  }
}

TEST_CASE("budget: the axes of the command line are cut when nothing else is left",
          "[unit][plan]") {
  Scenario s = with_axes({5, 4}, 10, "2s", 5);  // 10 points: 200 s
  s.axes[1].typed = true;
  const std::string last = ", though it was asked for: nothing else was left to cut";
  // 3 rounds of windows of a second; of the other axis go the middle, rounds of both, all of it.
  CHECK(cut(s, 29).values == Kept{{0, 2, 3, 4}, {0, 1, 2, 3}});
  CHECK(cut(s, 21).values == Kept{{0, 4}, {0, 1, 2, 3}});
  const Cuts two = cut(s, 20);
  CHECK(two.rounds == 2);
  CHECK(two.values == Kept{{0, 4}, {0, 1, 2, 3}});
  CHECK(cut(s, 7).rounds == 1);
  CHECK(cut(s, 7).values == Kept{{0, 4}, {0, 1, 2, 3}});
  CHECK(cut(s, 5).values == Kept{{}, {0, 1, 2, 3}});
  CHECK(cut(s, 5).told.back() == "sweep of a left out");
  const Cuts typed = cut(s, 4);
  CHECK(typed.values == Kept{{}, {0, 2, 3}});
  CHECK(typed.told.back() == "b 1 left out" + last);
  CHECK(cut(s, 0).values == Kept{{}, {0, 3}});  // one axis stays
  s.axes[0].typed = true;
  const Cuts both = cut(s, 0);
  CHECK(both.values == Kept{{0, 4}, {}});
  CHECK(std::ranges::count(both.told, "sweep of b left out" + last) == 1);
}

TEST_CASE("budget: a zip with an axis of the command line is one of its", "[unit][plan]") {
  Scenario s = with_axes({5, 5}, 3, "1s", 5, SweepMode::zip);
  s.axes[0].typed = true;
  const auto price = [](const Cuts& c) {
    return c.rounds * static_cast<double>(1 + c.values[0].size());
  };
  CHECK(cut(s, 6, price).rounds == 1);  // before a value goes
  CHECK(cut(s, 6, price).values == Kept{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}});
  const Cuts all = cut(s, 0, price);
  CHECK(all.values == Kept{{0, 4}, {0, 4}});
  const auto tells = [&](const std::string& text) {
    return std::ranges::find(all.told, text) != all.told.end();
  };
  CHECK(tells("a 1, 2, 3 left out, though it was asked for: nothing else was left to cut"));
  CHECK(tells("b 1, 2, 3 left out"));
}

TEST_CASE("budget: the scenario that is left still knows what the command line gave",
          "[unit][plan]") {
  Scenario s = with_axes({2, 2}, 3, "1s", 5);
  s.axes[1].typed = true;
  const Scenario left = cut_scenario(s, cut(s, 0));
  REQUIRE(left.axes.size() == 1);
  CHECK(left.axes[0].key == "b");
  CHECK(left.axes[0].typed);
}

// Returns the price of one round in which the axes that were left out have what thinning leaves.
double price_of_one_round_with_all_axes(const Scenario& s, Cuts c, const PriceOfCuts& price) {
  c.rounds = 1;
  for (std::size_t axis = 0; axis < c.values.size(); ++axis) {
    const std::size_t least = std::min(s.axes[axis].values.size(), kShortAxis);
    if (c.values[axis].empty()) c.values[axis].resize(least);
  }
  return price(c);
}

// Of any sweep: what fits is not cut further, and what does not has lost all that may go.
TEST_CASE(
    "budget: random sweeps fit, or have nothing left to cut; no axis goes before the rounds do",
    "[unit][plan]") {
  std::mt19937 random(11);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::size_t> sizes(static_cast<std::size_t>(draw(1, 4)));
    for (std::size_t& size : sizes) size = static_cast<std::size_t>(draw(1, 9));
    const bool zip = draw(0, 4) == 0;
    if (zip) std::fill(sizes.begin(), sizes.end(), sizes[0]);
    Scenario s = with_axes(sizes, draw(1, 12), std::to_string(draw(1, 40)) + "00ms", draw(1, 50),
                           zip ? SweepMode::zip : SweepMode::one_at_a_time);
    for (Axis& axis : s.axes) axis.typed = draw(0, 2) == 0;
    const double start = draw(0, 5);
    const PriceOfCuts price = [&](const Cuts& c) {
      return start + star_price(c) + 0.01 * static_cast<double>(c.window_batches);
    };
    const double budget = 0.1 * draw(1, 3000);
    const Cuts c = cut(s, budget, price);
    INFO("case " << i);
    const auto asked = static_cast<std::uint32_t>(s.base.integer("measure.rounds"));
    const bool fits = price(c) <= budget;
    const bool told_over = !c.told.empty() && c.told.back().starts_with("estimated to need");
    REQUIRE(told_over == !fits);
    REQUIRE(c.values.size() == sizes.size());
    const auto is_lost = [&](std::size_t axis) { return c.values[axis].empty(); };
    const bool any_typed = std::ranges::any_of(s.axes, &Axis::typed);
    if (!any_typed) REQUIRE(!is_lost(0));
    // An axis that was typed loses a value only where all else has lost what may go.
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      if (!s.axes[axis].typed || c.values[axis].size() == sizes[axis]) continue;
      for (std::size_t other = 0; other < sizes.size(); ++other)
        if (!zip && !s.axes[other].typed) REQUIRE(is_lost(other));
    }
    const std::size_t lost = static_cast<std::size_t>(
        std::ranges::count_if(c.values, [](const auto& v) { return v.empty(); }));
    const std::size_t may_go = zip ? 0 : sizes.size() - 1;
    REQUIRE(lost <= may_go);
    Cuts more = c;  // rounds that would fit are there
    ++more.rounds;
    if (c.rounds < std::min(asked, 3u)) REQUIRE(price(more) > budget);
    // The first axis left out is of no use for the rounds: one of them with it does not fit.
    if (lost > 0) REQUIRE(price_of_one_round_with_all_axes(s, c, price) > budget);
    if (lost > 0)
      for (std::size_t axis = 0; axis < sizes.size(); ++axis)
        if (!s.axes[axis].typed) REQUIRE(c.values[axis].size() <= 3);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      if (!c.values[axis].empty()) {
        REQUIRE(c.values[axis].front() == 0);
        REQUIRE(c.values[axis].back() == sizes[axis] - 1);
        if (sizes[axis] <= 2) REQUIRE(c.values[axis].size() == sizes[axis]);
      }
    if (!fits) REQUIRE(lost == may_go);
    if (!fits) REQUIRE(c.rounds == 1);
    if (lost > 0 || c.rounds < std::min(asked, 3u)) REQUIRE(c.window <= std::chrono::seconds(1));
  }
}

Plan cut_plan(const std::string& measure, const std::string& sweep,
              const PlanContext& context = context_for()) {
  return plan_text(kMock + "measure: {" + measure + "}\nsweep: {" + sweep + "}\n", context);
}

TEST_CASE("budget: in a plan the base point's own value stays and the report names those left out",
          "[unit][plan]") {
  const std::string sweep = "loader.num_workers: [0, 1, 2, 3, 4, 5, 6]";  // the base has 0
  const double whole = cut_plan("rounds: 3, window: 1s", sweep).price.seconds;
  const Plan least = cut_plan(
      "rounds: 3, window: 1s, budget: " + std::to_string(static_cast<int>(whole * 0.8)) + "s",
      sweep);
  REQUIRE(least.rounds == 3);
  CHECK(least.scenario.axes.at(0).values.front().label == "0");
  CHECK(least.scenario.axes.at(0).values.back().label == "6");
  CHECK(least.points.front().name() == "num_workers=0 (base)");
  REQUIRE(least.cuts.size() == 1);
  CHECK_THAT(least.cuts[0],
             Catch::StartsWith("loader.num_workers ") && Catch::EndsWith(" left out"));
}

TEST_CASE("budget: points that are SKIPPED cost nothing and are not cut", "[unit][plan]") {
  const auto plan = [](const std::string& more) {
    return cut_plan("rounds: 3, window: 1s" + more,
                    "loader.num_workers: [0, 1], trainer.device: [cpu, cuda]");
  };
  const Plan whole = plan("");
  const Plan alone = cut_plan("rounds: 3, window: 1s", "loader.num_workers: [0, 1]");
  CHECK(whole.price.seconds == alone.price.seconds);
  CHECK(trial_count_of(whole).runs_a_round == trial_count_of(alone).runs_a_round);
  CHECK(trial_count_of(whole).skipped > 0);
  const Plan least = plan(", budget: 1s");
  CHECK(least.rounds == 1);
  CHECK(least.scenario.axes.size() == 2);
}

TEST_CASE(
    "budget: an axis that is SKIPPED whole costs nothing, "
    "though the base point's value is not on it",
    "[unit][plan]") {
  const Plan least =
      cut_plan("rounds: 3, window: 1s, budget: 1s",
               "trainer.device: [\"cuda:0\", \"cuda:1\"], loader.num_workers: [2, 4]");
  REQUIRE(trial_count_of(least).skipped > 0);
  REQUIRE(least.scenario.axes.size() == 2);
  CHECK(least.scenario.axes[1].key == "loader.num_workers");
}

TEST_CASE("budget: a value that an axis holds several times is thinned like others",
          "[unit][plan]") {
  const Plan least =
      cut_plan("rounds: 3, window: 1s, budget: 1s", "loader.num_workers: [1, 1, 1, 1, 1]");
  REQUIRE(least.scenario.axes.size() == 1);
  CHECK(least.scenario.axes[0].values.size() == 2);
  const Plan zipped =
      cut_plan("rounds: 3, window: 1s, budget: 1s",
               "mode: zip, loader.num_workers: [1, 1, 1, 1], loader.batch_size: [4, 4, 4, 4]");
  REQUIRE(zipped.scenario.axes.size() == 2);
  CHECK(zipped.scenario.axes[1].values.size() == 2);
}

TEST_CASE("budget: a draft is cut anew when more prices are known, and stays the same plan",
          "[unit][plan]") {
  const Scenario scenario = test::load_text(
      kMock +
      "measure: {rounds: 10, window: 1s, budget: 20s}\nsweep: {loader.num_workers: [0, 1]}\n");
  PlanContext context = context_for();
  const Draft draft = draft_plan(scenario, context);
  const Plan guessed = fit_plan(draft, context);
  for (const Trial& trial : draft.whole.trials)
    context.prices[price_key(trial)] = {.startup_seconds = 0.001, .step_seconds = 1e-6};
  const Plan known = fit_plan(draft, context);
  CHECK(known.rounds > guessed.rounds);
  CHECK(known.digest == guessed.digest);
  CHECK(known.digest == make_plan(scenario, context).digest);
  CHECK(known.rounds == make_plan(scenario, context).rounds);
  context.spent_seconds = 15;
  CHECK(fit_plan(draft, context).rounds < known.rounds);
}

TEST_CASE("budget: what is spent before the trials is no longer there for them", "[unit][plan]") {
  const std::string sweep = "loader.num_workers: [0, 1]";
  const double whole = cut_plan("rounds: 10, window: 1s", sweep).price.seconds;
  PlanContext context = context_for();
  const std::string measure =
      "rounds: 10, window: 1s, budget: " + std::to_string(static_cast<int>(whole * 1.4)) + "s";
  CHECK(cut_plan(measure, sweep, context).cuts.empty());
  context.spent_seconds = whole;
  CHECK(cut_plan(measure, sweep, context).rounds == 3);
}

TEST_CASE("plan: what is counted is what will run", "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes + "measure: {rounds: 4}\n");
  const TrialCount count = trial_count_of(plan);
  CHECK(plan.order.size() == 4 * count.runs_a_round);
  const auto skipped =
      std::ranges::count_if(plan.trials, [](const Trial& t) { return t.skip.has_value(); });
  CHECK(count.skipped == static_cast<std::size_t>(skipped));
  CHECK(count.skipped > 0);
  CHECK(count.runs_a_round == plan.trials.size() - count.skipped + 2);
}

}  // namespace plan_budget
}  // namespace benchbench::test
