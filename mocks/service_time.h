// How long a mock's work takes: a mean, a distribution around it, and the way the time is spent. Loader and
// trainer mocks share it, so that `distribution: exponential` means the same on both sides of the queue.
#pragma once
#include <cmath>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/description.h"
#include "harness/part/settings.h"

namespace benchbench {

enum class TimeDistribution : std::uint8_t { constant, uniform, exponential, lognormal };

inline constexpr std::string_view kDistributionNames[] = {"constant", "uniform", "exponential", "lognormal"};
inline constexpr std::string_view kWaitNames[] = {"sleep", "spin", "hybrid"};
inline constexpr double kLongestServiceTime = 86'400e9;  // a day, in ns

// The three parameters every mock that takes time has.
inline constexpr Parameter kDistributionParameter{
    .key = "distribution",
    .type = ParameterType::choice,
    .standard = "constant",
    .help = "How times scatter around their mean: constant, uniform, exponential, lognormal.",
    .choices = kDistributionNames};
inline constexpr Parameter kSpreadParameter{.key = "spread",
                                            .type = ParameterType::real,
                                            .standard = "0.5",
                                            .help =
                                                "uniform: half the width as a share of the mean (0..1); "
                                                "lognormal: the sigma of the logarithm. Else unused.",
                                            .least = 0,
                                            .most = 3};
inline constexpr Parameter kWaitParameter{.key = "wait",
                                          .type = ParameterType::choice,
                                          .standard = "hybrid",
                                          .help =
                                              "How the time passes: sleep (gives the core away), spin (keeps "
                                              "it), hybrid (sleeps to just before, then spins).",
                                          .choices = kWaitNames};

// Draws times. The mean of every distribution is the mean asked for. Thread-safe: all state is the caller's
// Random.
class ServiceTime {
 public:
  explicit ServiceTime(const Settings& settings)
      : distribution_(distribution_from(settings.text("distribution"))),
        spread_(settings.real("spread")),
        spend_(spend_from(settings.text("wait"))) {
    if (distribution_ == TimeDistribution::uniform && spread_ > 1)
      throw ScenarioError("spread is over 1, so uniform times would be negative",
                          "0..1 for distribution: uniform");
  }

  Spend spend() const noexcept { return spend_; }
  bool constant() const noexcept { return distribution_ == TimeDistribution::constant; }

  Nanoseconds draw(Nanoseconds mean, Random random) const noexcept {
    if (mean.count() <= 0) return Nanoseconds{0};
    return Nanoseconds{
        static_cast<std::int64_t>(std::llround(static_cast<double>(mean.count()) * factor(random)))};
  }

 private:
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
  static TimeDistribution distribution_from(std::string_view name) noexcept {
    for (std::size_t i = 0; i < std::size(kDistributionNames); ++i)
      if (kDistributionNames[i] == name) return static_cast<TimeDistribution>(i);
    return TimeDistribution::constant;
  }
  static Spend spend_from(std::string_view name) noexcept {
    return name == "sleep" ? Spend::sleep : name == "spin" ? Spend::spin : Spend::hybrid;
  }

  TimeDistribution distribution_;
  double spread_;
  Spend spend_;
};

}  // namespace benchbench
