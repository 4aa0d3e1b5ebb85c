// history.yaml: a list of entries, which people may edit and merge by hand.
//   - accept: quickstart/base/pipeline_rate
//     night: "2026-11-12"
//     note: the new decoder
//   - annotate: "2026-11-20"
//     text: driver 570
#pragma once
#include <string>

#include "harness/record/history_notes.h"

namespace benchbench {

inline constexpr const char* kHistoryFile = "history.yaml";

// No notes where there is no such file. Throws ScenarioDiagnostics with the lines that cannot be
// read, UsageError where the file cannot.
HistoryNotes read_history_notes(const std::string& path);
// An entry as text that read_history_notes() reads, ended by a line feed. Control characters become
// spaces.
std::string history_entry(const AcceptedChange& accepted);
std::string history_entry(const NightRemark& remark);

}  // namespace benchbench
