// The report of `compare`: two runs, and what became of their points.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/alarms/alarm.h"
#include "harness/analysis/compare/compare_outcome.h"

namespace benchbench {

// An alarm of one side, with its words (alarm_words()).
struct SideAlarm {
  Alarm alarm;
  std::string text;
};

// One of the two, as it is called in the report.
struct ComparedSide {
  std::string where;       // its folder, as given
  std::string started_at;  // of its first record
  std::string build;
  std::vector<SideAlarm> alarms;  // one a row of alarm_rows()
};

struct CompareReport : GatedComparison {
  ComparedSide a, b;
  std::vector<std::string> notes;  // of reading the stores, of another program
  // "the budget of 2min ended after 1 of 15 rounds", where that is before the least number; the
  // summary begins with it.
  std::string ended_early = {};
};

// One line: what is SLOWER or FASTER, or why nothing can be said.
std::string compare_summary(const CompareReport& report);
// At most `width` columns a line. Brief: tables of at most 20 rows are printed whole, of longer
// ones what is not SAME; `detail`: all of it.
std::string compare_text(const CompareReport& report, std::size_t width, bool detail);
// One document: {"schema": "benchbench.compare/1", ...} as docs/compare.md says.
nlohmann::ordered_json compare_document(const CompareReport& report);
std::string compare_json(const CompareReport& report);

}  // namespace benchbench
