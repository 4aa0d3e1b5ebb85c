#include "harness/plan/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/plan/ablations.h"
#include "harness/plan/budget.h"
#include "harness/plan/confirm.h"
#include "harness/plan/order.h"
#include "harness/plan/points.h"
#include "harness/plan/price.h"
#include "harness/plan/short_windows.h"
#include "harness/plan/starts.h"
#include "harness/plan/trials.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::uint32_t whole_cores(const PlanContext& context) {
  return static_cast<std::uint32_t>(std::max(1.0, std::floor(context.environment.cores_available)));
}

// How many trials the points would have, were none shared, less how many there are.
std::uint32_t count_shared(const Plan& plan) {
  std::size_t asked = 0;
  for (const Point& p : plan.points) asked += p.trials.size() + p.ablations.size();
  return static_cast<std::uint32_t>(asked - plan.trials.size());
}

std::uint64_t count_comparisons(const Plan& plan) {
  const auto runs = std::ranges::count_if(plan.points, [](const Point& p) { return !p.skip; });
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, runs - 1));
}

// Everything but order, price and digest, as the scenario stands.
Plan draw_up(const Scenario& scenario, const PlanContext& context, std::uint32_t rounds) {
  Plan plan;
  plan.scenario = scenario;
  plan.rounds = rounds;
  plan.points = make_points(scenario, context.catalog);
  const bool feeds = modes_of(scenario.base).back() == Mode::pipeline;
  const bool added =
      feeds && add_reference_point(plan.points, context.catalog, whole_cores(context));
  if (context.seal)
    for (Point& p : plan.points) context.seal(p.settings);
  plan.trials =
      make_trials(plan.points, context.catalog, added ? plan.points.back().index : kNoPoint);
  add_ablations(plan.points, plan.trials, context.catalog);
  mark_skips(plan.points, plan.trials, context);
  plan.anchor = choose_anchor(plan.points, plan.trials);
  plan.shared = count_shared(plan);
  plan.confirm_rounds = rounds_to_confirm(count_comparisons(plan));
  return plan;
}

// Whether a value of an axis changes nothing: then it makes no point beside the base.
bool is_base(const Scenario& scenario, std::size_t axis, const AxisValue& value,
             const Catalog& catalog) {
  Scenario alone = scenario;
  alone.mode = SweepMode::one_at_a_time;
  alone.axes = {{scenario.axes[axis].key, {value}}};
  return make_points(alone, catalog).size() == 1;
}

// Of a point on an axis; "" where it is the base point there.
std::string label_on(const Point& point, const std::string& key) {
  const auto found =
      std::ranges::find(point.labels, key, &std::pair<std::string, std::string>::first);
  return found == point.labels.end() ? "" : found->second;
}

// By trials: what they serve on an axis, those that run alone.
std::vector<std::set<std::string>> labels_of_trials(const Plan& plan, const std::string& key) {
  std::vector<std::set<std::string>> labels;
  for (const Trial& trial : plan.trials) {
    if (trial.skip) continue;
    auto& of_trial = labels.emplace_back();
    for (const std::uint32_t point : trial.points)
      of_trial.insert(label_on(plan.points[point], key));
  }
  return labels;
}

// As points are labelled with it. A zip numbers whole rows, on one axis of several.
std::string label_of(const Scenario& scenario, const AxisValue& value) {
  return numbered(value.label, scenario.mode == SweepMode::zip ? 0 : value.repeat);
}

SweptAxis swept_axis(const Plan& plan, std::size_t index, const Catalog& catalog) {
  const Axis& axis = plan.scenario.axes[index];
  SweptAxis swept{false, {}};
  // Its own value may not be on the axis.
  std::set<std::string> of_base{"", label_on(plan.points.front(), axis.key)};
  for (const AxisValue& v : axis.values) {
    const bool base = is_base(plan.scenario, index, v, catalog);
    if (base) of_base.insert(v.label);
    swept.values.push_back({false, base});
  }
  for (const auto& labels : labels_of_trials(plan, axis.key)) {
    const bool without =
        std::ranges::any_of(labels, [&](const std::string& l) { return of_base.contains(l); });
    swept.costs = swept.costs || !without;
    for (std::size_t v = 0; v < axis.values.size(); ++v)
      if (labels == std::set{label_of(plan.scenario, axis.values[v])}) swept.values[v].costs = true;
  }
  return swept;
}

Swept swept_of(const Plan& plan, const Catalog& catalog) {
  Swept swept;
  for (std::size_t axis = 0; axis < plan.scenario.axes.size(); ++axis)
    swept.push_back(swept_axis(plan, axis, catalog));
  return swept;
}

