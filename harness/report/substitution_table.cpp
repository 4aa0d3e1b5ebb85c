#include "harness/report/substitution_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/cells.h"

namespace benchbench {
namespace {

// A time that may be negative: freeing a component can cost.
std::string signed_ms(double milliseconds) {
  return milliseconds < 0 ? "-" + ms_text(-milliseconds) : ms_text(milliseconds);
}

std::string remark_of(const Recovered& r) {
  std::string text = r.component == Component::tiny_batch && !r.severity.empty() ? "per sample, at four times the batch" : r.severity;
  const auto add = [&](const char* more) { text += (text.empty() ? "" : ", ") + std::string(more); };
  if (r.derived) add("from rates");
  if (r.bounded && !r.severity.empty()) add("at least");
  return text;
}

std::uint32_t rounds_of(const Substitutions& s) { return s.step_ms ? s.step_ms->n : s.rounds; }

SubstitutionRow row_of(std::string name, const Estimate& ms, double share, std::string remark) {
  return {std::move(name), signed_ms(ms.value), ms.n > 1 ? fmt::format("{} to {}", signed_ms(ms.low), signed_ms(ms.high)) : kNotMeasured,
          share < 0 ? "-" + share_text(-share) : share_text(share), std::move(remark)};
}

std::string binding_words(const Substitutions& s) {
  if (s.binding == "balanced")
    return fmt::format("no single component can be named: none recovers {} of the step with certainty",
                       rounds_of(s) < kFirmRounds ? "10 % (2 % from 5 rounds on)" : "2 %");
  if (s.binding == "tie" && s.bound_by.size() > 1)
    return fmt::format("tie: {} and {} cannot be told apart in {} rounds", name_of(s.bound_by[0]),
                       name_of(s.bound_by[1]), rounds_of(s));
  if (s.binding == "not measured") return "no component could be named";
  return fmt::format("what binds is {}", s.binding);
}

}  // namespace

std::vector<SubstitutionRow> substitution_rows(const Substitutions& s) {
  std::vector<SubstitutionRow> rows;
  for (const Recovered& r : s.components) {
    if (!r.ms) continue;
    rows.push_back(row_of(std::string(name_of(r.component)), *r.ms, r.share, remark_of(r)));
  }
  const double step = s.step_ms ? s.step_ms->value : 0;
  if (s.loader_ms && step > 0) rows.push_back(row_of("the whole loader", *s.loader_ms, s.loader_ms->value / step, "from rates"));
  if (s.trainer_ms && step > 0) rows.push_back(row_of("the whole trainer", *s.trainer_ms, s.trainer_ms->value / step, "from rates"));
  return rows;
}

std::string substitution_title(const Substitutions& s, const Findings& findings) {
  return fmt::format("One step of {}, {}, with one component free at a time ({} round{}):", findings.points[s.point].name,
                     ms_cell(s.step_ms), rounds_of(s), rounds_of(s) == 1 ? "" : "s");
}

std::string substitution_words(const Substitutions& s) {
  std::string text = binding_words(s);
  const auto floored = [](const Recovered& r) { return r.ms && r.bounded && !r.severity.empty(); };
  const bool at_least = std::any_of(s.components.begin(), s.components.end(), floored);
  if (!s.next.empty()) text += "; " + s.next;
  std::string missing;
  for (const Recovered& r : s.components)
    if (!r.ms) missing += (missing.empty() ? "" : ", ") + std::string(name_of(r.component));
  if (at_least) text += "; at least: with it free, the other side sets the pace";
  if (!missing.empty()) text += "; not measured: " + missing;
  return text;
}

}  // namespace benchbench
