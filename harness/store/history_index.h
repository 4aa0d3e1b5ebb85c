// history.index.jsonl: what a history keeps of each run beside it, so that a new night costs what a
// night costs. Sealed lines, appended; of a run or series that stands there twice the last line
// counts. results/README.md has its members.
#pragma once
#include <cstddef>
#include <string>

#include "harness/record/kept_run.h"

namespace benchbench {

inline constexpr const char* kHistoryIndex = "history.index.jsonl";

struct HistoryIndex {
  KeptHistory kept;
  std::size_t damaged = 0;  // lines that were left out: cut, changed or of another version
};
// Empty where there is none. Throws StoreError where it cannot be read.
HistoryIndex read_history_index(const std::string& path);
// Appends what `more` holds, at once and synced. Where that fails the file is what it was, and
// StoreError is thrown.
void append_history_index(const std::string& path, const KeptHistory& more);
// In place of what is there.
void write_history_index(const std::string& path, const KeptHistory& kept);
// Appends text to a file, or makes it with `heading` first; as append_history_index() does.
void append_durably(const std::string& path, const std::string& heading, const std::string& text);

}  // namespace benchbench
