#include "harness/app/run/outputs.h"

#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>

#include "harness/analysis/conclusion/answer.h"
#include "harness/app/exit_code.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/visible_text.h"
#include "harness/plan/trials.h"
#include "harness/report/text/formats.h"
#include "harness/report/trace.h"
#include "harness/store/series_file.h"

namespace benchbench {
namespace {

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

bool takes_standard_output(const Arguments& arguments) {
  return std::ranges::any_of(output_options(), [&](const Option& o) {
    return !o.value.empty() && arguments.text(o.name) == "-";
  });
}

void check_outputs(const Arguments& arguments, const OutputGuard& guard) {
  std::vector<std::string_view> names;
  int to_stdout = 0;
  for (const Option& o : output_options()) {
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

namespace {

// Writes what was asked for, as far as it can be written.
class Outputs {
 public:
  explicit Outputs(const Arguments& arguments) : arguments_(arguments) {}
  void write(std::string_view option, const std::function<void(std::ostream&)>& write,
             bool replaces = false) {
    if (!arguments_.flag(option)) return;
    const std::string path = arguments_.text(option);
    has_taken_stdout_ = has_taken_stdout_ || path == "-";
    attempt([&] { replaces ? replace_file(path, write) : write_to(path, write); });
  }
  void attempt(const std::function<void()>& work) {
    try {
      work();
    } catch (const StoreError& e) {
      if (!problem_) problem_ = e;
    }
  }
  bool has_taken_stdout() const noexcept { return has_taken_stdout_; }
  void throw_problem() const {
    if (problem_) throw StoreError(*problem_);
  }

 private:
  const Arguments& arguments_;
  bool has_taken_stdout_ = false;
  std::optional<StoreError> problem_;
};

}  // namespace

void write_outputs(const Arguments& arguments, const Findings& findings, const Plan& plan,
                   std::span<const TrialRecord> records, const std::string& run_folder,
                   std::vector<AddedMember> added, const std::string& added_text) {
  TerminalStyle style = style_of_stdout();
  style.detail = arguments.flag("--detail");
  const ReportInput input{
      findings,
      plan,
      records,
      run_folder,
      style,
      [&](const SeriesFile& series) { return read_series(run_folder, series); },
      arguments.flag("--html") ? trace_where_recorded(plan, records, run_folder) : "",
      std::move(added)};
  Outputs outputs(arguments);
  for (const ReportFormat* format : report_formats())
    outputs.write(
        format->option, [&](std::ostream& out) { format->write(out, input); }, format->replaces);
  outputs.attempt([&] {
    if (!arguments.flag("--trace")) return;
    const std::string trace = trace_of(plan, records, run_folder);  // throws if no trial left one
    outputs.write("--trace", [&](std::ostream& out) { out << trace; });
  });
  if (!outputs.has_taken_stdout()) {
    std::ostringstream text;
    find_report_format("terminal")->write(text, input);
    if (!added_text.empty()) text << '\n' << visible_lines(added_text);
    write_to("-", [&](std::ostream& out) { out << as_called(text.str()); });
  }
  outputs.throw_problem();
}

namespace {

// A mode of the point that was asked for and cannot run here, whatever else of it could.
bool lacks_machine(const Plan& plan, const Point& point) {
  return std::ranges::any_of(point.trials, [&](const auto& row) {
    const auto& skip = plan.trials.at(row.second).skip;
    return skip && is_lack_of_machine(*skip);
  });
}

}  // namespace

int exit_code_of(const Findings& f, const Plan& plan, bool strict) {
  std::vector<int> codes;
  if (!has_answer(f, plan) || lacks_machine(plan, plan.points.front()))
    codes.push_back(kNothingValid);
  if (f.count(Status::failed) > 0) codes.push_back(kTrialFailed);
  if (strict && f.count(Status::noisy) + f.count(Status::invalid) > 0) codes.push_back(kDoubts);
  if (strict &&
      std::ranges::any_of(plan.points, [&](const Point& p) { return lacks_machine(plan, p); }))
    codes.push_back(kLacking);
  return strongest(codes);
}

}  // namespace benchbench
