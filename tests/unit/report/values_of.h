// Members of a report's JSON without the rest of it, which findings made by hand may lack.
#pragma once
#include "harness/report/fields/report_fields.h"

namespace benchbench {

template <class T>
JsonValue values_of(const T& value, const Findings& f, const Plan& plan) {
  return make_json(value, ReportInput{f, plan, {}, "", {}});
}
inline JsonValue conclusion_values(const Findings& f, const Plan& plan) {
  const ReportInput in{f, plan, {}, "", {}};
  return make_json(Fields{[&](auto&& visit) { visit_conclusion(in, visit); }}, in);
}
inline JsonValue advice_values(const Findings& f, const Plan& plan) {
  return values_of(list_advice(f, plan), f, plan);
}
inline JsonValue external_values(const Findings& f) { return values_of(f.external, f, {}); }
inline JsonValue rank_values(const Plan& plan) { return values_of(compare_ranks(plan), {}, plan); }

}  // namespace benchbench
