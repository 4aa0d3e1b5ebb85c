#include "harness/series/stalls.h"

#include <algorithm>
#include <array>

#include "harness/series/periods.h"

namespace benchbench {
namespace {

constexpr std::size_t kMaxNamed = 32;
constexpr std::size_t kCauses = kWordsOf<StallCause>.size();

using Terms = std::array<double, kCauses>;

Terms terms_of(const StepSeries& series, std::size_t i) {
  const auto after = series.after.empty() ? 0 : series.after[i];
  const auto checkpoint = series.checkpoint.empty() ? 0 : series.checkpoint[i];
  const auto core_wait = series.core_wait.empty() ? 0 : series.core_wait[i];
  return {static_cast<double>(series.get_blocked[i]), static_cast<double>(series.step[i]),
          static_cast<double>(after - checkpoint), static_cast<double>(checkpoint),
          static_cast<double>(core_wait)};
}

Terms usual_terms(const StepSeries& series) {
  const double after = usual_of(series.after).median;
  const double checkpoint = usual_of(series.checkpoint).median;
  return {usual_of(series.get_blocked).median, usual_of(series.step).median, after - checkpoint,
          checkpoint, usual_of(series.core_wait).median};
}

StallCause cause_of(const Terms& terms, const Terms& usual) {
  Terms beyond;
  for (std::size_t c = 0; c < kCauses; ++c) beyond[c] = terms[c] - usual[c];
  return static_cast<StallCause>(std::ranges::max_element(beyond) - beyond.begin());
}
// Returns that of all, else that of one cause's.
double find_period(const std::vector<Stall>& stalls, std::uint64_t length) {
  std::vector<std::uint64_t> all;
  std::array<std::vector<std::uint64_t>, kCauses> by_cause;
  for (const Stall& stall : stalls) {
    all.push_back(stall.step);
    by_cause[static_cast<std::size_t>(stall.cause)].push_back(stall.step);
  }
  double period = period_of(all, length);
  for (std::size_t c = 0; c < kCauses && period == 0; ++c) period = period_of(by_cause[c], length);
  return period;
}

// The longest, in the order they came.
void keep_longest(std::vector<Stall>& stalls) {
  const auto longer = [](const Stall& a, const Stall& b) { return a.ns > b.ns; };
  if (stalls.size() > kMaxNamed) {
    std::nth_element(stalls.begin(), stalls.begin() + kMaxNamed, stalls.end(), longer);
    stalls.resize(kMaxNamed);
  }
  std::ranges::sort(stalls, [](const Stall& a, const Stall& b) { return a.step < b.step; });
}

}  // namespace

std::vector<std::int64_t> whole_steps(const StepSeries& series) {
  std::vector<std::int64_t> whole = series.step;
  for (const auto* more : {&series.get_blocked, &series.after, &series.core_wait})
    for (std::size_t i = 0; i < std::min(whole.size(), more->size()); ++i) whole[i] += (*more)[i];
  return whole;
}

StallFacts stalls_of(const StepSeries& series) {
  StallFacts facts;
  if (series.size() < 3) return facts;
  const std::vector<std::int64_t> whole = whole_steps(series);
  const Usual usual = usual_of(whole);
  const Terms usual_of_each = usual_terms(series);
  const double limit = std::max(3 * usual.median, usual.median + 10 * usual.mad);
  for (std::size_t i = 1; i + 1 < whole.size(); ++i) {
    if (static_cast<double>(whole[i]) <= limit) continue;
    const std::int64_t beyond = whole[i] - static_cast<std::int64_t>(usual.median);
    facts.total_ns += beyond;
    facts.longest.push_back({.at_ns = series.end[i] - whole[i],
                             .ns = beyond,
                             .step = i,
                             .cause = cause_of(terms_of(series, i), usual_of_each)});
  }
  facts.count = facts.longest.size();
  facts.period_steps = find_period(facts.longest, whole.size());
  keep_longest(facts.longest);
  return facts;
}

}  // namespace benchbench
