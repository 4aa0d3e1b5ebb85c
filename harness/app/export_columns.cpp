#include "harness/app/export_columns.h"
#include "harness/analysis/metrics/metric_fields.h"

#include <limits>

#include "harness/analysis/findings.h"
#include "harness/report/cells.h"

namespace benchbench {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

template <class T, class Value>
StoredColumn column_of(std::string name, std::string unit, const Findings& f, const Value& value) {
  std::vector<T> values;
  for (const PointFindings& point : f.points) values.push_back(value(point));
  return {std::move(name), std::move(unit), std::move(values)};
}

void add_estimate(std::vector<StoredColumn>& all, const EstimateField& field, const Findings& f) {
  const std::string unit(field.metric->unit.word);
  const auto part = [&](const std::string& suffix, double Estimate::* of) {
    all.push_back(column_of<double>(field.name + suffix, unit, f, [&](const PointFindings& p) {
      const Measured e = usable_estimate(field, p);
      return e ? (*e).*of : kAbsent;
    }));
  };
  part("", &Estimate::value);
  part("_low", &Estimate::low);
  part("_high", &Estimate::high);
  all.push_back(column_of<std::int64_t>(field.name + "_n", "count", f, [&](const PointFindings& p) {
    const Measured e = usable_estimate(field, p);
    return static_cast<std::int64_t>(e ? e->n : 0);
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
  for (const EstimateField& field : estimate_fields()) add_estimate(all, field, f);
  for (const NumberField& field : number_fields())
    all.push_back(column_of<double>(
        field.name, std::string(field.metric->unit.word), f,
        [&](const PointFindings& p) { return field.value(p).value_or(kAbsent); }));
  return all;
}

}  // namespace benchbench
