#include "harness/analysis/history/open_changes.h"

#include <algorithm>

namespace benchbench {

bool is_open(const SeriesHistory& series, const Alert& alert, const MachineHistory& machine,
             const HistoryNotes& written) {
  return alert.worse() && &alert == &series.alerts.back() &&
         !written.accepting(series.series.name(), machine.nights[alert.first].name);
}

std::size_t open_regressions(const NotedHistory& noted) {
  std::size_t n = 0;
  for (const MachineHistory& m : noted.history.machines)
    for (const SeriesHistory& s : m.series)
      for (const Alert& a : s.alerts) n += is_open(s, a, m, noted.written);
  return n;
}

std::optional<std::size_t> learning_night(const MachineHistory& m) {
  std::size_t most = 0;
  for (const SeriesHistory& s : m.series)
    if (!s.ended) most = std::max(most, s.judged_nights.size());
  return most < kLearningNights ? std::optional(most) : std::nullopt;
}

std::size_t unjudged_series(const MachineHistory& m) {
  return static_cast<std::size_t>(std::ranges::count_if(
      m.series, [](const SeriesHistory& s) { return s.unjudged_at_end >= kUnjudgedInARow; }));
}

bool is_unjudged(const MachineHistory& m) {
  const bool judged = std::ranges::any_of(m.series, [&](const SeriesHistory& s) {
    return !s.judged_nights.empty() && s.judged_nights.back() + 1 == m.nights.size();
  });
  return unjudged_series(m) > 0 || (!judged && !learning_night(m));
}

}  // namespace benchbench
