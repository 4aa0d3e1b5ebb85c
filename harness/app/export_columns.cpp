#include "harness/app/export_columns.h"

#include <limits>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/analysis/metrics/metric_fields.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

template <class T, class Value>
StoredColumn column_of(std::string name, std::string unit, const Findings& f, const Value& value) {
  std::vector<T> values;
  for (const PointFindings& point : f.points) values.push_back(value(point));
  return {std::move(name), std::move(unit), std::move(values)};
}

template <class T>
void add_numbers(std::vector<StoredColumn>& all, const NumberField& field, const Findings& f,
                 T absent) {
  all.push_back(column_of<T>(field.name, std::string(field.unit), f, [&](const PointFindings& p) {
    return static_cast<T>(field.value(p).value_or(static_cast<double>(absent)));
  }));
}

}  // namespace

std::vector<StoredColumn> export_columns(const Journal& journal) {
  const Findings f = analyse(journal.plan, journal.records);
  std::vector<StoredColumn> all;
  if (f.points.empty()) return all;
  all.push_back(
      column_of<std::string>("point", "1", f, [](const PointFindings& p) { return p.name; }));
  all.push_back(column_of<std::string>(
      "status", "1", f, [](const PointFindings& p) { return std::string(status_text(p)); }));
  for (const NumberField& field : number_columns(true)) {
    if (field.unit == "count")
      add_numbers<std::int64_t>(all, field, f, 0);
    else
      add_numbers(all, field, f, kAbsent);
  }
  return all;
}

}  // namespace benchbench
