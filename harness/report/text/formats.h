// Findings -> text: the formats a report can have. A new one is one file, <name>.cpp, which defines
// `extern constinit const ReportFormat <name>_format`, and its name in the list of CMakeLists.txt.
#pragma once
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// Columns of a pipe; a narrower terminal gets lines of kLeastWidth columns.
inline constexpr unsigned kPipeWidth = 100, kLeastWidth = 60;

struct TerminalStyle {
  bool colour = false;
  unsigned width = kPipeWidth;
  bool detail = false;  // all that is known, else what decides: --detail
};

// A record's series; throws StoreError where it is damaged or gone.
using SeriesReader = std::function<std::vector<std::int64_t>(const SeriesFile&)>;

// A member that a command adds to the report's JSON. The value must outlive the report.
struct AddedMember {
  std::string_view name;
  const nlohmann::ordered_json* value = nullptr;
};

struct ReportInput {
  const Findings& findings;
  const Plan& plan;
  std::span<const TrialRecord> records;
  std::string run_folder;
  TerminalStyle style;
  SeriesReader read_series = {};  // empty: there are none to be had
  // trace_json() of the base point's pipeline; empty where none was recorded.
  std::string trace = {};
  std::vector<AddedMember> added = {};
};

struct ReportFormat {
  std::string_view option;  // "--json"
  // Help of the option, which takes a FILE; empty: no option, but what is printed without one.
  std::string_view help;
  void (*write)(std::ostream& out, const ReportInput& input);  // data only
  bool replaces = false;  // a reader may look at any time: FILE is written beside and renamed

  constexpr std::string_view name() const noexcept { return option.substr(2); }
};

// In the order of the help.
std::span<const ReportFormat* const> report_formats() noexcept;
const ReportFormat* find_report_format(std::string_view name) noexcept;

}  // namespace benchbench
