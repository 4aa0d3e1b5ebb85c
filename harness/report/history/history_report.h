// What `history` tells.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/history/history.h"
#include "harness/record/history/history_notes.h"

namespace benchbench {

struct HistoryReport {
  History history;
  HistoryNotes written;            // by people
  std::vector<std::string> notes;  // of reading
  std::string place;               // the folder that it was asked of, for commands to paste
};

// Told until it is accepted or the series gets better again: a change for the worse that is the
// last one of its series.
bool is_open(const SeriesHistory& series, const Alert& alert, const MachineHistory& machine,
             const HistoryNotes& written);
std::size_t open_regressions(const HistoryReport& report);
// Nights of the machine with the newest one, where no series that goes on has kLearningNights yet:
// "learning, night 3 of 10"; else empty.
std::string learning_text(const HistoryReport& report);
// Says why nothing of the newest night could be judged, or a series in none of its last three
// nights; empty where neither is so, and of the former where all is learning.
std::string not_judged_text(const HistoryReport& report);

std::string history_text(const HistoryReport& report);
std::string history_json(const HistoryReport& report);

}  // namespace benchbench
