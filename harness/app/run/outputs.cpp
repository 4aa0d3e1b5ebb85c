#include "harness/app/run/outputs.h"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "harness/analysis/rules.h"
#include "harness/app/exit_code.h"
#include "harness/app/output_file.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/text/visible_text.h"
#include "harness/plan/trials.h"
#include "harness/report/external/job_words.h"
#include "harness/report/formats.h"
#include "harness/report/trace.h"
#include "harness/store/series_file.h"

namespace benchbench {
namespace {

constexpr Option kDetail{"--detail", "", "print all that was measured, not only what decides",
                         false};
constexpr Option kTrace{"--trace", "FILE", "write events of the base's pipeline, for Perfetto",
                        false};

TerminalStyle style_of_stdout() {
  TerminalStyle style;
  style.colour = ::isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  if (const auto width = output_width()) style.width = *width;
  return style;
}

// A trace is recorded for its file alone: one that cannot be written is told before minutes are
// spent.
void check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) throw UsageError("--trace needs a file name, or - for standard output");
  if (path == "-") return;
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();
  const bool there = fs::exists(path, ignored);
  if (fs::is_directory(path, ignored)) output_failed(path, EISDIR);
  if (::access((there            ? fs::path(path)
                : folder.empty() ? fs::path(".")
                                 : folder)
                   .c_str(),
               W_OK) != 0)
    output_failed(path, errno);
}

struct Traced {
  std::uint32_t round = 0;
  std::vector<std::int64_t> series;
};

// The raw series of the base point's pipeline, of the first round that has one.
Traced trace_series_of(std::span<const TrialRecord> records, const std::string& run_folder) {
  const TrialRecord* first = nullptr;
  const SeriesFile* series = nullptr;
  for (const TrialRecord& r : records) {
    const bool base = std::ranges::find(r.trial.points, 0u) != r.trial.points.end();
    if (!base || r.trial.mode != Mode::pipeline || r.trial.ablation ||
        (first && r.planned.round >= first->planned.round))
      continue;
    const auto found = std::ranges::find(r.series, "trace", &SeriesFile::name);
    if (found == r.series.end()) continue;
    first = &r;
    series = &*found;
  }
  if (!series)
    throw StoreError("no trial of the base point's pipeline recorded a trace",
                     "the report shows why");
  return {first->planned.round, read_series(run_folder, *series)};
}

std::string trace_of(const Plan& plan, std::span<const TrialRecord> records,
                     const std::string& run_folder) {
  const Traced traced = trace_series_of(records, run_folder);
  return trace_json(traced.series, fmt::format("{}: {}, pipeline, round {}", plan.scenario.name,
                                               plan.points.front().name(), traced.round + 1));
}

// For the page, which goes without where there is none.
std::string trace_where_recorded(const Plan& plan, std::span<const TrialRecord> records,
                                 const std::string& run_folder) {
  try {
    return trace_of(plan, records, run_folder);
  } catch (const StoreError&) {
    return "";
  }
}

}  // namespace

std::vector<Option> with_output_options(std::vector<Option> own) {
  for (const ReportFormat* format : report_formats())
    if (!format->help.empty()) own.push_back({format->option, "FILE", format->help, false});
  own.push_back(kDetail);
  own.push_back(kTrace);
  return own;
}

bool takes_standard_output(const Arguments& arguments) {
  return std::ranges::any_of(with_output_options({}), [&](const Option& o) {
    return !o.value.empty() && arguments.text(o.name) == "-";
  });
}

void check_outputs(const Arguments& arguments, const OutputGuard& guard) {
  std::vector<std::string_view> names;
  int to_stdout = 0;
  for (const Option& o : with_output_options({})) {
    if (o.value.empty()) continue;
    names.push_back(o.name);
    to_stdout += arguments.text(o.name) == "-";
  }
  if (to_stdout > 1)
    throw UsageError(
        fmt::format("only one of {} can be written to standard output", fmt::join(names, ", ")));
  check_output_files(arguments, names, guard);
  if (arguments.flag("--trace")) check_writable(arguments.text("--trace"));
}

