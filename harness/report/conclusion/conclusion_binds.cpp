// Writes what holds the step back, with what is known of it, in whole sentences.
#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/report/conclusion/conclusion_binds.h"
#include "harness/report/external/job_words.h"
#include "harness/report/text/cells.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

std::string lock_words(const Telling& t, const PointFindings& p) {
  return fmt::format(" A worker {} for a lock: {}.", t.does("waits"),
                     of_step(*p.lock_wait_ms, p.step_ms->value));
}

// Says what the substitutions of this point found, in line with their table.
std::string found_words(const Telling& t, const PointFindings& p) {
  const auto& s = t.f.substitutions;
  if (!s || s->point != p.point || !s->step_ms) return "";
  const auto cost = [&](Component c) -> const Recovered* {
    const auto at = std::ranges::find(s->components, c, &Recovered::component);
    return at == s->components.end() || !at->ms ? nullptr : &*at;
  };
  const Recovered* tiny = cost(Component::tiny_batch);
  const Recovered* first = s->bound_by.empty() ? nullptr : cost(s->bound_by.front());
  if (tiny && tiny->severity != Severity::none && (!first || tiny->ms->value >= first->ms->value))
    return fmt::format(" With four times the batch size a sample {} {:.0f} % less time.",
                       t.does("takes"), std::clamp(100 * tiny->share, 0.0, 100.0));
  if (!first) return "";
  if (s->binding == Naming::tie && s->bound_by.size() > 1)
    return fmt::format(" Of single components {} and {} {} most; they cannot be distinguished.",
                       name_of(s->bound_by[0]), name_of(s->bound_by[1]),
                       t.would() ? "would cost" : "cost");
  if (first->component == Component::lock && p.lock_wait_ms && p.step_ms) return lock_words(t, p);
  const bool most = std::ranges::none_of(
      s->components, [&](const Recovered& r) { return r.ms && r.ms->value > first->ms->value; });
  return fmt::format(" Of single components {} {} {}: {}.", name_of(first->component),
                     most ? t.does("costs") : t.does("clearly costs"), most ? "most" : "time",
                     of_step(first->ms->value, s->step_ms->value));
}

std::string shared_cores_words(const Telling& t, double longer_ms) {
  return fmt::format(
      " The step {} {} longer than alone, as the loader's work {} the same cores: a cheaper loader "
      "{} some of that back, too.",
      t.does("takes"), ms_text(longer_ms), t.does("needs"), t.would() ? "would give" : "gives");
}

// "the script's own thread waits for a core 72 % of that", of what no side explains; "" where cores
// do not explain it either, or were not seen.
std::string without_core_words(const Telling& t, const PointFindings& p, const StepRest& rest) {
  if (rest.core_wait_share)
    return fmt::format("the script's own thread waits for a core {:.0f} % of that",
                       100 * *rest.core_wait_share);
  if (!rest.threads) return "";
  return fmt::format("more threads run or wait meanwhile ({:.1f}) than there are cores ({:g})",
                     *rest.threads, t.f.external.at(p.point)->cores);
}

std::string nothing_usable(const Findings& f) {
  const std::string counts =
      counts_text(f, {Status::failed, Status::invalid, Status::aborted, Status::skipped});
  if (counts.empty()) return "Nothing was measured yet.";
  return fmt::format("No trial gave a usable result ({}), so nothing can be concluded.", counts);
}

// Says which of several loaders the steps of a wrapped script wait for.
std::string partners_words(const Telling& t, const PointFindings& p) {
  const ExternalPoint* seen = t.wrapped() ? t.f.external.at(p.point) : nullptr;
  if (!seen || seen->partners.empty() || !p.exposed_wait_ms) return "";
  double own = p.exposed_wait_ms->value;
  std::string others;
  for (const auto& [name, ms] : seen->partners) {
    own -= ms;
    others += fmt::format(", for {} {}", name.empty() ? "another" : name, ms_text(ms));
  }
  const Value* name = t.plan.scenario.base.find("loader.call");
  return fmt::format(" Each step fetches from {}, and waits for {} {}{}.",
                     counted(seen->partners.size() + 1, "loader"),
                     name ? name->text() : "the first", ms_text(std::max(0.0, own)), others);
}

