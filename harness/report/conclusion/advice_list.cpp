#include "harness/report/conclusion/advice_list.h"

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/external/costliest_part.h"
#include "harness/analysis/faults/failed_code.h"
#include "harness/report/external/external_words.h"

namespace benchbench {
namespace {

AdviceLine advise_change(const Advice& advice, const std::string& point) {
  AdviceLine line{name_of(advice.remedy), {}, point, "", {}};
  line.arguments.emplace_back("component", name_of(advice.component));
  if (!advice.key.empty()) {
    line.arguments.emplace_back("key", advice.key);
    line.arguments.emplace_back("from", advice.from);
    line.arguments.emplace_back("to", advice.to);
  }
  return line;
}

AdviceLine advise_next(const Next& next, const Findings& f, const Plan& plan) {
  const std::string& point = f.points[next.at].name;
  if (next.advice) return advise_change(*next.advice, point);
  AdviceLine line{name_of(next.kind), {}, point, "", {}};
  if (const auto failed = failed_code(plan, f.problems); next.kind == NextKind::mend_code && failed)
    line.where = failed->where;
  const ExternalPoint* seen = next.kind == NextKind::own_code ? f.external.at(next.at) : nullptr;
  if (!seen) return line;
  const auto most = find_costliest_part(*seen);
  line.arguments.emplace_back("part", most->name);
  if (most->name == "getitem") line.where = seen->facts.getitem_where;
  return line;
}

}  // namespace

std::vector<AdviceLine> list_advice(const Findings& f, const Plan& plan) {
  std::vector<AdviceLine> all;
  if (f.points.empty()) return all;
  if (const auto other = other_point_to_use(f))
    all.push_back({name_of(Remedy::tried_settings), {}, f.points[*other].name, "", {}});
  for (const ExternalFinding* found : advised_findings(f))
    all.push_back({name_of(remedy_for(*found)),
                   name_of(found->fault),
                   f.points[found->point].name,
                   found->where,
                   {}});
  if (const Next& next = f.conclusion.next; next.kind != NextKind::none)
    all.push_back(advise_next(next, f, plan));
  return all;
}

}  // namespace benchbench
