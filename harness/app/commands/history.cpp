// `benchbench history DIR...`: what changed from night to night, of what the runs in DIR have
// stored.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "harness/app/command.h"
#include "harness/app/exit_code.h"
#include "harness/app/history/alert_stages.h"
#include "harness/app/history/history_runs.h"
#include "harness/app/history/prune.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/run/output_guard.h"
#include "harness/app/tell.h"
#include "harness/config/history_file.h"
#include "harness/core/called_as.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/report/history/history_report.h"
#include "harness/store/history_index.h"

namespace benchbench {
namespace {

constexpr Option kHistoryOptions[] = {
    {"--accept", "POINT@NIGHT",
     "accept a change: a series, or its beginning up to a slash, at its first changed night"},
    {"--note", "TEXT", "with --accept: why"},
    {"--annotate", "'NIGHT TEXT'", "a remark on a night, shown with its changes"},
    {"--prune", "AGE",
     "delete the runs in DIR that started longer ago (90d, 12w); prints no history"},
    {"--keep-accepted", "", "with --prune: keep those of accepted nights, and of the baseline's"},
    {"--dry-run", "", "with --prune: say what would be deleted, and delete nothing"},
};

constexpr const char* kHeading =
    "# Kept by benchbench history; may be edited and merged by hand.\n";

void write_entry(const HistoryReport& report, const std::string& entry) {
  append_durably((std::filesystem::path(report.place) / kHistoryFile).string(), kHeading, entry);
}

// "series@night" of every change that is told.
std::vector<std::string> changes_told(const HistoryReport& report) {
  std::vector<std::string> out;
  for (const MachineHistory& m : report.history.machines)
    for (const SeriesHistory& s : m.series)
      for (const Alert& a : s.alerts) out.push_back(s.series.name() + "@" + m.nights[a.first].name);
  return out;
}

void accept(HistoryReport& report, const Arguments& arguments) {
  const std::string asked = arguments.text("--accept");
  const std::size_t at = asked.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == asked.size())
    throw UsageError(fmt::format("--accept {}: expected POINT@NIGHT", asked),
                     "such as quickstart/base/pipeline_rate@2026-11-12");
  const AcceptedChange accepted{asked.substr(0, at), asked.substr(at + 1),
                                arguments.text("--note")};
  HistoryNotes only;
  only.accepted = {accepted};
  const auto told = changes_told(report);
  const bool is_told = std::ranges::any_of(told, [&](const std::string& t) {
    return only.accepting(t.substr(0, t.rfind('@')), t.substr(t.rfind('@') + 1));
  });
  if (!is_told)
    throw UsageError(fmt::format("--accept {}: there is no such change", asked),
                     told.empty() ? "no series has a change"
                                  : fmt::format("the changes are {}", listed(told, 6)));
  write_entry(report, history_entry(accepted));
  report.written.accepted.push_back(accepted);
}

void annotate(HistoryReport& report, const std::string& asked) {
  const std::size_t space = asked.find(' ');
  if (space == std::string::npos || space == 0 || space + 1 == asked.size())
    throw UsageError(fmt::format("--annotate '{}': expected a night, a space and a text", asked),
                     "such as --annotate '2026-11-20 driver 570'");
  const NightRemark remark{asked.substr(0, space), asked.substr(space + 1)};
  std::vector<std::string> nights;
  for (const MachineHistory& m : report.history.machines)
    for (const Night& n : m.nights) nights.push_back(n.name);
  if (!contains(nights, remark.night)) {
    const std::string near = nearest_spelling(remark.night, nights);
    throw UsageError(fmt::format("--annotate: there is no night {}", remark.night),
                     ask_whether(near, fmt::format("the newest is {}", nights.back())));
  }
  write_entry(report, history_entry(remark));
  report.written.remarks.push_back(remark);
}

int exit_code_of(const HistoryReport& report) {
  if (open_regressions(report)) return kRegression;
  return is_unjudged(report.history.machines.front()) ? kInconclusive : kDone;
}

int prune_folders(const Arguments& arguments) {
  const PruneRule rule{static_cast<std::int64_t>(std::time(nullptr)),
                       days_asked(arguments.text("--prune")), arguments.flag("--keep-accepted")};
  for (const std::string& folder : arguments.positional())
    print_fitted(prune_runs(folder, rule, arguments.flag("--dry-run")));
  return kDone;
}

void check_history_options(const Arguments& arguments) {
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"--note", "--accept"}, {"--keep-accepted", "--prune"}, {"--dry-run", "--prune"}};
  for (const auto& [part, whole] : kParts)
    if (arguments.flag(part) && !arguments.flag(whole))
      throw UsageError(fmt::format("{} is of {}: give both", part, whole));
  for (const std::string_view other : {"--accept", "--annotate", "--json"})
    if (arguments.flag("--prune") && arguments.flag(other))
      throw UsageError(fmt::format("--prune and {} exclude each other", other));
}

int run_history(const Arguments& arguments) {
  check_history_options(arguments);
  if (arguments.flag("--prune")) return prune_folders(arguments);
  check_output_files(arguments, {"--json"}, {});
  HistoryReport report;
  report.place = history_place(arguments.positional());
  report.written =
      read_history_notes((std::filesystem::path(report.place) / kHistoryFile).string());
  HistoryRuns runs = history_runs(arguments.positional());
  report.history = make_history(runs.kept);
  add_stages(arguments.positional(), runs.kept, report.history);
  report.notes = std::move(runs.notes);
  if (arguments.flag("--accept")) accept(report, arguments);
  if (arguments.flag("--annotate")) annotate(report, arguments.text("--annotate"));
  write_report(
      arguments, [&] { return as_called(history_text(report)); },
      [&] { return history_json(report); });
  if (runs.index_problem.empty()) return exit_code_of(report);
  tell("warning: the index was not kept: {}\n", runs.index_problem);
  return strongest({kNotWritten, exit_code_of(report)});
}

}  // namespace

extern const Command history_command{
    "history",
    "decide",
    "what changed from night to night; delete old runs",
    "DIR...",
    joined({kHistoryOptions, shared_options({"--json"})}),
    "  benchbench history results/runs\n"
    "  benchbench history results/runs --accept quickstart/base@2026-11-12 --note 'new decoder'\n"
    "  benchbench history results/runs --prune 90d --keep-accepted --dry-run\n",
    run_history};

}  // namespace benchbench
