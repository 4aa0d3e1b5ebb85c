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
  const std::size_t from = std::max(before_, logs_.size() - std::min(logs_.size(), kHistoryWindow));
  if (!after_step || from >= level_) return false;
  std::vector<std::size_t> starts{level_ - from};
  if (found && found->kind == ChangeKind::step) starts.push_back(found->first - from);
  const auto change =
      drift_instead(std::span(logs_).subspan(from), starts, std::span(widths_).subspan(from));
  Alert& alert = alerts_.back();
  if (!change || (*change < 0) != alert.worse()) return false;
  alert = {ChangeKind::drift, nights_[from],  nights_[from],
           alert.told,        nights_.back(), std::exp(*change)};
  begin_after_drift();
  return true;
}

// Its next night begins anew.
void SeriesJudge::begin_after_drift() {
  level_ = before_ = logs_.size();
  after_drift_ = true;
}

void SeriesJudge::tell_drift(double ratio, std::size_t first) {
  const std::size_t now = nights_.back();
  if (after_drift_ && (ratio < 1) == alerts_.back().worse()) {  // the last one goes on
    alerts_.back().last = now;
    alerts_.back().ratio *= ratio;
  } else {
    alerts_.push_back({ChangeKind::drift, nights_[first], nights_[first], now, now, ratio});
  }
  begin_after_drift();
}

void SeriesJudge::tell(const FoundChange& found) {
  const std::size_t now = nights_.back();
  const double ratio = std::exp(found.log_ratio);
  if (found.kind == ChangeKind::drift) return tell_drift(ratio, found.first);
  alerts_.push_back({found.kind, nights_[found.first], nights_[found.first - 1], now, now, ratio});
  before_ = level_;
  level_ = found.first;  // what follows is compared with the new level
  after_drift_ = false;
}

}  // namespace benchbench
