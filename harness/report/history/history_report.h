// What `history` tells.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/history/open_changes.h"

namespace benchbench {

struct HistoryReport : NotedHistory {
  std::vector<std::string> notes;  // of reading
  std::string place;               // the folder that it was asked of, for commands to paste
};

// Nights of the machine with the newest one, where no series that goes on has kLearningNights yet:
// "learning, night 3 of 10"; else empty.
std::string learning_text(const HistoryReport& report);
// Says why nothing of the newest night could be judged, or a series in none of its last three
// nights; empty where neither is so, and of the former where all is learning.
std::string not_judged_text(const HistoryReport& report);

std::string history_text(const HistoryReport& report);
std::string history_json(const HistoryReport& report);

}  // namespace benchbench
