// The changes that make a history fail, and the nights that leave it inconclusive. Pure.
#pragma once
#include <cstddef>
#include <optional>

#include "harness/analysis/history/history.h"
#include "harness/record/history_notes.h"

namespace benchbench {

struct NotedHistory {
  History history;
  HistoryNotes written;  // by people
};

// A history in which a series was not judged for this many nights in a row is inconclusive.
inline constexpr std::size_t kUnjudgedInARow = 3;

// True until it is accepted or the series gets better again: a change for the worse that is the
// last one of its series.
bool is_open(const SeriesHistory& series, const Alert& alert, const MachineHistory& machine,
             const HistoryNotes& written);
std::size_t open_regressions(const NotedHistory& noted);
// Returns the judged nights of the machine's longest series; nullopt if it has kLearningNights.
// Series that have ended do not count.
std::optional<std::size_t> learning_night(const MachineHistory& machine);
// Returns the series that were not judged in any of the last kUnjudgedInARow nights.
std::size_t unjudged_series(const MachineHistory& machine);
// True if nothing of the newest night could be judged, other than by learning, or if there are
// unjudged_series().
bool is_unjudged(const MachineHistory& machine);

}  // namespace benchbench
