#include "harness/plan/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/record/measure_limits.h"

namespace benchbench {
namespace {

constexpr std::uint32_t kMinRounds = 2;  // one has no interval
constexpr int kShares = 16;

class Cutting {
 public:
  Cutting(const Scenario& scenario, Nanoseconds budget, const PriceOfCuts& price)
      : scenario_(scenario), budget_(budget), price_(price) {
    cuts_.rounds = static_cast<std::uint32_t>(scenario.base.integer("measure.rounds"));
    cuts_.window = scenario.base.duration("measure.window");
    cuts_.window_batches = scenario.base.integer("measure.window_batches");
    cuts_.axes = scenario.axes.size();
  }

  Cuts run() {
    cut_rounds();
    cut_window();
    cut_axes();
    if (!fits())
      cuts_.told.push_back(fmt::format("still about {} over a budget of {}",
                                       human_duration(from_seconds(price_(cuts_)) - budget_),
                                       duration_text(budget_)));
    return std::move(cuts_);
  }

 private:
  bool fits() const { return price_(cuts_) <= to_seconds(budget_); }

  // Every round costs the same.
  void cut_rounds() {
    const std::uint32_t asked = cuts_.rounds;
    if (asked <= kMinRounds || fits()) return;
    const double fitting = std::floor(to_seconds(budget_) / (price_(cuts_) / asked));
    cuts_.rounds = static_cast<std::uint32_t>(std::clamp<double>(fitting, kMinRounds, asked));
    if (cuts_.rounds < asked)
      cuts_.told.push_back(fmt::format("rounds: {} instead of {}, for a budget of {}", cuts_.rounds, asked,
                                       duration_text(budget_)));
  }

  // To what fits, in sixteenths of what lies above the minimum.
  void cut_window() {
    const Nanoseconds asked = cuts_.window;
    const std::int64_t asked_batches = cuts_.window_batches;
    const WindowClass& min = window_class(scenario_.base.text("measure.class"));
    const Nanoseconds floor = std::min(asked, min.window);
    const std::int64_t floor_batches = std::min(asked_batches, min.batches);
    const auto set = [&](int share) {
      cuts_.window = floor + (asked - floor) * share / kShares;
      cuts_.window_batches = floor_batches + (asked_batches - floor_batches) * share / kShares;
    };
    int fitting = 0, too_much = kShares;
    if (fits()) return;
    while (too_much - fitting > 1) {
      const int middle = (fitting + too_much) / 2;
      set(middle);
      (fits() ? fitting : too_much) = middle;
    }
    set(fitting);
    if (cuts_.window < asked)
      cuts_.told.push_back(
          fmt::format("window: {} instead of {}", duration_text(cuts_.window), duration_text(asked)));
    if (cuts_.window_batches < asked_batches)
      cuts_.told.push_back(
          fmt::format("window_batches: {} instead of {}", cuts_.window_batches, asked_batches));
  }

  void cut_axes() {
    while (cuts_.axes > 0 && !fits()) {
      --cuts_.axes;
      cuts_.told.push_back(fmt::format("sweep of {}: left out", scenario_.axes[cuts_.axes].key));
    }
  }

  const Scenario& scenario_;
  const Nanoseconds budget_;
  const PriceOfCuts& price_;
  Cuts cuts_;
};

}  // namespace

Cuts cut_to_budget(const Scenario& scenario, Nanoseconds budget, const PriceOfCuts& price) {
  return Cutting(scenario, budget, price).run();
}

}  // namespace benchbench
