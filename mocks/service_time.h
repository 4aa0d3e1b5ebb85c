// How long a mock's work takes: a mean, a distribution around it, and the way the time is spent.
// Loader and trainer mocks share it, so that `distribution: exponential` means the same on both
// sides of the queue.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/core/words.h"
#include "harness/part/description.h"
#include "harness/part/settings.h"
#include "mocks/deadline_chain.h"

namespace benchbench {

enum class TimeDistribution : std::uint8_t { constant, uniform, exponential, lognormal };
template <>
inline constexpr auto kWordsOf<TimeDistribution> =
    std::to_array<std::string_view>({"constant", "uniform", "exponential", "lognormal"});
template <>
inline constexpr auto kWordsOf<Pace> = std::to_array<std::string_view>({"chained", "entered"});
template <>
inline constexpr auto kWordsOf<Spend> =
    std::to_array<std::string_view>({"sleep", "spin", "hybrid"});

inline constexpr double kLongestServiceTime = 86'400e9;  // a day, in ns

// Returns a parameter of a mock's time, none unless given.
constexpr Parameter time_parameter(std::string_view key, std::string_view help) {
  return {key, ParameterType::duration, "0s", help, 0, kLongestServiceTime};
}

// The three parameters every mock that takes time has.
inline constexpr Parameter kDistributionParameter = choice_parameter(
    "distribution", "constant",
    "Distribution of the times around their mean: constant, uniform, exponential, lognormal.",
    kWordsOf<TimeDistribution>);
inline constexpr Parameter kSpreadParameter = {
    "spread",
    ParameterType::real,
    "0.5",
    "uniform: half the width as a share of the mean (0..1); "
    "lognormal: the sigma of the logarithm. Otherwise unused.",
    0,
    3};
inline constexpr Parameter kWaitParameter = choice_parameter(
    "wait", "hybrid",
    "How the time passes: sleep (releases the core), spin (keeps it), hybrid (sleeps until "
    "just before the end, then spins).",
    kWordsOf<Spend>);

inline constexpr Parameter kPaceParameter = choice_parameter(
    "pace", "chained",
    "Start of a time: chained (of a loader when the work could have begun, so that the "
    "hand-over costs nothing; of a step its call, less what the step before overran), entered "
    "(the call, so that the cost of the hand-over shows in the rate).",
    kWordsOf<Pace>);

inline Spend spend_from(const Settings& settings) {
  return from_name<Spend>(settings.text("wait")).value_or(Spend::hybrid);
}

// Of mocks whose slow tail can be cut off, to see what it costs.
inline constexpr Parameter kClipParameter = {"clip_at",
                                             ParameterType::real,
                                             "none",
                                             "Drawn times are clipped at this quantile of their "
                                             "distribution: 0.9 reduces the slowest tenth to the "
                                             "90th percentile. No effect on constant times.",
                                             0,
                                             1};

// The value below which the share `p` of a standard normal distribution lies, by bisection.
inline double normal_quantile(double p) noexcept {
  double low = -9, high = 9;
  for (int i = 0; i < 64; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Throws ScenarioError where a time could be negative.
inline void check_times(const Settings& settings) {
  if (settings.text("distribution") == "uniform" && settings.real("spread") > 1)
    throw ScenarioError("spread is over 1, which would make uniform times negative",
                        "use 0..1 with distribution: uniform");
}

// Draws times. The mean of every distribution is the mean asked for, unless it is clipped.
// Thread-safe: all state is the caller's Random.
class ServiceTime {
 public:
  explicit ServiceTime(const Settings& settings)
      : distribution_(from_name<TimeDistribution>(settings.text("distribution"))
                          .value_or(TimeDistribution::constant)),
        spread_(settings.real("spread")),
        spend_(spend_from(settings)),
        pace_(settings.has("pace") && settings.text("pace") == "entered" ? Pace::entered
                                                                         : Pace::chained) {
    check_times(settings);
    if (settings.has("clip_at")) max_ = quantile(settings.real("clip_at"));
  }

  Spend spend() const noexcept { return spend_; }
  Pace pace() const noexcept { return pace_; }
  bool constant() const noexcept { return distribution_ == TimeDistribution::constant; }

  Nanoseconds draw(Nanoseconds mean, Random random) const noexcept {
    if (mean.count() <= 0) return Nanoseconds{0};
    return Nanoseconds{static_cast<std::int64_t>(
        std::llround(static_cast<double>(mean.count()) * std::min(factor(random), max_)))};
  }

 private:
  // Of the times over their mean.
  double quantile(double p) const noexcept {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    switch (distribution_) {
      case TimeDistribution::constant:
        return kNone;
      case TimeDistribution::uniform:
        return 1 - spread_ + 2 * spread_ * p;
      case TimeDistribution::exponential:
        return p < 1 ? -std::log1p(-p) : kNone;
      case TimeDistribution::lognormal:
        return p < 1 ? std::exp(spread_ * normal_quantile(p) - spread_ * spread_ / 2) : kNone;
    }
    return kNone;
  }
  double factor(Random& random) const noexcept {
    switch (distribution_) {
      case TimeDistribution::constant:
        return 1;
      case TimeDistribution::uniform:
        return random.uniform(1 - spread_, 1 + spread_);
      case TimeDistribution::exponential:
        return random.exponential(1);
      case TimeDistribution::lognormal:
        return std::exp(spread_ * random.normal() - spread_ * spread_ / 2);
    }
    return 1;
  }

  TimeDistribution distribution_;
  double spread_;
  Spend spend_;
  Pace pace_;
  double max_ = std::numeric_limits<double>::infinity();
};

}  // namespace benchbench
