#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/core/units.h"
#include "harness/report/compare/compare_words.h"

namespace benchbench {
namespace {

// The second run was UNSURE: it neither confirms the alert nor shows that there is nothing.
bool is_open(const CompareReport& r, const BrokenGate& broken) {
  const SlowerAlert* alert = alert_at(r, broken);
  return alert && alert->state == AlertState::unconfirmed && alert->again == Judged::unsure;
}

bool has_invalid(const CompareReport& r, const Gate& gate) {
  if (gate.of != GateOf::slower) return false;
  return std::ranges::any_of(r.found.points, [](const PointComparison& p) {
    return std::ranges::any_of(p.metrics, [](const MetricComparison& c) {
      return c.metric->is_rate() && c.judgement == Judged::invalid;
    });
  });
}

bool says_nothing(const CompareReport& r, const GateResult& g) {
  if (g.gate.of == GateOf::verdict) return g.compared == 0;
  return g.silent + g.unsure == g.compared || has_invalid(r, g.gate);
}

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

}  // namespace

const SlowerAlert* alert_at(const CompareReport& r, const BrokenGate& broken) {
  if (!r.confirmation || !broken.metric) return nullptr;
  for (const SlowerAlert& alert : r.confirmation->alerts)
    if (alert.point == broken.point && alert.metric == *broken.metric) return &alert;
  return nullptr;
}

bool stands(const CompareReport& r, const BrokenGate& broken) {
  const SlowerAlert* alert = alert_at(r, broken);
  return !alert || alert->state != AlertState::unconfirmed;
}

CompareOutcome outcome_of(const CompareReport& r) {
  if (r.found.not_comparable == NotComparable::no_usable_trial)
    return CompareOutcome::nothing_usable;
  if (r.found.not_comparable != NotComparable::none || r.found.one_process)
    return CompareOutcome::inconclusive;
  bool open = r.found.says_nothing();
  for (const GateResult& g : r.gates) {
    if (std::ranges::any_of(g.broken, [&](const BrokenGate& b) { return stands(r, b); }))
      return CompareOutcome::regression;
    open = open || says_nothing(r, g) ||
           std::ranges::any_of(g.broken, [&](const BrokenGate& b) { return is_open(r, b); });
  }
  return open ? CompareOutcome::inconclusive : CompareOutcome::passed;
}

namespace {

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
