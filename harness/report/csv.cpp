// One row a point, RFC 4180 quoting, lines ended by a line feed; control characters as "\x1b".
// Empty is "not measured". An estimate X has the columns X, X_low, X_high (95 %) and X_n (rounds).
// Where a loader is the user's Python, further columns are what was seen of it and its findings:
// "workers without data: 12 ms a step; ...".
#include <fmt/format.h>

#include <ostream>

#include "harness/analysis/metrics/metric_fields.h"
#include "harness/core/visible_text.h"
#include "harness/report/external/external_fields.h"
#include "harness/report/external/external_words.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/formats.h"

namespace benchbench {
namespace {

std::string quoted_field(std::string_view given) {
  const std::string text = visible_lines(given);
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

// Ten digits: more than any clock gives, and 1000 is not 999.9999999999998 for having been a
// logarithm.
std::string number(double value) { return fmt::format("{:.10g}", value); }

using Columns = std::vector<NumberField>;

std::string header_of(const Findings& findings, const Columns& columns) {
  std::string line = "scenario,point,status";
  for (const NumberField& field : columns) line += ',' + field.name;
  line += ",side,cache,is_best,reasons";
  if (findings.external.points.empty()) return line;
  for (const ExternalField& field : external_fields()) line += fmt::format(",{}", field.name);
  return line + ",findings";
}

std::string findings_at(const Findings& findings, std::uint32_t point) {
  std::string text;
  for (const ExternalFinding& f : findings.external.findings) {
    if (f.point != point) continue;
    const std::string cost = finding_cost(f);
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", name_of(f.fault),
                        cost.empty() ? "" : ": ", cost);
  }
  return text;
}

std::string external_columns(const Findings& findings, std::uint32_t point) {
  if (findings.external.points.empty()) return "";
  const ExternalPoint* seen = findings.external.at(point);
  std::string line;
  for (const ExternalField& field : external_fields())
    line += seen && seen->*field.value ? ',' + number(*(seen->*field.value)) : ",";
  return line + ',' + quoted_field(findings_at(findings, point));
}

std::string reasons(const PointFindings& point) {
  std::string text;
  for (const Reason& r : point.reasons)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", r.rule, r.rule.empty() ? "" : ": ",
                        r.text);
  return text;
}

std::string row(const Findings& findings, const PointFindings& point, const Columns& columns) {
  std::string line = fmt::format("{},{},{}", quoted_field(findings.scenario),
                                 quoted_field(point.name), status_text(point));
  for (const NumberField& field : columns) {
    const auto value = field.value(point);
    line += value ? ',' + number(*value) : ",";
  }
  const std::string side = point.unclear ? "unclear" : std::string(name_of(point.side));
  return line +
         fmt::format(",{},{},{},{}", side, quoted_field(cache_text(point)),
                     findings.best == point.point, quoted_field(reasons(point))) +
         external_columns(findings, point.point);
}

}  // namespace

extern constinit const ReportFormat csv_format{
    "--csv", "write a row per point", [](std::ostream& out, const ReportInput& in) {
      const Columns columns = number_columns(false);
      out << header_of(in.findings, columns) << '\n';
      for (const PointFindings& point : in.findings.points)
        out << row(in.findings, point, columns) << '\n';
    }};

}  // namespace benchbench
