#include "harness/report/substitution_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/cells.h"

namespace benchbench {
namespace {

bool told(const Recovered& r) { return r.severity != Severity::none; }

std::string remark_of(const Recovered& r) {
  std::string text = r.component == Component::tiny_batch && told(r) ? "per sample, at four times the batch"
                                                                                   : std::string(name_of(r.severity));
  const auto add = [&](const char* more) { text += (text.empty() ? "" : ", ") + std::string(more); };
  if (r.derived) add("from rates");
  if (r.bounded && told(r)) add("at least");
  return text;
}

std::uint32_t rounds_of(const Substitutions& s) { return s.step_ms ? s.step_ms->n : s.rounds; }

SubstitutionRow row_of(std::string name, const Estimate& ms, double share, std::string remark) {
  return {std::move(name), ms_text(ms.value), ms.n > 1 ? fmt::format("{} to {}", ms_text(ms.low), ms_text(ms.high)) : kNotMeasured,
          share < 0 ? kNotMeasured : share_text(share), std::move(remark)};
}

std::string binding_words(const Substitutions& s) {
  switch (s.binding) {
    case Naming::not_measured:
      break;
    case Naming::none:
      return fmt::format("no single component can be named: none recovers {} of the step with certainty",
                         rounds_of(s) < kFirmRounds ? "10 % (2 % from 5 rounds on)" : "2 %");
    case Naming::one:
      return fmt::format("what binds is {}", name_of(s.bound_by.front()));
    case Naming::tie:
      return fmt::format("tie: {} and {} cannot be told apart in {}", name_of(s.bound_by[0]),
                         name_of(s.bound_by[1]), counted(rounds_of(s), "round"));
  }
  return "no component could be named";
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
  return fmt::format("One step of {}, {}, with one component free at a time ({}):", findings.points[s.point].name,
                     ms_cell(s.step_ms), counted(rounds_of(s), "round"));
}

std::string_view naming_word(Naming naming, const std::vector<Component>& named, std::string_view none) {
  if (naming == Naming::one) return name_of(named.front());
  return naming == Naming::none ? none : naming == Naming::tie ? "tie" : "not measured";
}

std::string_view next_change(Component component) {
  constexpr std::string_view changes[kComponents] = {
      "keep the data nearer (local disk, page cache) or read it in larger pieces (tar, hdf5)",
      "try another dataset.format",
      "store the samples smaller or already decoded, or add workers while cores are free",
      "move transforms to the device or make them once, before training",
      "have samples made straight into the batch",
      "try loader.in_order: false",
      "copy less (uint8 instead of float) or beside the step (pin_memory)",
      "lower trainer.precision or the model's cost; more workers will not help",
      "enqueue fewer, larger operations; more workers will not help",
      "read results back less often (trainer.log_every)",
      "post-process less often, or beside the step",
      "write checkpoints less often, or beside the step",
      "look at the slowest rank",
      "give one side fewer threads: both want the same cores",
      "try a larger loader.batch_size",
      "look for a lock or a serial section in the loader: more workers will not help until it is gone",
      "look at the slowest worker, or try loader.dispatch: shared",
      "look at the slowest samples, or try loader.in_order: false"};
  return changes[static_cast<std::size_t>(component)];
}

std::string next_step(const Substitutions& s) {
  if (s.bound_by.empty()) return "";
  const Component first = s.bound_by.front();
  const auto at = std::ranges::find(s.components, first, &Recovered::component);
  return fmt::format("{}: a step takes {} now and could take {} without it",
                     next_change(first), ms_text(s.step_ms->value), ms_text(s.step_ms->value - at->ms->value));
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
