// Names the side that holds the step back, or says why none can be named.
#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/report/conclusion/conclusion_binds.h"
#include "harness/report/text/cells.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

std::string severity_words(const Telling& t) {
  return t.c().severity == Severity::none ? "" : std::string(name_of(t.c().severity));
}

std::string takes_words(const Telling& t, const PointFindings& p) {
  if (!side_ms(p)) return "";
  std::string text = fmt::format(": it {} {}", p.side_takes_ms ? t.does("takes") : t.does("costs"),
                                 of_step(taken_ms(t.plan, p), p.step_ms->value));
  if (takes_turns(t.f, t.plan, p.point))
    return fmt::format("{}, and {}the other side waits meanwhile", text,
                       p.own_workers ? "" : "without workers ");
  return text;
}

// Returns the words on the side that is not the limit, if its rate is a bound.
std::string no_limit_words(const Telling& t, const PointFindings& p) {
  const bool loader = p.is_bound(Mode::loader), trainer = p.is_bound(Mode::trainer);
  if (loader == trainer) return "";
  const Measured& rate = loader ? p.loader_rate : p.trainer_rate;
  return fmt::format(
      "; the {} {} no limit{}", loader ? "loader" : "trainer", t.is(),
      rate->value < kTimelessRate ? ": more than " + per_second_text(rate->value) : "");
}

std::string neither_words(const Telling& t, const PointFindings& p) {
  return fmt::format(
      "neither the loader nor the trainer {} a limit{}{}", t.is(), where_words(t, p),
      p.pipeline_rate->value < kTimelessRate
          ? fmt::format(": a step of {} is the hand-over, and too short to be divided",
                        ms_text(p.step_ms->value))
          : ": no step takes any time");
}

// Says what a wrapped script's loader takes alone, and what the script waits for it, or loses where
// its wait is not known.
std::string script_loader_words(const Telling& t, const PointFindings& p) {
  const bool waits = p.exposed_wait_ms.has_value();
  const double step = p.step_ms->value,
               lost = std::min(waits ? p.exposed_wait_ms->value : p.side_cost_ms->value, step);
  const std::string severity = severity_of(lost / step) == t.c().severity ? severity_words(t) : "";
  return fmt::format(": alone it {} {}, and the script {} {} ({:.0f} %{}{})", t.does("takes"),
                     of_step(taken_ms(t.plan, p), step), waits ? "waits for data" : "loses",
                     ms_text(lost), 100 * lost / step, severity.empty() ? "" : ", ", severity);
}

std::string loader_words(const Telling& t, const PointFindings& p) {
  if (t.wrapped() && p.side_takes_ms && p.side_cost_ms) return script_loader_words(t, p);
  std::string text = takes_words(t, p);
  if (p.is_bound(Mode::trainer)) return text;
  if (!p.side_takes_ms || !p.side_cost_ms || takes_turns(t.f, t.plan, p.point)) return text;
  const double step = p.step_ms->value, cost = std::min(p.side_cost_ms->value, step);
  text += fmt::format(", {} more than the trainer needs", ms_text(cost));
  if (t.c().severity != Severity::none)
    text += fmt::format(" ({:.0f} % of the step, {})", 100 * std::max(0.0, cost / step),
                        severity_words(t));
  return text;
}

// Says that in a wrapped script without workers each side waits for the other.
std::string turns_words(const Telling& t, const PointFindings& p) {
  return fmt::format(
      "loader and trainer take turns{}, as there are no workers: the step waits for its batch {}",
      where_words(t, p), of_step(p.exposed_wait_ms->value, p.step_ms->value));
}

// Says what most of the contention is, where it is that.
std::string core_wait_words(const Telling& t, const PointFindings& p) {
  if (!p.core_wait_ms || p.core_wait_ms->value < p.side_cost_ms->value / 2) return "";
  return fmt::format(
      "; for {} the trainer's thread {} for a core or to be woken, its batch being there",
      ms_text(p.core_wait_ms->value), t.does("waits"));
}

std::string_view neighbour_words(Neighbour who) {
  switch (who) {
    case Neighbour::programs:
      return "other programs were busy";
    case Neighbour::guests:
      return "other guests of this host were busy";
    case Neighbour::on_gpu:
      return "others used the GPU";
  }
  return "";
}

// Says what is lost to neither side alone, where neighbours may have cost most of it (R09): how
// much of it they did is not known. Empty where none could.
std::string others_words(const Telling& t, const PointFindings& p) {
  if (!p.hindered_by) return "";
  return fmt::format(
      "no side can be named{}: {}, and {}, which neither side takes alone, may be theirs",
      where_words(t, p), neighbour_words(*p.hindered_by),
      of_step(p.side_cost_ms->value, p.step_ms->value));
}

