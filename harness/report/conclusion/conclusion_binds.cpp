// Which side holds the step back, or why none can be named.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/verdict.h"
#include "harness/report/cells.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/external/job_words.h"
#include "harness/report/surroundings.h"

namespace benchbench {
namespace {

constexpr double kSharedCores = 0.1;  // of the step
// Shares of a step: what no side explains is spoken of; a side that takes less is not all there is
// to say; of what no side explains, time without a core is.
constexpr double kUnexplained = 0.1, kSmallSide = 1.0 / 3, kCoreWait = 0.1;
constexpr const char* kNoSide = ", so no side can be named";

std::string per_second(const Measured& rate) { return human_count(rate->value) + " samples/s"; }

bool is_said_noisy(const Telling& t, const PointFindings& at) {
  return at.status == Status::noisy && !hides_noise(t.f, t.plan);
}

// Returns "Indicative: 3 rounds, noisy." or "Measured in 10 rounds." `rounds` are those of the
// numbers spoken of, not of the run. A wrapped script's are as many as it took.
std::string certainty_words(const Telling& t, const PointFindings& at, std::uint32_t rounds) {
  const bool cut = t.wrapped() && rounds < t.f.rounds;  // the run ended within a round
  std::string text = fmt::format(
      "{}{}{} round{}", !t.wrapped() && rounds < kFirmRounds ? "Indicative: " : "Measured in ",
      rounds, cut ? " complete" : "", rounds == 1 ? "" : "s");
  if (is_said_noisy(t, at)) text += ", noisy";
  if (t.f.simulated) text += ", virtual time";
  return text + ".";
}

std::string where_words(const Telling& t, const PointFindings& p) {
  const std::string words =
      with_conditions(t, p.point, p.point == 0 ? "" : point_words(t, p.point));
  return words.empty() ? "" : " with " + words;
}

// "12 ms of each 20 ms step (60 %)", "all of each 20 ms step".
std::string of_step(double part_ms, double step_ms, std::string_view more = "") {
  const std::string part = ms_text(part_ms), step = ms_text(step_ms);
  const double percent = std::clamp(100 * part_ms / step_ms, 0.0, 100.0);
  if (part_ms >= step_ms || part == step)
    return fmt::format("all of each {} step{}{}{}", step, more.empty() ? "" : " (", more,
                       more.empty() ? "" : ")");
  return fmt::format("{} of each {} step ({:.0f} %{}{})", part, step, percent,
                     more.empty() ? "" : ", ", more);
}

std::string severity_words(const Telling& t) {
  return t.c().severity == Severity::none ? "" : std::string(name_of(t.c().severity));
}

// Returns what the side that is named takes of a step alone: of a wrapped script as its table has
// it.
double taken_ms(const Telling& t, const PointFindings& p) {
  const auto rows = t.wrapped() ? step_rows(p, nullptr, "") : decltype(step_rows(p, nullptr, "")){};
  if (!rows.empty() && p.side == Side::trainer) return rows.front().second;
  if (!rows.empty() && p.side == Side::loader && p.loader_rate && p.loader_rate->value > 0)
    return p.step_ms->value * std::min(1.0, p.pipeline_rate->value / p.loader_rate->value);
  return p.side_takes_ms ? p.side_takes_ms->value : p.side_cost_ms->value;
}

std::string takes_words(const Telling& t, const PointFindings& p) {
  const Measured& ms = p.side_takes_ms ? p.side_takes_ms : p.side_cost_ms;
  if (!ms) return "";
  std::string text = fmt::format(": it {} {}", p.side_takes_ms ? t.does("takes") : t.does("costs"),
                                 of_step(taken_ms(t, p), p.step_ms->value));
  if (takes_turns(t, p.point))
    return fmt::format("{}, and {}the other side waits meanwhile", text,
                       p.own_workers ? "" : "without workers ");
  return text;
}

// Returns the words on the side that is not the limit, if its rate is a bound.
std::string no_limit_words(const Telling& t, const PointFindings& p) {
  const bool loader = p.is_bound(Mode::loader), trainer = p.is_bound(Mode::trainer);
  if (loader == trainer) return "";
  const Measured& rate = loader ? p.loader_rate : p.trainer_rate;
  return fmt::format("; the {} {} no limit{}", loader ? "loader" : "trainer", t.is(),
                     rate->value < kTimelessRate ? ": more than " + per_second(rate) : "");
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
                     of_step(taken_ms(t, p), step), waits ? "waits for data" : "loses",
                     ms_text(lost), 100 * lost / step, severity.empty() ? "" : ", ", severity);
}

std::string loader_words(const Telling& t, const PointFindings& p) {
  if (t.wrapped() && p.side_takes_ms && p.side_cost_ms) return script_loader_words(t, p);
  std::string text = takes_words(t, p);
  if (p.is_bound(Mode::trainer)) return text;
  if (!p.side_takes_ms || !p.side_cost_ms || takes_turns(t, p.point)) return text;
  const double share = std::clamp(p.side_cost_ms->value / p.step_ms->value, 0.0, 1.0);
  text += fmt::format(", {} more than the trainer needs",
                      ms_text(std::min(p.side_cost_ms->value, p.step_ms->value)));
  if (t.c().severity != Severity::none)
    text += fmt::format(" ({:.0f} % of the step, {})", 100 * share, severity_words(t));
  return text;
}

// Of a wrapped script without workers: each side waits for the other, whichever takes longer.
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
std::string others_words(const PointFindings& p, std::string_view where, const std::string& part) {
  if (!p.hindered_by) return "";
  return fmt::format(
      "no side can be named{}: {}, and {}, which neither side takes alone, may be theirs", where,
      neighbour_words(*p.hindered_by), part);
}

std::string side_words(const Telling& t, const PointFindings& p) {
  const std::string where = where_words(t, p);
  if (t.wrapped() && takes_turns(t, p.point) && p.exposed_wait_ms &&
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
      if (const std::string others =
              others_words(p, where, of_step(p.side_cost_ms->value, p.step_ms->value));
          !others.empty())
        return others;
      return fmt::format("loader and trainer {} each other{}: that {} {}{}",
                         t.would() ? "would hinder" : "hinder", where, t.does("costs"),
                         of_step(p.side_cost_ms->value, p.step_ms->value, severity_words(t)),
                         core_wait_words(t, p));
    case Side::balanced:
      if (p.is_bound(Mode::loader) && p.is_bound(Mode::trainer)) return neither_words(t, p);
      if (p.within)
        return fmt::format(
            "loader and trainer are balanced{}: alone, one is less than {:.0f} % faster than the "
            "other, in a step of {}",
            where, 100 * *p.within, ms_text(p.step_ms->value));
      return fmt::format(
          "loader and trainer {} balanced{}: neither alone {} {:.0f} % of the {} step",
          t.would() ? "would be" : "are", where,
          t.would() ? "would clearly cost" : "is shown to cost", 100 * min_share(p),
          ms_text(p.step_ms->value));
    case Side::unknown:
      break;
  }
  return fmt::format(
      "no side can be named{}: the rounds, or the steps of one, differ too much to say what {} "
      "the {} step",
      where, t.does("costs"), ms_text(p.step_ms->value));
}

std::string noisy_word(const Telling& t, const PointFindings& p) {
  return is_said_noisy(t, p) ? ", and what was measured is noisy" : "";
}

// What looked like the limit in too few rounds.
std::string seemed_words(const Telling& t, const PointFindings& p) {
  const std::string where = where_words(t, p);
  const Measured& takes = p.side_takes_ms ? p.side_takes_ms : p.side_cost_ms;
  const std::string taken = takes ? of_step(taken_ms(t, p), p.step_ms->value) : "";
  switch (p.side) {
    case Side::loader:
    case Side::trainer:
      return fmt::format("the {} seemed to be the limit{}{}", name_of(p.side), where,
                         taken.empty() ? "" : ": it took " + taken);
    case Side::contention:
      if (const std::string others = others_words(p, where, taken); !others.empty()) return others;
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
      per_second(p.pipeline_rate), trainer ? "trainer" : "loader", human_count(side->value),
      trainer ? ", or the batches held for T may take longer than the others" : "");
}

// F may be contention's, or what rounds differ by: L and T need not be near each other.
bool is_far_below_sides(const PointFindings& p) {
  return p.overlap_efficiency && p.overlap_efficiency->value < 0.5;
}

std::string alike_words(const Telling& t, const PointFindings& p) {
  if (p.side == Side::contention && p.hindered_by)
    return others_words(p, where_words(t, p), of_step(p.side_cost_ms->value, p.step_ms->value));
  if (is_far_below_sides(p))
    return fmt::format(
        "no side can be named: the script as it is makes {}, {:.2f}x what its sides alone would "
        "allow, in rounds that leave open why",
        per_second(p.pipeline_rate), p.overlap_efficiency->value);
  const Estimate& ratio = *p.headroom;
  const RatioWords words = undecided_ratio(ratio);
  const bool shows_it = ratio.low < 1 && ratio.high > 1 && !is_wide(ratio);
  return fmt::format(
      "no side can be named: the loader alone makes {}x what the trainer alone takes, which the "
      "rounds leave open{}",
      words.value, shows_it ? words.interval : "");
}

std::string doubtful_words(const Telling& t, const PointFindings& p) {
  switch (t.c().doubt) {
    case Doubt::few_rounds:
      return fmt::format("in {} {}. That is not certain: more rounds are needed{}",
                         counted(p.rounds, "complete round"), seemed_words(t, p), noisy_word(t, p));
    case Doubt::above_a_side:
      return above_words(p);
    default:
      return alike_words(t, p);
  }
}

std::string lock_words(const Telling& t, const PointFindings& p) {
  return fmt::format(" A worker {} for a lock: {}.", t.does("waits"),
                     of_step(*p.lock_wait_ms, p.step_ms->value));
}

// What the substitutions of this point found, in line with their table.
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

std::string component_words(const Telling& t, const PointFindings& p) {
  std::string text = found_words(t, p);
  return text.empty() && is_held_back_by_lock(p) ? lock_words(t, p) : text;
}

bool has_run(const PointFindings& p, Mode mode) {
  const auto at = static_cast<std::size_t>(mode);
  return p.mode_status[at] && !p.never_ran[at];
}

// Of the modes that a side is named from, those that this point lacks, and why: "; the loader was
// not measured, the trainer gave no usable result".
std::string missing_words(const PointFindings& p) {
  const bool together = usable_rate(p, Mode::pipeline).has_value();
  std::vector<std::string_view> unmeasured, unusable;
  for (const auto& [mode, name] :
       {std::pair{Mode::loader, "the loader"}, std::pair{Mode::trainer, "the trainer"}})
    if (!usable_rate(p, mode)) (has_run(p, mode) ? unusable : unmeasured).push_back(name);
  std::string text;
  const auto add = [&](const std::string& clause) {
    text += (text.empty() ? "; " : ", ") + clause;
  };
  if (!unmeasured.empty())
    add(fmt::format("{} {} not measured{}", fmt::join(unmeasured, " and "),
                    unmeasured.size() == 1 ? "was" : "were", together ? " alone" : ""));
  if (!unusable.empty())
    add(fmt::format("{} gave no usable result{}", fmt::join(unusable, " and "),
                    together ? " alone" : ""));
  if (!together && has_run(p, Mode::pipeline)) add("together they gave no usable result");
  if (text.empty())
    add(together ? "they have no round in common" : "they were not measured together");
  return text;
}

// "data"; "batches of train_loader" where the script has other loaders, too, that feed no step.
std::string waited_for(const Telling& t, const ExternalPoint* seen) {
  const Value* name = t.plan.scenario.base.find("loader.call");
  const auto is_other = [&](const ExternalSpent& s) {
    return !s.loader.empty() && s.loader != name->text();
  };
  const bool several = name && seen && seen->job && seen->partners.empty() &&
                       std::ranges::any_of(seen->job->all, is_other);
  return several ? "batches of " + name->text() : "data";
}

// Without the wait the script would be that much faster: what a loader can give back at most.
std::string script_alone_words(const Telling& t, const PointFindings& p) {
  const ExternalPoint* seen = t.f.external.at(p.point);
  constexpr double kLess = 0.98;
  const bool outside =
      seen && seen->job && seen->job->rate_with_start < kLess * p.pipeline_rate->value;
  const Side side = side_by_wait(p);
  const std::string limit =
      side == Side::unknown ? "" : fmt::format("the {} is the limit: ", name_of(side));
  const std::string text =
      limit +
      (outside
           ? fmt::format("the script ran at {} samples/s in all, at {} within its steps",
                         human_count(seen->job->rate_with_start), per_second(p.pipeline_rate))
           : fmt::format("the script ran at {}{}", per_second(p.pipeline_rate), where_words(t, p)));
  if (!p.exposed_wait_ms || !p.step_ms) return text;
  const double waited = p.exposed_wait_ms->value / p.step_ms->value;
  if (waited < kKeepsUp)
    return fmt::format("{} and waited for {} {}: its loader keeps up", text, waited_for(t, seen),
                       of_step(p.exposed_wait_ms->value, p.step_ms->value));
  return fmt::format(
      "{} and waited for {} {}; without that wait it would run at {}", text, waited_for(t, seen),
      of_step(p.exposed_wait_ms->value, p.step_ms->value),
      waited < 0.99
          ? per_second(Estimate{p.pipeline_rate->value / (1 - waited), 0, 0, 1}) + " at most"
          : "the rate of its step alone");
}

bool watched_only(const Telling& t) {
  return t.wrapped() && std::ranges::none_of(t.plan.trials, [](const Trial& trial) {
           return trial.mode != Mode::pipeline;
         });
}

std::string pipeline_alone_words(const Telling& t, const PointFindings& p) {
  if (watched_only(t)) return script_alone_words(t, p);
  if (t.wrapped())  // its wait is an answer without a side
    return script_alone_words(t, p) + missing_words(p) + (p.exposed_wait_ms ? "" : kNoSide);
  std::string text = fmt::format("training {} at {}{}", t.would() ? "would run" : "ran",
                                 per_second(p.pipeline_rate), where_words(t, p));
  if (p.exposed_wait_ms && p.step_ms)
    text += fmt::format(" and {} for data {}", t.would() ? "would wait" : "waited",
                        of_step(p.exposed_wait_ms->value, p.step_ms->value));
  return text + missing_words(p) + kNoSide;
}

// The point whose rates are told where no side is: the point to use, else the base, else the
// fastest.
const PointFindings* shown(const Telling& t, const std::optional<std::uint32_t>& fastest,
                           Measured PointFindings::* rate, Mode mode) {
  if (!fastest) return nullptr;
  const auto usable = [&](std::uint32_t p) {
    const auto& status = t.f.points[p].mode_status[static_cast<std::size_t>(mode)];
    return t.f.points[p].*rate && status && (*status == Status::valid || *status == Status::noisy);
  };
  const auto& r = t.f.recommended;
  if (r && r->mode == mode && r->point < t.f.points.size() && usable(r->point))
    return &t.f.points[r->point];
  return &t.f.points[usable(0) ? 0 : *fastest];
}

std::string without_side(const Telling& t) {
  const Conclusion& c = t.c();
  if (const auto* p = shown(t, c.fastest_pipeline, &PointFindings::pipeline_rate, Mode::pipeline))
    return as_sentence(pipeline_alone_words(t, *p)) + component_words(t, *p) + " " +
           certainty_words(t, *p, p->pipeline_rate->n);
  const auto* loader = shown(t, c.fastest_loader, &PointFindings::loader_rate, Mode::loader);
  const auto* trainer = shown(t, c.fastest_trainer, &PointFindings::trainer_rate, Mode::trainer);
  if (!loader && !trainer) return "";
  const std::uint32_t rounds =
      std::min(loader ? loader->loader_rate->n : ~0u, trainer ? trainer->trainer_rate->n : ~0u);
  std::string text;
  if (loader)
    text += fmt::format("the loader {} {}{}", t.does("delivers"), per_second(loader->loader_rate),
                        where_words(t, *loader));
  if (trainer)
    text += fmt::format("{}the trainer {} {}{}", loader ? " and " : "", t.does("takes"),
                        per_second(trainer->trainer_rate), where_words(t, *trainer));
  text += missing_words(loader ? *loader : *trainer) + kNoSide;
  return as_sentence(std::move(text)) + " " +
         certainty_words(t, loader ? *loader : *trainer, rounds);
}

std::string nothing_usable(const Findings& f) {
  const std::string counts =
      counts_text(f, {Status::failed, Status::invalid, Status::aborted, Status::skipped});
  if (counts.empty()) return "Nothing was measured yet.";
  return fmt::format("No trial gave a usable result ({}), so nothing can be concluded.", counts);
}

// Which of several loaders the steps of a wrapped script wait for.
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

// Where the cores are full before either side's own rate is reached: what the step takes longer
// than alone, beside its wait.
std::string shared_cores_words(const Telling& t, const PointFindings& p) {
  if (p.side != Side::trainer || !p.side_takes_ms || !p.exposed_wait_ms || !p.cpu_rate ||
      !p.loader_rate || !p.trainer_rate || takes_turns(t, p.point))
    return "";
  const double rest = p.step_ms->value - p.side_takes_ms->value - p.exposed_wait_ms->value,
               longer = t.wrapped() ? unexplained_ms(p).value_or(rest) : rest;
  const bool full = p.cpu_rate->value < std::min(p.loader_rate->value, p.trainer_rate->value);
  if (!full || longer < kSharedCores * p.step_ms->value) return "";
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
  if (share >= kCoreWait)
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

}  // namespace

std::string rest_words(const Telling& t, const PointFindings& p) {
  const std::string shared = is_side_doubted(t.f) ? "" : shared_cores_words(t, p);
  const auto unexplained = t.wrapped() ? unexplained_ms(p) : std::nullopt;
  if (!unexplained) return shared;
  const double step = p.step_ms->value;
  if (*unexplained < kUnexplained * step)
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

namespace {

std::string certain_words(const Telling& t, const PointFindings& p) {
  return as_sentence(side_words(t, p)) + rest_words(t, p) + component_words(t, p) + " " +
         certainty_words(t, p, p.rounds);
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

std::string doubted_words(const Telling& t, const PointFindings& p) {
  return as_sentence(doubtful_words(t, p)) + rest_words(t, p) +
         (t.c().doubt == Doubt::few_rounds ? "" : " " + certainty_words(t, p, p.rounds));
}

}  // namespace

std::string binds_words(const Telling& t) {
  if (!t.c().subject) {
    const std::string some = without_side(t);
    if (!some.empty()) return lost_outside(t, 0) + some;
    const ExternalPoint* seen = t.wrapped() ? t.f.external.at(0) : nullptr;
    const std::string known = seen ? words_without_stretch(*seen) : "";
    // `findings` says what is known then.
    if (known.empty() && is_without_stretch(t.f, t.plan)) return "";
    return known.empty() ? nothing_usable(t.f) : known;
  }
  const PointFindings& p = t.f.points[*t.c().subject];
  return lost_outside(t, p.point) +
         (is_side_doubted(t.f) ? doubted_words(t, p) : certain_words(t, p)) + partners_words(t, p);
}

}  // namespace benchbench
