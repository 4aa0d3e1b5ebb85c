// The runs that `benchbench history --prune` deletes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/history_notes.h"
#include "harness/record/kept_run.h"

namespace benchbench {

// "90d", "12w" -> days; UsageError for anything else.
std::int64_t days_asked(const std::string& text);

struct PruneRule {
  std::int64_t now = 0;        // seconds since 1970
  std::int64_t days = 0;       // older ones go
  bool keep_accepted = false;  // those of a night in which a change was accepted stay
};
// Why this run stays; empty: it goes.
std::string why_kept(const KeptRun& run, const PruneRule& rule, const HistoryNotes& written);

}  // namespace benchbench