void write_outputs(const Arguments& arguments, const Findings& findings, const Plan& plan,
                   std::span<const TrialRecord> records, const std::string& run_folder,
                   bool conclusion_first, const KeptReport* more,
                   const nlohmann::ordered_json* ending) {
  bool stdout_taken = false;
  std::optional<StoreError> problem;
  const auto output = [&](std::string_view option, const std::function<void(std::ostream&)>& write,
                          bool replaces = false) {
    if (!arguments.flag(option)) return;
    const std::string path = arguments.text(option);
    stdout_taken = stdout_taken || path == "-";
    try {
      replaces ? replace_file(path, write) : write_to(path, write);
    } catch (const StoreError& e) {
      if (!problem) problem = e;
    }
  };
  TerminalStyle style = style_of_stdout();
  style.detail = arguments.flag("--detail");
  style.conclusion_first = conclusion_first;
  ReportInput input{
      findings,
      plan,
      records,
      run_folder,
      style,
      [&](const SeriesFile& series) { return read_series(run_folder, series); },
      arguments.flag("--html") ? trace_where_recorded(plan, records, run_folder) : ""};
  if (ending) input.added.push_back({"ending", ending});
  const auto tune = nlohmann::ordered_json::parse(more ? more->json : "{}");
  if (more) input.added.push_back({"tune", &tune});
  for (const ReportFormat* format : report_formats())
    output(format->option, [&](std::ostream& out) { format->write(out, input); }, format->replaces);
  try {
    if (arguments.flag("--trace")) {
      const std::string trace = trace_of(plan, records, run_folder);
      output("--trace", [&](std::ostream& out) { out << trace; });
    }
  } catch (const StoreError& e) {  // no trial left one
    if (!problem) problem = e;
  }
  if (!stdout_taken) {
    std::ostringstream text;
    find_report_format("terminal")->write(text, input);
    if (more) text << '\n' << visible_lines(more->text);
    write_to("-", [&](std::ostream& out) { out << as_called(text.str()); });
  }
  if (problem) throw *problem;
}

namespace {

bool any_usable(const PointFindings& point) {
  return std::ranges::any_of(point.mode_status,
                             [](const std::optional<Status>& s) { return s && is_usable(*s); });
}

// A mode of the point that was asked for and cannot run here, whatever else of it could.
bool lacks_machine(const Plan& plan, const Point& point) {
  return std::ranges::any_of(point.trials, [&](const auto& row) {
    const auto& skip = plan.trials.at(row.second).skip;
    return skip && is_lack_of_machine(*skip);
  });
}

// A mode of the base that was to run, and whose device was not to be opened then.
bool was_skipped(const Findings& f, const Plan& plan) {
  if (f.points.empty() || f.points.front().point != 0 || plan.points.empty()) return false;
  return std::ranges::any_of(plan.points.front().trials, [&](const auto& row) {
    const std::optional<Status>& status =
        f.points.front().mode_status[static_cast<std::size_t>(row.first)];
    return !plan.trials.at(row.second).skip && status == Status::skipped;
  });
}

// True if a report says anything of a wrapped script though no rate of it can be used.
bool knows_script(const Findings& f, const Plan& plan) {
  const ExternalPoint* seen = f.external.at(0);
  return wraps_script(plan) &&
         (!f.external.findings.empty() || (seen && !words_without_stretch(*seen).empty()));
}

}  // namespace

int exit_code_of(const Findings& f, const Plan& plan, bool strict) {
  std::vector<int> codes;
  const bool base_measured =
      !f.points.empty() && f.points.front().point == 0 && any_usable(f.points.front());
  if ((!base_measured && !knows_script(f, plan)) || plan.points.empty() ||
      lacks_machine(plan, plan.points.front()) || was_skipped(f, plan))
    codes.push_back(kNothingValid);
  if (f.count(Status::failed) > 0) codes.push_back(kTrialFailed);
  if (strict && f.count(Status::noisy) + f.count(Status::invalid) > 0) codes.push_back(kDoubts);
  if (strict &&
      std::ranges::any_of(plan.points, [&](const Point& p) { return lacks_machine(plan, p); }))
    codes.push_back(kLacking);
  return strongest(codes);
}

}  // namespace benchbench
