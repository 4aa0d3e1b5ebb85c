// The members of a point in a report.
#pragma once
#include "harness/analysis/metrics/metric_fields.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/record/fields.h"
#include "harness/report/fields/schema_maker.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/formats.h"

namespace benchbench {

template <>
inline constexpr SchemaName kSchemaName<Estimate>{
    "estimate", "A mean over n rounds; low and high bound 95 %, equal to value if n < 2."};
template <>
inline constexpr SchemaName kSchemaName<Reason>{
    "reason",
    "A cause for which a trial is not VALID. rule: such as R06, empty for a cause that has none. "
    "invalid: INVALID, else NOISY."};
template <>
inline constexpr SchemaName kSchemaName<PointFindings>{"point"};
template <>
inline constexpr SchemaName kSchemaName<Value>{"setting", "A setting with its type; null is none."};

inline constexpr auto kPointWords = std::to_array<std::string_view>(
    {"VALID", "NOISY", "INVALID", "FAILED", "SKIPPED", "ABORTED", "not run", "partial"});
using PointWord = OneOf<kPointWords>;
inline constexpr auto kSideWords = std::to_array<std::string_view>(
    {"not measured", "loader", "trainer", "balanced", "contention", "unclear"});

inline constexpr std::array kModes{Mode::loader, Mode::trainer, Mode::pipeline};

// A function for the name of a point by its index.
inline auto name_point(std::uint32_t point) {
  return [point](const ReportInput& in) { return in.findings.points[point].name; };
}
inline auto name_point(const std::optional<std::uint32_t>& point) {
  return [point](const ReportInput& in) {
    return point ? std::optional(in.findings.points[*point].name) : std::nullopt;
  };
}

void visit_shown(const Reason& r, auto&& visit) {
  visit("rule", r.rule);
  visit("invalid", r.invalid);
  visit("text", r.text);
  visit("details", if_any(r.details));
}

void visit_fields(const StallFindings& s, auto&& visit) {
  visit("count", s.count);
  visit("steps", s.steps);
  visit("share", s.share);
  visit("longest_ms", s.longest_ms);
  visit("cause", s.cause ? name_of(*s.cause) : std::string_view());
  visit("period_steps", s.period_steps);
}

// The unit of a type's values; "" if it has none.
constexpr std::string_view unit_of_type(ParameterType type) noexcept {
  switch (type) {
    case ParameterType::duration:
      return "ns";
    case ParameterType::bytes:
      return "bytes";
    case ParameterType::rate:
      return "1/s";
    case ParameterType::bandwidth:
      return "bytes/s";
    default:
      return "";
  }
}

void visit_shown(const Value& value, auto&& visit) {
  visit("type", value.type);
  visit("value", [&] {
    return std::visit(
        []<class T>(const T& held) {
          if constexpr (std::is_same_v<T, std::monostate>)
            return JsonValue();
          else
            return JsonValue(held);
        },
        value.held);
  });
  visit("unit", if_any(unit_of_type(value.type)));
}
// Each type with the values and the unit that it has.
JsonValue make_schema(const Value&);

inline Members<std::string> settings_texts(const Point& point) {
  Members<std::string> texts;
  for (const auto& [key, value] : point.settings.all()) texts.all.emplace_back(key, value.text());
  return texts;
}
inline Members<Value> typed_settings(const Point& point) {
  return {{point.settings.all().begin(), point.settings.all().end()}};
}

void visit_fields(const PointFindings& f, auto&& visit) {
  visit("index", f.point);
  visit("name", f.name);
  visit("base", f.point == 0);
  visit("status", PointWord{status_text(f)});
  visit("reasons", f.reasons);
  visit("labels", [&](const ReportInput& in) {
    return Members<std::string>{in.plan.points[f.point].labels};
  });
  visit("settings", [&](const ReportInput& in) { return settings_texts(in.plan.points[f.point]); });
  visit("setting_values",
        [&](const ReportInput& in) { return typed_settings(in.plan.points[f.point]); });
  visit("mode_status", Fields{[&](auto&& each) {
          for (const Mode mode : kModes) {
            const bool asked = f.mode_status[static_cast<std::size_t>(mode)].has_value();
            each(name_of(mode),
                 asked ? std::optional(PointWord{status_text(f, mode)}) : std::nullopt);
          }
        }});
  visit("no_limit", [&] {
    std::vector<Mode> bounds;
    std::ranges::copy_if(kModes, std::back_inserter(bounds), [&](Mode m) { return f.is_bound(m); });
    return bounds;
  });
  visit("side", OneOf<kSideWords>{f.unclear ? "unclear" : name_of(f.side)});
  visit("cache", cache_text(f));
  visit("cache_degree", f.cache_state.text());
  visit("steadiness", f.steadiness);
  visit("stalls", f.stalls);
  for (const EstimateField& field : estimate_fields()) visit(field.name, f.*field.value);
  for (const NumberField& field : number_fields()) visit(field.name, field.value(f));
}

}  // namespace benchbench
