#include "harness/report/conclusion/advice_json.h"

#include <nlohmann/json.hpp>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/external/costliest_part.h"
#include "harness/analysis/faults/failed_code.h"
#include "harness/report/external/external_words.h"

namespace benchbench {
namespace {

using Values = nlohmann::ordered_json;

Values make_advice(std::string_view id, const std::string& point) {
  return {{"id", id},
          {"finding", nullptr},
          {"point", point},
          {"where", nullptr},
          {"arguments", Values::object()}};
}

Values place_or_null(const std::string& where) {
  return where.empty() ? Values(nullptr) : Values(where);
}

Values advice_against(const ExternalFinding& found, const std::string& point) {
  Values out = make_advice(name_of(remedy_for(found)), point);
  out["finding"] = name_of(found.fault);
  out["where"] = place_or_null(found.where);
  return out;
}

Values advice_to_change(const Advice& advice, const std::string& point) {
  Values out = make_advice(name_of(advice.remedy), point);
  out["arguments"]["component"] = name_of(advice.component);
  if (!advice.key.empty())
    out["arguments"].update({{"key", advice.key}, {"from", advice.from}, {"to", advice.to}});
  return out;
}

Values advice_on_next(const Next& next, const Findings& f, const Plan& plan) {
  const std::string& point = f.points[next.at].name;
  if (next.advice) return advice_to_change(*next.advice, point);
  Values out = make_advice(name_of(next.kind), point);
  if (const auto failed = failed_code(plan, f.problems); next.kind == NextKind::mend_code && failed)
    out["where"] = place_or_null(failed->where);
  const ExternalPoint* seen = next.kind == NextKind::own_code ? f.external.at(next.at) : nullptr;
  if (!seen) return out;
  const auto most = find_costliest_part(*seen);
  out["arguments"]["part"] = most->name;
  if (most->name == "getitem") out["where"] = place_or_null(seen->facts.getitem_where);
  return out;
}

}  // namespace

nlohmann::ordered_json advice_values(const Findings& f, const Plan& plan) {
  Values all = Values::array();
  if (f.points.empty()) return all;
  if (const auto other = other_point_to_use(f)) {
    const std::string& point = f.points[*other].name;
    all.push_back(make_advice(name_of(Remedy::tried_settings), point));
  }
  for (const ExternalFinding* found : advised_findings(f))
    all.push_back(advice_against(*found, f.points[found->point].name));
  if (const Next& next = f.conclusion.next; next.kind != NextKind::none)
    all.push_back(advice_on_next(next, f, plan));
  return all;
}

}  // namespace benchbench
