#include "harness/analysis/history/alerts.h"

#include <algorithm>
#include <cmath>

namespace benchbench {

void SeriesJudge::begin_anew() {
  logs_.clear();
  widths_.clear();
  nights_.clear();
  level_ = before_ = 0;
  after_drift_ = false;
}

void SeriesJudge::add(const SeriesNight& night) {
  const std::size_t index = given_++;
  if (night.new_machine) begin_anew();
  if (night.machine_changed || !night.log || !std::isfinite(*night.log)) return;
  logs_.push_back(*night.log);
  widths_.push_back(night.width);
  nights_.push_back(index);
  auto found =
      look_for_change(std::span(logs_).subspan(level_), std::span(widths_).subspan(level_));
  if (found) found->first += level_;
  if (!revised(found) && found) tell(*found);
}

// Steps in one direction that a line fits better are the drift that they were parts of.
bool SeriesJudge::revised(const std::optional<FoundChange>& found) {
  const bool after_step =
      level_ > before_ && level_ > 0 && !alerts_.empty() && alerts_.back().kind == ChangeKind::step;
  if (!after_step) return false;
  const std::size_t from = std::max(before_, logs_.size() - std::min(logs_.size(), kHistoryWindow));
  if (from >= level_) return false;
  std::vector<std::size_t> starts{level_ - from};
  if (found && found->kind == ChangeKind::step) starts.push_back(found->first - from);
  const auto change =
      drift_instead(std::span(logs_).subspan(from), starts, std::span(widths_).subspan(from));
  if (!change || (*change < 0) != alerts_.back().worse()) return false;
  Alert& alert = alerts_.back();
  alert = {ChangeKind::drift, nights_[from],  nights_[from],
           alert.told,        nights_.back(), std::exp(*change)};
  level_ = before_ = logs_.size();
  after_drift_ = true;
  return true;
}

void SeriesJudge::tell(const FoundChange& found) {
  const std::size_t now = nights_.back();
  if (found.kind == ChangeKind::drift) {
    const bool goes_on = after_drift_ && (found.log_ratio < 0) == alerts_.back().worse();
    if (goes_on) {
      alerts_.back().last = now;
      alerts_.back().ratio *= std::exp(found.log_ratio);
    } else {
      alerts_.push_back({found.kind, nights_[found.first], nights_[found.first], now, now,
                         std::exp(found.log_ratio)});
    }
    level_ = before_ = logs_.size();  // its next night begins anew
    after_drift_ = true;
    return;
  }
  alerts_.push_back({found.kind, nights_[found.first], nights_[found.first - 1], now, now,
                     std::exp(found.log_ratio)});
  before_ = level_;
  level_ = found.first;  // what follows is compared with the new level
  after_drift_ = false;
}

}  // namespace benchbench
