#include "harness/app/compare/compared_runs.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/analysis/alarms/alarm.h"
#include "harness/analysis/compare/paired_points.h"
#include "harness/analysis/summary/warnings.h"
#include "harness/core/error.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/alarm_words.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// Beside a/ and b/ of an interleaved comparison: its rounds are pairs.
constexpr const char* kInterleavedFile = "interleaved.txt";

// For whoever compares, a stored file that is wrong is a wrong argument.
Journal read_run(const std::string& folder) {
  try {
    return RunFolder::read(folder);
  } catch (const StoreError& e) {
    UsageError error(fmt::format("{} cannot be read: {}", folder, e.message()), e.hint());
    if (!e.context().empty()) error.add_context(e.context());
    throw error;
  }
}

bool is_interleaved(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(fs::path(folder) / kInterleavedFile, ignored);
}

ComparedSide side_of(const std::string& folder, const Journal& run) {
  const std::vector<TrialRecord>& records = run.records;
  ComparedSide side;
  side.where = folder;
  for (const Alarm& alarm : alarms_of(run.plan, JudgedTrials(run.plan, records)))
    side.alarms.push_back({alarm, alarm_words(alarm, run.plan)});
  if (!records.empty()) side.started_at = records.front().started_at;
  if (const Environment* e = environment_of(records)) side.build = e->build;
  return side;
}

}  // namespace

ComparedRuns read_runs(const std::vector<std::string>& folders) {
  ComparedRuns out;
  if (folders.size() == 1) {
    if (!is_interleaved(folders[0]))
      throw UsageError(
          fmt::format("{}: one folder is compared only where --interleave made it", folders[0]),
          "give two folders of runs, or a scenario with --interleave");
    out.folder_a = folders[0] + "/a", out.folder_b = folders[0] + "/b";
    out.relation = Relation::interleaved;
  } else {
    out.folder_a = folders[0], out.folder_b = folders[1];
  }
  out.a = read_run(out.folder_a), out.b = read_run(out.folder_b);
  for (const auto& [name, journal] : {std::pair{"A", &out.a}, {"B", &out.b}})
    for (const std::string& note : journal->notes)
      out.notes.push_back(fmt::format("{}: {}", name, note));
  if (out.relation == Relation::stored &&
      are_same_run({out.a.plan, out.a.records}, {out.b.plan, out.b.records}))
    out.relation = Relation::itself;
  return out;
}

void mark_interleaved(const std::string& folder) {
  write_whole((fs::path(folder) / kInterleavedFile).string(),
              "a and b ran in turn: benchbench compare with this folder alone\n");
}

RunBudget budget_of_turns(const CompareOptions& options, const RunTime& time, double own_seconds) {
  return options.budget.empty() ? RunBudget{} : time.left_of(options.budget_seconds, own_seconds);
}

Deadline deadline_for(const CompareOptions& options, const RunTime& time) {
  return options.budget.empty() ? Deadline{} : time.deadline_of(options.budget_seconds);
}

CompareReport report_of(const ComparedRuns& runs, const CompareOptions& options) {
  CompareAsked asked = options.asked;
  asked.relation = runs.relation;
  check_across(runs.a.plan, runs.b.plan, asked.across);
  CompareReport report;
  report.found = compare_runs({runs.a.plan, runs.a.records}, {runs.b.plan, runs.b.records}, asked);
  report.gates = results_of(report.found, options.gates);
  report.a = side_of(runs.folder_a, runs.a), report.b = side_of(runs.folder_b, runs.b);
  report.notes = runs.notes, report.ended_early = runs.ended_early;
  for (const auto& [name, run] : {std::pair{"A", &runs.a}, {"B", &runs.b}})
    if (const auto others = other_programs_seen(JudgedTrials(run->plan, run->records)))
      report.notes.push_back(fmt::format("{}: {}", name, other_programs_text(*others)));
  return report;
}

}  // namespace benchbench
