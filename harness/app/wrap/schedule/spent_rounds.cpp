#include "harness/app/wrap/schedule/spent_rounds.h"

#include "harness/app/wrap/schedule/round_lengths.h"

#include <algorithm>

namespace benchbench {
namespace {

Nanoseconds whole(double ns) noexcept { return Nanoseconds{static_cast<std::int64_t>(ns)}; }

}  // namespace

void SpentRounds::ask(const WrapStretchOrder& asked, Nanoseconds batch) {
  asked_ += static_cast<double>(std::max(asked.least, time_for(asked.batches, batch)).count());
  ++stretches_;
  rounds_ = std::max(rounds_, asked.round + 1);
}

void SpentRounds::add(const WrapStretch& stretch) {
  const ExternalResult& result = stretch.result;
  if (result.segments.empty()) return;
  if (!begin_) begin_ = result.segments.front().first - result.warmup_ns;
  end_ = std::max(end_, result.segments.back().second);
  for (const auto& [begin, end] : result.segments) measured_ += static_cast<double>(end - begin);
}

Nanoseconds SpentRounds::in_all() const noexcept {
  return Nanoseconds{begin_ ? end_ - *begin_ : 0};
}

double SpentRounds::around() const noexcept {
  return std::max(0.0, static_cast<double>(in_all().count()) - measured_) / rounds_;
}

// Returns the time that all stretches of a round take together, over the length that is asked of
// one: T holds its batches, and takes less than asked.
double SpentRounds::measured_by_length() const noexcept {
  return measured_ / asked_ * stretches_ / rounds_;
}

Nanoseconds SpentRounds::expect_round(Nanoseconds stretch) const noexcept {
  return whole(around() + measured_by_length() * static_cast<double>(stretch.count()));
}

Nanoseconds SpentRounds::fit_stretch(Nanoseconds round) const noexcept {
  const double left = static_cast<double>(round.count()) - around(), by = measured_by_length();
  return by > 0 ? whole(left / by) : Nanoseconds::max();
}

}  // namespace benchbench