// A plan that turns out longer than guessed would lose rounds, of which three are the least of use.
constexpr double kDoubtOfGuess = 1.1;

void cut(Plan& plan, const PlanContext& context, Pricing& pricing) {
  const Scenario scenario = plan.scenario;
  const double left = to_seconds(scenario.base.get(keys::measure.budget)) - context.spent_seconds;
  const auto draw = [&](const Cuts& cuts) {
    return draw_up(cut_scenario(scenario, cuts), context, cuts.rounds);
  };
  const auto price = [&](const Plan& p) {
    const double seconds = pricing.price_of(p).seconds;
    return seconds * (pricing.guessed() ? kDoubtOfGuess : 1);
  };
  if (price(plan) <= left) return;
  Cuts cuts = cut_to_budget(scenario, swept_of(plan, context.catalog), left,
                            [&](const Cuts& c) { return price(draw(c)); });
  plan = draw(cuts);
  plan.cuts = std::move(cuts.told);
}

// Makes windows longer if a start is dear and the scenario leaves the window to the plan.
void grow_window(Plan& plan, const PlanContext& context) {
  if (!context.start_seconds || context.simulated) return;
  const auto window = grown_window(plan, *context.start_seconds);
  if (!window) return;
  Scenario scenario = plan.scenario;
  scenario.base.set(keys::measure.window, *window);
  scenario.decisions.push_back(
      fmt::format("measure.window is {}: as long as a trial's share of the starts of your Python, "
                  "which take about {}",
                  duration_text(*window), human_duration(from_seconds(*context.start_seconds))));
  plan = draw_up(scenario, context, plan.rounds);
}

// Of what was asked, before a budget's cuts: those follow from prices, which every run teaches
// anew. Nor is the budget part of it. What --resume must not see changed, what this machine can run
// and the clock included.
std::string digest_of_plan(const Plan& plan, bool simulated) {
  Digester digester;
  digester.add(plan.scenario.source_digest).add(canonical_text(plan.scenario.base));
  digester.add(
      fmt::format("rounds={} anchor={} simulated={}\n", plan.rounds, plan.anchor, simulated));
  for (const Point& p : plan.points) {
    digester.add(fmt::format("{}\n", p.name())).add(canonical_text(p.settings));
    for (const auto& [ablation, trial] : p.ablations)
      digester.add(fmt::format("{}={}\n", ablation.text(), trial));
  }
  for (const Trial& t : plan.trials) digester.add(t.digest).add(t.skip.value_or(""));
  return digester.finish().text();
}

// What 10,000 points of three modes and 30 rounds come to: days even of the shortest windows.
constexpr std::uint64_t kMaxRuns = 1'000'000;

void put_in_order(Plan& plan) {
  const std::uint32_t rounds = max_rounds(plan);
  const std::uint64_t runs = std::uint64_t{rounds} * (plan.trials.size() + 2);
  if (runs > kMaxRuns)
    throw ScenarioError(fmt::format("the plan has {} runs of trials in {} rounds; the limit is {}",
                                    runs, rounds, kMaxRuns),
                        rounds > plan.rounds ? "reduce measure.max_rounds or the sweep"
                                             : "reduce measure.rounds or the sweep");
  plan.order = make_order(plan.points, plan.trials, plan.anchor, rounds,
                          plan.scenario.base.get_if(keys::measure.seed).value_or(0));
}

// A run may go on with another budget, or with none.
Scenario without_budget(Scenario scenario) {
  scenario.base.erase(keys::measure.budget);
  return scenario;
}

}  // namespace

Draft draft_plan(const Scenario& scenario, const PlanContext& context) {
  const auto rounds = scenario.base.get(keys::measure.rounds);
  Draft draft{draw_up(scenario, context, rounds), {}};
  draft.digest = digest_of_plan(scenario.base.has(keys::measure.budget)
                                    ? draw_up(without_budget(scenario), context, rounds)
                                    : draft.whole,
                                context.simulated);
  return draft;
}

Plan fit_plan(const Draft& draft, const PlanContext& context) {
  Plan plan = draft.whole;
  grow_window(plan, context);
  Pricing pricing(plan, context);
  if (plan.scenario.base.has(keys::measure.budget)) cut(plan, context, pricing);
  plan.digest = draft.digest;
  plan.datasets = pricing.datasets_of(plan.trials);
  plan.price = pricing.price_of(plan);
  refuse_what_cannot_fit(plan, context);
  refuse_short_windows(plan, context);
  refuse_windows_beyond_timeout(plan, context);
  put_in_order(plan);
  return plan;
}

Plan make_plan(const Scenario& scenario, const PlanContext& context) {
  return fit_plan(draft_plan(scenario, context), context);
}

}  // namespace benchbench