std::string contention_words(const Telling& t, const PointFindings& p) {
  if (const std::string others = others_words(t, p); !others.empty()) return others;
  return fmt::format("loader and trainer {} each other{}: that {} {}{}",
                     t.would() ? "would hinder" : "hinder", where_words(t, p), t.does("costs"),
                     of_step(p.side_cost_ms->value, p.step_ms->value, severity_words(t)),
                     core_wait_words(t, p));
}

std::string balanced_words(const Telling& t, const PointFindings& p) {
  if (p.is_bound(Mode::loader) && p.is_bound(Mode::trainer)) return neither_words(t, p);
  if (p.within)
    return fmt::format(
        "loader and trainer are balanced{}: alone, one is less than {:.0f} % faster than the "
        "other, in a step of {}",
        where_words(t, p), 100 * *p.within, ms_text(p.step_ms->value));
  return fmt::format("loader and trainer {} balanced{}: neither alone {} {:.0f} % of the {} step",
                     t.would() ? "would be" : "are", where_words(t, p),
                     t.would() ? "would clearly cost" : "is shown to cost", 100 * min_share(p),
                     ms_text(p.step_ms->value));
}

// Says what looked like the limit in too few rounds.
std::string seemed_words(const Telling& t, const PointFindings& p) {
  const std::string where = where_words(t, p);
  const std::string taken = side_ms(p) ? of_step(taken_ms(t.plan, p), p.step_ms->value) : "";
  switch (p.side) {
    case Side::loader:
    case Side::trainer:
      return fmt::format("the {} seemed to be the limit{}{}", name_of(p.side), where,
                         taken.empty() ? "" : ": it took " + taken);
    case Side::contention:
      if (const std::string others = others_words(t, p); !others.empty()) return others;
      return fmt::format("loader and trainer seemed to hinder each other{}, for {}", where, taken);
    default:
      return fmt::format(
          "neither the loader nor the trainer alone was seen to cost much of the {} step{}",
          ms_text(p.step_ms->value), where);
  }
}

std::string above_words(const PointFindings& p) {
  const bool trainer = p.trainer_rate->value < p.loader_rate->value;
  const Measured& side = trainer ? p.trainer_rate : p.loader_rate;
  return fmt::format(
      "no side can be named: the script as it is makes {}, more than its {} alone ({}), which "
      "should not be: other work on the machine may have come between{}",
      per_second_text(p.pipeline_rate->value), trainer ? "trainer" : "loader",
      human_count(side->value),
      trainer ? ", or the batches held for T may take longer than the others" : "");
}

std::string alike_words(const Telling& t, const PointFindings& p) {
  if (p.side == Side::contention && p.hindered_by) return others_words(t, p);
  // F may be contention's, or what rounds differ by: L and T need not be near each other.
  if (p.overlap_efficiency && p.overlap_efficiency->value < 0.5)
    return fmt::format(
        "no side can be named: the script as it is makes {}, {:.2f}x what its sides alone would "
        "allow, in rounds that leave open why",
        per_second_text(p.pipeline_rate->value), p.overlap_efficiency->value);
  const Estimate& ratio = *p.headroom;
  const RatioWords words = undecided_ratio(ratio);
  const bool shows_it = ratio.low < 1 && ratio.high > 1 && !is_wide(ratio);
  return fmt::format(
      "no side can be named: the loader alone makes {}x what the trainer alone takes, which the "
      "rounds leave open{}",
      words.value, shows_it ? words.interval : "");
}

}  // namespace

std::string side_words(const Telling& t, const PointFindings& p) {
  const std::string where = where_words(t, p);
  if (t.wrapped() && takes_turns(t.f, t.plan, p.point) && p.exposed_wait_ms &&
      (p.side == Side::loader || p.side == Side::trainer))
    return turns_words(t, p);
  switch (p.side) {
    case Side::loader:
      return fmt::format("the loader {} the limit{}{}{}", t.is(), where, loader_words(t, p),
                         no_limit_words(t, p));
    case Side::trainer:
      return fmt::format("the trainer {} the limit{}{}{}{}", t.is(), where, takes_words(t, p),
                         no_limit_words(t, p),
                         t.c().workers_will_not_help ? "; more workers will not help" : "");
    case Side::contention:
      return contention_words(t, p);
    case Side::balanced:
      return balanced_words(t, p);
    case Side::unknown:
      break;
  }
  return fmt::format(
      "no side can be named{}: the rounds, or the steps of one, differ too much to say what {} "
      "the {} step",
      where, t.does("costs"), ms_text(p.step_ms->value));
}

std::string doubtful_words(const Telling& t, const PointFindings& p) {
  switch (t.c().doubt) {
    case Doubt::few_rounds:
      return fmt::format("in {} {}. That is not certain: more rounds are needed{}",
                         counted(p.rounds, "complete round"), seemed_words(t, p),
                         is_said_noisy(t.f, t.plan, p) ? ", and what was measured is noisy" : "");
    case Doubt::above_a_side:
      return above_words(p);
    default:
      return alike_words(t, p);
  }
}

}  // namespace benchbench
