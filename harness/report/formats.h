// The formats a report can have. A new one is one file and one line in formats.cpp.
#pragma once
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "harness/report/report.h"

namespace benchbench {

struct ReportInput {
  const Findings& findings;
  const Plan& plan;
  std::span<const TrialRecord> records;
  std::string run_folder;
  TerminalStyle style;
};

struct ReportFormat {
  std::string_view name;     // "json", also the option's name
  std::string_view summary;  // for the help
  void (*write)(std::ostream& out, const ReportInput& input);
};

std::span<const ReportFormat> report_formats() noexcept;
const ReportFormat* find_report_format(std::string_view name) noexcept;

}  // namespace benchbench
