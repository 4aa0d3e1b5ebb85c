#include "harness/analysis/history/look.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/history/statistic.h"
#include "harness/analysis/history/thresholds.h"

namespace benchbench {
namespace {

bool is_large(double log_ratio) { return std::abs(std::expm1(log_ratio)) >= kMinChange; }

// Medians that differ by so much: a fifth of the splits of a window without a change.
bool is_likely(const Splits& splits, std::size_t before) {
  return std::abs(splits.median_change(before)) >= kMinChange / 2;
}

struct BestSplit {
  Split split;
  double score = 0;  // t over its threshold
};

// Of those with a score above `least`.
BestSplit best_split(const Splits& splits, std::size_t nights, double least) {
  BestSplit best{{}, least};
  for (std::size_t before = kNightsBefore; before + kNightsAfter <= nights; ++before) {
    const double threshold = split_threshold(before, nights - before);
    if (!is_likely(splits, before)) continue;
    const Split s = splits.at(before);
    if (s.t > best.score * threshold && s.agrees && is_large(s.right - s.left))
      best = {s, s.t / threshold};
  }
  return best;
}

// Squared deviations by which a step must fit better than a line to be called one: where neither is
// clear a later night tells.
constexpr double kClearlyBetter = 3;

// Of four faster nights one may lie on the old level, and is then often the first: the change
// begins behind it.
std::size_t first_changed(std::span<const double> window, const Split& split) {
  std::size_t first = split.before;
  const double middle = (split.left + split.right) / 2;
  while (first + 1 < window.size() && (window[first] < middle) == (split.left < middle)) ++first;
  return first;
}

struct LineLook {
  double change = 0;      // over the window
  bool is_drift = false;  // large, and beyond its threshold
  double misfit = 0;
};

std::optional<LineLook> look_at_line(std::span<const double> window, double noise) {
  if (window.size() < kDriftNights) return std::nullopt;
  const Line line = line_through(window, noise);
  const double change = line.slope * static_cast<double>(window.size() - 1);
  const bool is_drift = is_large(change) &&
                        std::abs(change) >= 2 * kMinDeviations * line.deviation &&
                        line.t >= line_threshold(window.size());
  return LineLook{change, is_drift, line.misfit};
}

}  // namespace

std::optional<FoundChange> look_for_change(std::span<const double> logs) {
  if (logs.size() < kLearningNights) return std::nullopt;
  const std::size_t skipped = logs.size() - std::min(logs.size(), kHistoryWindow);
  const auto window = logs.subspan(skipped);
  const double noise = night_noise(window);
  const Splits splits(window, noise);
  // Half of a drift's change lies between the halves of its window.
  const bool may_drift = std::abs(splits.median_change(window.size() / 2)) >= kMinChange / 4;
  const BestSplit clear = best_split(splits, window.size(), 1);
  if (clear.split.before == 0 && !may_drift) return std::nullopt;
  const auto line = look_at_line(window, noise);
  // Where a line might be the better word, the split it is compared with need not be beyond its
  // threshold.
  const BestSplit best = line && line->is_drift && clear.split.before == 0
                             ? best_split(splits, window.size(), 0)
                             : clear;
  const bool fits_line = line && (best.split.before == 0 || line->misfit < best.split.misfit);
  if (fits_line && line->is_drift) return FoundChange{ChangeKind::drift, skipped, line->change};
  if (best.split.before == 0 || best.score <= 1) return std::nullopt;
  const double clearly = kClearlyBetter * best.split.deviation * best.split.deviation;
  if (line && line->misfit < best.split.misfit + clearly) return std::nullopt;
  return FoundChange{ChangeKind::step, skipped + first_changed(window, best.split),
                     best.split.right - best.split.left};
}

std::optional<double> drift_instead(std::span<const double> logs,
                                    std::span<const std::size_t> starts) {
  const double noise = night_noise(logs);
  const auto line = look_at_line(logs, noise);
  if (!line || !line->is_drift) return std::nullopt;
  double misfit = 0;
  std::size_t from = 0;
  for (const std::size_t start : starts) {
    misfit += level_misfit(logs.subspan(from, start - from), noise);
    from = start;
  }
  misfit += level_misfit(logs.subspan(from), noise);
  return line->misfit < misfit ? std::optional(line->change) : std::nullopt;
}

}  // namespace benchbench
