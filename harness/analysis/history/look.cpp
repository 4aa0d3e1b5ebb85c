#include "harness/analysis/history/look.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/analysis/history/statistic.h"
#include "harness/analysis/history/thresholds.h"
#include "harness/analysis/statistics/difference.h"

namespace benchbench {
namespace {

// True if the statistic is beyond its threshold, which no chance reaches, and the change is large.
bool is_change(double t, double threshold, double log_ratio) {
  return decide({t, t - threshold, t + threshold, 0}, std::expm1(log_ratio), kMinEffect) !=
         Difference::unsure;
}

// Medians that differ by so much: a fifth of the splits of a window without a change.
bool is_likely(const Splits& splits, std::size_t before) {
  return std::abs(splits.median_change(before)) >= kMinEffect / 2;
}

// The nights of one window, with their values as they were measured. Wide ones moved towards the
// level of all would lower the noise that the others are held against.
class NightWindow {
 public:
  NightWindow(std::span<const double> logs, std::span<const double> widths)
      : logs_(logs), widths_(widths), noise_(night_noise(logs)) {}
  std::span<const double> logs() const { return logs_; }
  double noise() const { return noise_; }
  std::size_t size() const { return logs_.size(); }
  bool has_wide() const {
    return std::ranges::any_of(widths_, [](double width) { return width > 0; });
  }
  // With the nights from `from` on, before `to`, faster by their widths, up to `most`.
  std::vector<double> with_faster(std::size_t from, std::size_t to, double most) const {
    std::vector<double> moved(logs_.begin(), logs_.end());
    for (std::size_t i = from; i < to; ++i)
      if (moved[i] < most) moved[i] = std::min(most, moved[i] + widths_[i]);
    return moved;
  }

 private:
  std::span<const double> logs_, widths_;
  double noise_;
};

bool exceeds(const Split& s, std::size_t nights, double score) {
  return s.agrees &&
         is_change(s.t, score * split_threshold(s.before, nights - s.before), s.right - s.left);
}

// True if the split is one with its slower side's nights as fast as they may have been.
bool is_clear_of_widths(const NightWindow& window, const Split& split, double score) {
  if (!window.has_wide()) return true;
  const bool slower = split.right < split.left;
  const auto moved = slower ? window.with_faster(split.before, window.size(), split.left)
                            : window.with_faster(0, split.before, split.right);
  const Split s = Splits(moved, window.noise()).at(split.before);
  return exceeds(s, window.size(), score) && (s.right < s.left) == slower;
}

struct BestSplit {
  Split split;
  double score = 0;  // t over its threshold
};

// Of those with a score above `least`.
BestSplit best_split(const NightWindow& window, const Splits& splits, double least) {
  const std::size_t nights = window.size();
  BestSplit best{{}, least};
  for (std::size_t before = kNightsBefore; before + kNightsAfter <= nights; ++before) {
    if (!is_likely(splits, before)) continue;
    const Split s = splits.at(before);
    if (exceeds(s, nights, best.score) && is_clear_of_widths(window, s, least))
      best = {s, s.t / split_threshold(before, nights - before)};
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

double change_along(const Line& line, std::size_t nights) {
  return line.slope * static_cast<double>(nights - 1);
}

bool is_drift(const Line& line, std::size_t nights) {
  const double change = change_along(line, nights);
  return is_change(line.t, line_threshold(nights), change) &&
         std::abs(change) >= 2 * kMinDeviations * line.deviation;
}

// True if the line is one with its slower half's nights as fast as they may have been.
bool is_clear_of_widths(const NightWindow& window, const Line& line) {
  if (!window.has_wide()) return true;
  const std::size_t half = window.size() / 2;
  const auto moved = line.slope < 0 ? window.with_faster(half, window.size(), line.middle)
                                    : window.with_faster(0, half, line.middle);
  const Line with = line_through(moved, window.noise());
  return is_drift(with, window.size()) && (with.slope < 0) == (line.slope < 0);
}

std::optional<LineLook> look_at_line(const NightWindow& window) {
  const std::size_t nights = window.size();
  if (nights < kDriftNights) return std::nullopt;
  const Line line = line_through(window.logs(), window.noise());
  return LineLook{change_along(line, nights),
                  is_drift(line, nights) && is_clear_of_widths(window, line), line.misfit};
}

// A drift where the line fits better than the split, else a step that is clear.
std::optional<FoundChange> better_word(const NightWindow& window,
                                       const std::optional<LineLook>& line, const BestSplit& best) {
  const Split& split = best.split;
  const bool fits_line = line && (split.before == 0 || line->misfit < split.misfit);
  if (fits_line && line->is_drift) return FoundChange{ChangeKind::drift, 0, line->change};
  if (split.before == 0 || best.score <= 1) return std::nullopt;
  const double clearly = kClearlyBetter * split.deviation * split.deviation;
  if (line && line->misfit < split.misfit + clearly) return std::nullopt;
  return FoundChange{ChangeKind::step, first_changed(window.logs(), split),
                     split.right - split.left};
}

// Returns the last `n` of values that are given for each night, or nothing where none are.
std::span<const double> last_of(std::span<const double> values, std::size_t n) {
  return values.empty() ? values : values.last(n);
}

}  // namespace

std::optional<FoundChange> look_for_change(std::span<const double> logs,
                                           std::span<const double> widths) {
  if (logs.size() < kLearningNights) return std::nullopt;
  const std::size_t nights = std::min(logs.size(), kHistoryWindow);
  const std::size_t skipped = logs.size() - nights;
  const NightWindow window(logs.last(nights), last_of(widths, nights));
  const Splits splits(window.logs(), window.noise());
  // Half of a drift's change lies between the halves of its window.
  const bool may_drift = std::abs(splits.median_change(nights / 2)) >= kMinEffect / 4;
  const BestSplit clear = best_split(window, splits, 1);
  if (clear.split.before == 0 && !may_drift) return std::nullopt;
  const auto line = look_at_line(window);
  // Where a line might be the better word, the split it is compared with need not be beyond its
  // threshold.
  const BestSplit best =
      line && line->is_drift && clear.split.before == 0 ? best_split(window, splits, 0) : clear;
  auto found = better_word(window, line, best);
  if (found) found->first += skipped;
  return found;
}

std::optional<double> drift_instead(std::span<const double> logs,
                                    std::span<const std::size_t> starts,
                                    std::span<const double> widths) {
  const NightWindow window(logs, widths);
  const double noise = window.noise();
  const auto line = look_at_line(window);
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