// Says what comes first where more is lost outside of the steps than they wait for batches; else
// "".
std::string lost_outside(const Telling& t, std::uint32_t point) {
  const ExternalPoint* seen = t.wrapped() ? t.f.external.at(point) : nullptr;
  if (!seen || !seen->job) return "";
  // An iterator for each step is said by its finding, with the same time.
  if (has_fault(t.f, ExternalFault::iterator_each_step)) return "";
  const std::string text = lost_outside_words(*seen->job, t.brief);
  return text.empty() ? text : text + " Of the steps: ";
}

// Says which side binds, or which one may.
std::string subject_words(const Telling& t, const PointFindings& p) {
  const bool doubted = is_side_doubted(t.f);
  std::string text = as_sentence(doubted ? doubtful_words(t, p) : side_words(t, p));
  text += rest_words(t, p);
  if (!doubted) text += component_words(t, p);
  const bool says_rounds = doubted && t.c().doubt == Doubt::few_rounds;
  return says_rounds ? text : text + " " + certainty_words(t, p, p.rounds);
}

}  // namespace

std::string of_step(double part_ms, double step_ms, std::string_view more) {
  const std::string part = ms_text(part_ms), step = ms_text(step_ms);
  const double percent = std::clamp(100 * part_ms / step_ms, 0.0, 100.0);
  if (part_ms >= step_ms || part == step)
    return fmt::format("all of each {} step{}{}{}", step, more.empty() ? "" : " (", more,
                       more.empty() ? "" : ")");
  return fmt::format("{} of each {} step ({:.0f} %{}{})", part, step, percent,
                     more.empty() ? "" : ", ", more);
}

std::string where_words(const Telling& t, const PointFindings& p) {
  const std::string words =
      with_conditions(t, p.point, p.point == 0 ? "" : point_words(t, p.point));
  return words.empty() ? "" : " with " + words;
}

std::string certainty_words(const Telling& t, const PointFindings& at, std::uint32_t rounds) {
  const bool cut = t.wrapped() && rounds < t.f.rounds;  // the run ended within a round
  std::string text = fmt::format(
      "{}{}{} round{}", !t.wrapped() && rounds < kFirmRounds ? "Indicative: " : "Measured in ",
      rounds, cut ? " complete" : "", rounds == 1 ? "" : "s");
  if (is_said_noisy(t.f, t.plan, at)) text += ", noisy";
  if (t.f.simulated) text += ", virtual time";
  return text + ".";
}

std::string component_words(const Telling& t, const PointFindings& p) {
  std::string text = found_words(t, p);
  return text.empty() && is_held_back_by_lock(p) ? lock_words(t, p) : text;
}

std::string rest_words(const Telling& t, const PointFindings& p) {
  const StepRest rest = rest_of_step(t.f, t.plan, p);
  const std::string cores = without_core_words(t, p, rest);
  if (rest.waits_too)
    return fmt::format(" The script waits for data {}.",
                       of_step(p.exposed_wait_ms->value, p.step_ms->value));
  if (rest.unexplained_ms)
    return fmt::format(" Its waits and what the trainer takes alone leave {} unexplained{}.",
                       of_step(*rest.unexplained_ms, p.step_ms->value),
                       cores.empty() ? "" : ": " + cores);
  if (!rest.shared_cores_ms) return "";
  return shared_cores_words(t, *rest.shared_cores_ms) +
         (cores.empty() ? "" : " " + as_sentence(cores));
}

std::string binds_words(const Telling& t) {
  if (!t.c().subject) {
    const std::string some = no_side_words(t);
    if (!some.empty()) return lost_outside(t, 0) + some;
    const ExternalPoint* seen = t.wrapped() ? t.f.external.at(0) : nullptr;
    const std::string known = seen ? words_without_stretch(*seen) : "";
    // `findings` says what is known then.
    if (known.empty() && is_without_stretch(t.f, t.plan)) return "";
    return known.empty() ? nothing_usable(t.f) : known;
  }
  const PointFindings& p = t.f.points[*t.c().subject];
  return lost_outside(t, p.point) + subject_words(t, p) + partners_words(t, p);
}

}  // namespace benchbench
