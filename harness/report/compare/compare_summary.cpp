#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/core/units.h"
#include "harness/report/compare/compare_words.h"

namespace benchbench {
namespace {

// "SLOWER at a, b (2 of 3 points)".
std::string points_with(const ComparisonFindings& f, Judged judged) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  for (const PointComparison& p : f.points)
    if (std::ranges::count(p.metrics, judged, &MetricComparison::judgement) > 0)
      names.push_back(visible(p.name));
  if (names.empty()) return "";
  const std::size_t all = names.size();
  names.resize(std::min(all, kNamed));
  return fmt::format("{} at {}{} ({} of {})", name_of(judged), fmt::join(names, ", "),
                     all > kNamed ? ", ..." : "", all, counted(f.points.size(), "point"));
}

// "; run again: 1 confirmed, 2 unconfirmed".
std::string again_text(const CompareReport& r) {
  if (!r.confirmation) return "";
  std::vector<std::string> counts;
  for (const AlertState state : {AlertState::confirmed, AlertState::unconfirmed, AlertState::kept})
    if (const auto n = std::ranges::count(r.confirmation->alerts, state, &SlowerAlert::state);
        n > 0)
      counts.push_back(fmt::format("{} {}", n, name_of(state)));
  return fmt::format("; run again: {}", fmt::join(counts, ", "));
}

// Returns what can be said of the rounds that there are.
std::string summary_of_rounds(const CompareReport& r) {
  const ComparisonFindings& f = r.found;
  if (f.not_comparable != NotComparable::none) return "not comparable: " + not_comparable_text(f);
  if (f.relation == Relation::itself) return "A and B are the same run";
  const std::string slower = points_with(f, Judged::slower),
                    faster = points_with(f, Judged::faster);
  std::string text = slower + (slower.empty() || faster.empty() ? "" : "; ") + faster;
  if (text.empty()) {
    if (f.says_nothing()) return "nothing can be said: every comparison is UNSURE or INVALID";
    text = fmt::format("no change is shown: {} SAME, {} UNSURE, {} INVALID", f.count(Judged::same),
                       f.count(Judged::unsure), f.count(Judged::invalid));
  }
  text += again_text(r);
  const auto moved = std::ranges::count_if(f.points, &PointComparison::side_moved);
  if (moved > 0)
    text += fmt::format("; the binding side moved at {}",
                        counted(static_cast<std::uint64_t>(moved), "point"));
  return text;
}

}  // namespace

std::string compare_summary(const CompareReport& r) {
  return r.ended_early.empty() ? summary_of_rounds(r)
                               : fmt::format("{}; {}", r.ended_early, summary_of_rounds(r));
}

}  // namespace benchbench
