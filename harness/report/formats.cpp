#include "harness/report/formats.h"

#include <algorithm>
#include <array>

namespace benchbench {
namespace {

constexpr std::array kFormats{
    ReportFormat{"terminal", "Tables and one sentence, for reading.",
                 [](std::ostream& out, const ReportInput& in) {
                   write_terminal(out, in.findings, in.plan, in.run_folder, in.style);
                 }},
    ReportFormat{"json", "One JSON document with every number, for programs.",
                 [](std::ostream& out, const ReportInput& in) {
                   write_json(out, in.findings, in.plan, in.records, in.run_folder);
                 }},
    ReportFormat{"csv", "One row a point, for spreadsheets.",
                 [](std::ostream& out, const ReportInput& in) { write_csv(out, in.findings); }},
    ReportFormat{"markdown", "The same tables, for an issue or a pull request.",
                 [](std::ostream& out, const ReportInput& in) { write_markdown(out, in.findings, in.plan); }},
};

}  // namespace

std::span<const ReportFormat> report_formats() noexcept { return kFormats; }

const ReportFormat* find_report_format(std::string_view name) noexcept {
  const auto at =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const ReportFormat& f) { return f.name == name; });
  return at == kFormats.end() ? nullptr : &*at;
}

}  // namespace benchbench
