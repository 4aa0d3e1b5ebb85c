// Writes what holds the step back, with what is known of it, in whole sentences.
#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/report/cells.h"
#include "harness/report/conclusion/conclusion_binds.h"
#include "harness/report/external/job_words.h"
#include "harness/report/surroundings.h"

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

// Says what the step takes longer than alone, without its wait, where the cores are full before
// either side's own rate is reached.
std::string shared_cores_words(const Telling& t, const PointFindings& p) {
  if (p.side != Side::trainer || !p.side_takes_ms || !p.exposed_wait_ms || !p.cpu_rate ||
      !p.loader_rate || !p.trainer_rate || takes_turns(t, p.point))
    return "";
  const double rest = p.step_ms->value - p.side_takes_ms->value - p.exposed_wait_ms->value,
               longer = t.wrapped() ? unexplained_ms(p).value_or(rest) : rest;
  const bool full = p.cpu_rate->value < std::min(p.loader_rate->value, p.trainer_rate->value);
  if (!full || longer < kLargePart * p.step_ms->value) return "";
  return fmt::format(
      " The step {} {} longer than alone, as the loader's work {} the same cores: a cheaper loader "
      "{} some of that back, too.",
      t.does("takes"), ms_text(longer), t.does("needs"), t.would() ? "would give" : "gives");
}

// "the script's own thread waits for a core 72 % of that", of what no side explains; "" where cores
// do not explain it either, or were not seen.
std::string without_core_words(const Telling& t, const PointFindings& p, double unexplained) {
  const ExternalPoint* seen = t.f.external.at(p.point);
  if (!seen || seen->mode != Mode::pipeline) return "";
  const double share = std::min(1.0, seen->core_wait_main_ms.value_or(0) / unexplained);
  if (share >= kLargePart)
    return fmt::format("the script's own thread waits for a core {:.0f} % of that", 100 * share);
  if (seen->cores <= 0 || seen->runnable_mean.value_or(0) <= seen->cores) return "";
  return fmt::format("more threads run or wait meanwhile ({:.1f}) than there are cores ({:g})",
                     *seen->runnable_mean, seen->cores);
}

// True if the side that is named takes little of the step alone.
bool is_small_side(const Telling& t, const PointFindings& p) {
  return (p.side == Side::loader || p.side == Side::trainer) && p.side_takes_ms &&
         taken_ms(t, p) < kSmallSide * p.step_ms->value;
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
  if (std::ranges::find(t.f.external.findings, ExternalFault::iterator_each_step,
                        &ExternalFinding::fault) != t.f.external.findings.end())
    return "";
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

const Measured& side_ms(const PointFindings& p) {
  return p.side_takes_ms ? p.side_takes_ms : p.side_cost_ms;
}

double taken_ms(const Telling& t, const PointFindings& p) {
  const auto rows = t.wrapped() ? step_rows(p, nullptr, "") : decltype(step_rows(p, nullptr, "")){};
  if (!rows.empty() && p.side == Side::trainer) return rows.front().second;
  if (!rows.empty() && p.side == Side::loader && p.loader_rate && p.loader_rate->value > 0)
    return p.step_ms->value * std::min(1.0, p.pipeline_rate->value / p.loader_rate->value);
  return side_ms(p)->value;
}

bool is_said_noisy(const Telling& t, const PointFindings& at) {
  return at.status == Status::noisy && !hides_noise(t.f, t.plan);
}

std::string certainty_words(const Telling& t, const PointFindings& at, std::uint32_t rounds) {
  const bool cut = t.wrapped() && rounds < t.f.rounds;  // the run ended within a round
  std::string text = fmt::format(
      "{}{}{} round{}", !t.wrapped() && rounds < kFirmRounds ? "Indicative: " : "Measured in ",
      rounds, cut ? " complete" : "", rounds == 1 ? "" : "s");
  if (is_said_noisy(t, at)) text += ", noisy";
  if (t.f.simulated) text += ", virtual time";
  return text + ".";
}

std::string component_words(const Telling& t, const PointFindings& p) {
  std::string text = found_words(t, p);
  return text.empty() && is_held_back_by_lock(p) ? lock_words(t, p) : text;
}

std::string rest_words(const Telling& t, const PointFindings& p) {
  const std::string shared = is_side_doubted(t.f) ? "" : shared_cores_words(t, p);
  const auto unexplained = t.wrapped() ? unexplained_ms(p) : std::nullopt;
  if (!unexplained) return shared;
  const double step = p.step_ms->value;
  if (*unexplained < kLargePart * step)
    return shared.empty() && p.side == Side::trainer && is_small_side(t, p)
               ? fmt::format(" The script waits for data {}.",
                             of_step(p.exposed_wait_ms->value, step))
               : shared;
  const std::string cores = without_core_words(t, p, *unexplained);
  if (!shared.empty()) return shared + (cores.empty() ? "" : " " + as_sentence(cores));
  if (cores.empty() && !is_small_side(t, p)) return "";
  return fmt::format(" Its waits and what the trainer takes alone leave {} unexplained{}.",
                     of_step(*unexplained, step), cores.empty() ? "" : ": " + cores);
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
