// One look at a window of nights of one series: has it changed for good? Pure.
//
// E-divisive (Matteson and James, JASA 2014) with a t statistic in place of the energy statistic
// and its permutations, as Apache Otava (Hunter) has it: of all splits of the window the one whose
// two sides differ most, measured against what that split gives without a change. Beyond it, since
// some nights are bad:
//   - values further than 2 noises from their side's median count as 2 noises;
//   - the noise is that within the two sides, so limited;
//   - a side with too many nights that lie on the other side's level is no side: a bad night is
//     slower, so that of four to six slower nights all must be, and of faster ones all but one.
// A drift is a straight line that fits better than the split.
// A wide night may have been faster than measured, by its width: a change counts only where it is
// one with the nights of its slower side so much faster.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/words.h"

namespace benchbench {

inline constexpr std::size_t kHistoryWindow = 50;   // nights: older ones are not looked at
inline constexpr std::size_t kLearningNights = 10;  // fewer, and nothing is said
inline constexpr std::size_t kNightsBefore = 6;     // of a change, at least
inline constexpr std::size_t kNightsAfter = 4;
inline constexpr std::size_t kDriftNights = 20;  // fewer, and a line is not looked for
inline constexpr double kMinDeviations = 1.3;    // of one night; along a drift twice as many
// The least width of a wide night: harness/decisions/wide-nights.md.
inline constexpr double kNoisyWidth = 0.06;

enum class ChangeKind : std::uint8_t { step, drift };
template <>
inline constexpr auto kWordsOf<ChangeKind> = std::to_array<std::string_view>({"step", "drift"});

struct FoundChange {
  ChangeKind kind = ChangeKind::step;
  std::size_t first = 0;  // index in the window of the first changed night; 0 of a drift
  double log_ratio = 0;   // after over before; of a drift, last night over first along the line
};

// `logs`: the natural logarithms of one value a night, oldest first, higher is better; the last
// kHistoryWindow count, and `first` is an index in what was given. nullopt under kLearningNights.
// `widths` has SeriesNight::width of each night, or nothing where no night is wide. `log_ratio` is
// of the values as they were measured.
std::optional<FoundChange> look_for_change(std::span<const double> logs,
                                           std::span<const double> widths = {});

// Nights that were told as levels, each but the first beginning at an index in `starts`, ascending:
// the change along a straight line through all of them where that is a drift and fits better than
// the levels do. At most kHistoryWindow nights.
std::optional<double> drift_instead(std::span<const double> logs,
                                    std::span<const std::size_t> starts,
                                    std::span<const double> widths = {});

}  // namespace benchbench
