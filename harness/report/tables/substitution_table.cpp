#include "harness/report/tables/substitution_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text/cells.h"
#include "harness/report/words/advice_words.h"

namespace benchbench {
namespace {

bool told(const Recovered& r) { return r.severity != Severity::none; }

std::string remark_of(const Recovered& r) {
  std::string text(name_of(r.severity));
  const auto add = [&](const char* more) {
    text += (text.empty() ? "" : ", ") + std::string(more);
  };
  if (r.component == Component::tiny_batch && told(r)) add("per sample, at four times the batch");
  if (r.derived) add("from rates");
  if (r.bounded && told(r)) add("at least");
  return text;
}

std::uint32_t rounds_of(const Substitutions& s) { return s.step_ms ? s.step_ms->n : s.rounds; }

SubstitutionRow row_of(std::string name, const Estimate& ms, double share, std::string remark) {
  return {std::move(name), ms_text(ms.value),
          ms.n > 1 ? fmt::format("{} to {}", ms_text(ms.low), ms_text(ms.high)) : kNotMeasured,
          share < 0 ? kNotMeasured : share_text(share), std::move(remark)};
}

// The fewest that any component rests on: what none of them recovers is said of all.
std::uint32_t fewest_rounds(const Substitutions& s) {
  std::uint32_t fewest = rounds_of(s);
  for (const Recovered& r : s.components)
    if (r.ms) fewest = std::min(fewest, r.ms->n);
  return fewest;
}

std::string evidence_of(const Substitutions& s) {
  if (s.bound_by.front() != Component::lock || !s.lock_wait_ms) return "";
  return fmt::format(" (a worker waits {} of each {} step for it)", ms_text(*s.lock_wait_ms),
                     ms_text(s.step_ms->value));
}

std::string binding_words(const Substitutions& s) {
  switch (s.binding) {
    case Naming::not_measured:
      break;
    case Naming::none:
      return fmt::format(
          "no single component can be named: none recovers {} of the step with certainty",
          fewest_rounds(s) < kFirmRounds ? "10 % (2 % from 5 rounds on)" : "2 %");
    case Naming::one:
      return fmt::format("the binding component is {}{}", name_of(s.bound_by.front()),
                         evidence_of(s));
    case Naming::tie:
      return fmt::format("tie: {} and {} cannot be distinguished in {}", name_of(s.bound_by[0]),
                         name_of(s.bound_by[1]), counted(rounds_of(s), "round"));
  }
  return "no component could be named";
}

// "sync" of "sync_bound", which is the word of a verdict.
std::string_view cost_name(Component component) {
  const std::string_view word = name_of(component);
  return word.substr(0, word.find("_bound"));
}

// True if nothing has shown what the change gives: the measurement took the whole component away,
// and the change does not.
bool gives_less(const Advice& advice) {
  return !advice.key.empty() && advice.remedy != Remedy::mock_setting &&
         advice.remedy != Remedy::keep_in_memory;
}

}  // namespace

std::vector<SubstitutionRow> substitution_rows(const Substitutions& s) {
  std::vector<SubstitutionRow> rows;
  for (const Recovered& r : s.components) {
    if (!r.ms) continue;
    rows.push_back(row_of(std::string(name_of(r.component)), *r.ms, r.share, remark_of(r)));
  }
  const double step = s.step_ms ? s.step_ms->value : 0;
  if (s.loader_ms && step > 0)
    rows.push_back(
        row_of("the whole loader", *s.loader_ms, s.loader_ms->value / step, "from rates"));
  if (s.trainer_ms && step > 0)
    rows.push_back(
        row_of("the whole trainer", *s.trainer_ms, s.trainer_ms->value / step, "from rates"));
  return rows;
}

std::string substitution_title(const Substitutions& s, const Findings& findings) {
  return fmt::format("One step of {}, {}, with one component removed at a time ({}):",
                     findings.points[s.point].name, ms_cell(s.step_ms),
                     counted(rounds_of(s), "round"));
}

std::string_view naming_word(Naming naming, const std::vector<Component>& named,
                             std::string_view none) {
  if (naming == Naming::one) return name_of(named.front());
  return naming == Naming::none ? none : naming == Naming::tie ? "tie" : "not measured";
}

std::string next_step(const Substitutions& s) {
  if (s.bound_by.empty()) return "";
  const Component first = s.bound_by.front();
  const auto at = std::ranges::find(s.components, first, &Recovered::component);
  Advice by_hand;
  by_hand.component = first;
  const Advice& advice = s.advice ? *s.advice : by_hand;
  return fmt::format("{}: a step takes {} now and {} {} without any {}", advice_words(advice),
                     ms_text(s.step_ms->value),
                     gives_less(advice) ? "would take, at best," : "could take",
                     ms_text(s.step_ms->value - at->ms->value), cost_name(first));
}

std::string substitution_words(const Substitutions& s) {
  std::string text = binding_words(s);
  const auto floored = [](const Recovered& r) { return r.ms && r.bounded && told(r); };
  const bool at_least = std::any_of(s.components.begin(), s.components.end(), floored);
  if (const std::string next = next_step(s); !next.empty()) text += "; " + next;
  std::string missing;
  for (const Recovered& r : s.components)
    if (!r.ms) missing += (missing.empty() ? "" : ", ") + std::string(name_of(r.component));
  if (at_least) text += "; at least: without it, the other side limits the rate";
  if (!missing.empty()) text += "; not measured: " + missing;
  return text;
}

}  // namespace benchbench
