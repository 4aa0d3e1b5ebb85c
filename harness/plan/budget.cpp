#include "harness/plan/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/core/contains.h"

#include "harness/record/measure_limits.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::size_t kShares = 16;

// Returns the one of the places left whose neighbours are nearest to each other; 0 where none may
// go.
std::size_t least_missed(const std::vector<std::size_t>& left,
                         const std::vector<SweptValue>& values) {
  std::size_t next = 0, gap = values.size();
  for (std::size_t i = 1; i + 1 < left.size(); ++i) {
    if (values[left[i]].base || left[i + 1] - left[i - 1] >= gap) continue;
    gap = left[i + 1] - left[i - 1];
    next = i;
  }
  return next;
}

// Places of `values` that may go, in the order they go: each time the one whose neighbours are
// nearest to each other, so that those left lie evenly.
std::vector<std::size_t> order_of_leaving(const std::vector<SweptValue>& values,
                                          std::size_t longer_than) {
  std::vector<std::size_t> left, leaving;
  for (std::size_t v = 0; v < values.size(); ++v)
    if (values[v].costs || values[v].base) left.push_back(v);
  if (left.size() <= longer_than) return {};
  while (const std::size_t next = least_missed(left, values)) {
    leaving.push_back(left[next]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return leaving;
}

class Cutting {
 public:
  Cutting(const Scenario& scenario, const Swept& swept, double seconds, const PriceOfCuts& price)
      : scenario_(scenario), swept_(swept), seconds_(seconds), price_(price) {
    asked_.rounds = scenario.base.get(keys::measure.rounds);
    asked_.window = scenario.base.get(keys::measure.window);
    asked_.window_batches = scenario.base.get(keys::measure.window_batches);
    for (const SweptAxis& axis : swept) {
      asked_.values.emplace_back(axis.values.size());
      std::iota(asked_.values.back().begin(), asked_.values.back().end(), std::size_t{0});
    }
    cuts_ = asked_;
  }

  Cuts run() {
    cut_rounds(kFirstLookRounds);
    cut_window();
    cut_middle_values(false, kLongAxis);
    cut_rounds(kLeastRounds);
    cut_middle_values(false, kShortAxis);
    cut_axes(false);
    cut_middle_values(true, kShortAxis);
    cut_axes(true);
    give_rounds_back();
    tell();
    return std::move(cuts_);
  }

 private:
  bool fits() const { return price_(cuts_) <= seconds_; }

  // The least of 0 to `most` steps of cutting that fits, else all of them. `set` cuts by so many.
  template <class Set>
  void cut(std::size_t most, Set set) {
    if (most == 0 || fits()) return;
    std::size_t too_little = 0, enough = most;
    while (enough - too_little > 1) {
      const std::size_t middle = too_little + (enough - too_little) / 2;
      set(middle);
      (fits() ? enough : too_little) = middle;
    }
    set(enough);
  }

  void cut_rounds(std::uint32_t least) {
    const std::uint32_t now = cuts_.rounds;
    cut(now > least ? now - least : 0,
        [&](std::size_t steps) { cuts_.rounds = now - static_cast<std::uint32_t>(steps); });
  }

  void cut_window() {
    const WindowClass& min = window_class(scenario_.base.get(keys::measure.window_class));
    const Nanoseconds window = std::min(asked_.window, min.window);
    const std::int64_t batches = std::min(asked_.window_batches, min.batches);
    if (window == asked_.window && batches == asked_.window_batches) return;
    cut(kShares, [&](std::size_t steps) {
      const auto left = static_cast<std::int64_t>(kShares - steps);
      constexpr auto kAll = static_cast<std::int64_t>(kShares);
      cuts_.window = window + (asked_.window - window) * left / kAll;
      cuts_.window_batches = batches + (asked_.window_batches - batches) * left / kAll;
    });
  }

  bool together() const { return scenario_.mode == SweepMode::zip; }

  void thin(std::size_t axis, const std::vector<std::size_t>& leaving, std::size_t steps) {
    const auto gone = leaving.begin() + static_cast<std::ptrdiff_t>(steps);
    const auto leaves = [&](std::size_t v) { return std::find(leaving.begin(), gone, v) != gone; };
    std::vector<std::size_t>& left = cuts_.values[axis] = asked_.values[axis];
    std::erase_if(left, leaves);
  }

  // An axis that went may have left more time than one round takes.
  void give_rounds_back() {
    while (cuts_.rounds < std::min(asked_.rounds, kFirstLookRounds) && fits()) ++cuts_.rounds;
    if (cuts_.rounds > kLeastRounds && !fits()) --cuts_.rounds;
  }

  // The command line gave the axis; a zip is one that it gave if any of its axes is.
  bool is_typed(std::size_t axis) const {
    return together() ? std::ranges::any_of(scenario_.axes, &Axis::typed)
                      : scenario_.axes[axis].typed;
  }

  void cut_middle_values(bool typed, std::size_t longer_than) {
    if (together()) return cut_rows_of_zip(typed, longer_than);
    for (std::size_t axis = swept_.size(); axis-- > 0;) {
      if (is_typed(axis) != typed) continue;
      const auto leaving = order_of_leaving(swept_[axis].values, longer_than);
      cut(leaving.size(), [&](std::size_t steps) { thin(axis, leaving, steps); });
    }
  }

  void cut_rows_of_zip(bool typed, std::size_t longer_than) {
    if (swept_.empty() || is_typed(0) != typed) return;
    const auto leaving = order_of_leaving(values_of_zip(), longer_than);
    cut(leaving.size(), [&](std::size_t steps) {
      for (std::size_t axis = 0; axis < swept_.size(); ++axis) thin(axis, leaving, steps);
    });
  }

  // A place of a zip runs where any of its values does and is the base point's where all are.
  std::vector<SweptValue> values_of_zip() const {
    if (swept_.empty()) return {};
    std::vector<SweptValue> all(swept_.front().values.size(), {false, true});
    for (const SweptAxis& axis : swept_)
      for (std::size_t v = 0; v < std::min(all.size(), axis.values.size()); ++v) {
        all[v].costs = all[v].costs || axis.values[v].costs;
        all[v].base = all[v].base && axis.values[v].base;
      }
    return all;
  }

  bool costs_still(std::size_t axis) const {
    return swept_[axis].costs && !cuts_.values[axis].empty();
  }

  // One of all axes that cost anything stays, typed or not.
  void cut_axes(bool typed) {
    if (together()) return;
    std::size_t left = 0;
    for (std::size_t axis = 0; axis < swept_.size(); ++axis) left += costs_still(axis);
    for (std::size_t axis = swept_.size(); axis-- > 0 && left > 1;) {
      if (!costs_still(axis) || is_typed(axis) != typed) continue;
      cut(1, [&](std::size_t) { cuts_.values[axis].clear(); });
      --left;
    }
  }

  std::string values_told(std::size_t axis) const {
    std::string told;
    for (const std::size_t v : asked_.values[axis])
      if (!contains(cuts_.values[axis], v))
        told += (told.empty() ? "" : ", ") + scenario_.axes[axis].values[v].label;
    return told;
  }

  // Imports and data that came first took of it, too.
  std::string left_words(const std::string& budget) const {
    const double spent = to_seconds(scenario_.base.get(keys::measure.budget)) - seconds_;
    return spent < 1 ? "the budget of " + budget
                     : fmt::format("the {} that are left of the budget of {}",
                                   human_duration(from_seconds(std::max(0.0, seconds_))), budget);
  }

  void tell() {
    auto& told = cuts_.told;
    const std::string budget = duration_text(scenario_.base.get(keys::measure.budget));
    if (cuts_.rounds < asked_.rounds)
      told.push_back(
          fmt::format("{} instead of {}", counted(cuts_.rounds, "round"), asked_.rounds));
    if (cuts_.window < asked_.window)
      told.push_back(fmt::format("windows of {} instead of {}", duration_text(cuts_.window),
                                 duration_text(asked_.window)));
    if (cuts_.window_batches < asked_.window_batches)
      told.push_back(fmt::format("windows of {} batches instead of {}", cuts_.window_batches,
                                 asked_.window_batches));
    for (std::size_t axis = 0; axis < swept_.size(); ++axis) tell_axis(axis);
    if (const double over = price_(cuts_) - seconds_; over > 0)
      told.push_back(
          fmt::format("estimated to need about {} more than {}: what has no time is not run",
                      human_duration(from_seconds(over)), left_words(budget)));
  }

  void tell_axis(std::size_t axis) {
    const auto& [key, values, typed] = scenario_.axes[axis];
    if (cuts_.values[axis] == asked_.values[axis]) return;
    const std::string what = cuts_.values[axis].empty()
                                 ? "sweep of " + key
                                 : fmt::format("{} {}", key, values_told(axis));
    cuts_.told.push_back(
        fmt::format("{} left out{}", what,
                    typed ? ", though it was asked for: nothing else was left to cut" : ""));
  }

  const Scenario& scenario_;
  const Swept& swept_;
  const double seconds_;
  const PriceOfCuts& price_;
  Cuts asked_, cuts_;
};

}  // namespace

Cuts cut_to_budget(const Scenario& scenario, const Swept& swept, double seconds,
                   const PriceOfCuts& price) {
  return Cutting(scenario, swept, seconds, price).run();
}

Scenario cut_scenario(Scenario scenario, const Cuts& cuts) {
  std::vector<Axis> left;
  for (std::size_t axis = 0; axis < scenario.axes.size(); ++axis) {
    if (cuts.values[axis].empty()) continue;
    Axis& asked = scenario.axes[axis];
    left.push_back({asked.key, {}, asked.typed});
    for (const std::size_t v : cuts.values[axis])
      left.back().values.push_back(std::move(asked.values[v]));
  }
  scenario.axes = std::move(left);
  scenario.base.set(keys::measure.window, cuts.window);
  scenario.base.set(keys::measure.window_batches, cuts.window_batches);
  scenario.base.set(keys::measure.rounds, cuts.rounds);
  return scenario;
}

}  // namespace benchbench
