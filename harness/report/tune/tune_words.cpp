// A tune's report in words. Each sentence holds for the data it is printed for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/core/units.h"
#include "harness/report/tune/tune_report.h"
#include "harness/tune/recheck.h"
#include "harness/tune/space.h"
#include "harness/tune/tune_figures.h"

namespace benchbench {
namespace {

double percent(double ratio) { return 100 * (ratio - 1); }

std::string value_text(double ratio) { return fmt::format("{:+.1f} %", percent(ratio)); }

// With its interval, which one pair does not have and exact ones do not need.
std::string gain_text(const Estimate& e) {
  const std::string value = value_text(e.value);
  if (e.n < 2 || (value_text(e.low) == value && value_text(e.high) == value)) return value;
  return fmt::format("{} [{:+.1f}, {:+.1f}]", value, percent(e.low), percent(e.high));
}

std::string pairs_text(const Gain& g) {
  return fmt::format("{} in {} fresh {}", gain_text(*g.ratio), g.ratio->n,
                     g.ratio->n == 1 ? "pair" : "pairs");
}

PointId present_of(const TuneReport& r) { return r.problem.space.canonical(r.problem.present); }

const Gain* gain_over_present(const TuneReport& r) {
  const PointId present = present_of(r);
  const auto at = std::ranges::find(r.result.gains, present, &Gain::reference);
  return at == r.result.gains.end() || !at->ratio ? nullptr : &*at;
}

std::string memory_change(const TuneReport& r) {
  const auto then = memory_of(r, present_of(r)), now = memory_of(r, r.result.found);
  if (!then || !now) return "";
  return fmt::format(", memory {}{}", *now < *then ? "-" : "+",
                     human_bytes(std::abs(*now - *then)));
}

// "num_workers 2 -> 4, prefetch_factor 2 -> 4".
std::string changes(const TuneReport& r) {
  const Space& space = r.problem.space;
  std::string text;
  for (const KnobWorth& w : worths_of(r)) {
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", space.knobs()[w.knob].name);
    if (w.has_present) text += fmt::format("{} -> ", space.value(present_of(r), w.knob).text);
    text += space.has_effect(r.result.found, w.knob) ? space.value(r.result.found, w.knob).text
                                                     : "without effect";
  }
  return text;
}

std::string_view what_binds(const TuneReport& r) {
  if (r.result.limit == Stop::trainer_binds) return "the trainer is the limit";
  if (r.result.limit == Stop::cores_bind) return "the cores are the limit";
  return "the target rate is reached";
}

// A chance as a model believes it, in whole percent.
std::string chance_text(double chance) {
  if (chance < 0.01) return "below 1 %";
  return chance > 0.99 ? "over 99 %" : fmt::format("{:.0f} %", 100 * chance);
}

std::string too_noisy(const TuneReport& r) {
  return fmt::format("too noisy to say: {} is {} in fresh rounds",
                     settings_text(r.problem.space, r.result.found),
                     gain_text(*gain_over_present(r)->ratio));
}

// Why the point that was found is not advised; `chance` is what its pairs leave open.
std::string found_so_far(const TuneReport& r, const std::string& chance) {
  const Gain* const g = gain_over_present(r);
  const std::string found = settings_text(r.problem.space, r.result.found);
  const std::uint32_t needed = pairs_needed(r.problem, r.result.found);
  if (!g) return found + " looked better, and was not measured again";
  if (g->of_search)
    return fmt::format("{} is {} in the search, and was not measured again", found,
                       value_text(g->ratio->value));
  return fmt::format(
      "{} is {}, and {}", found, pairs_text(*g),
      g->ratio->n < needed ? fmt::format("{} are needed", counted(needed, "pair")) : chance);
}

// A gain that no change of the loader can give.
std::string refused(const TuneReport& r, const Gain& g) {
  const std::string trainer = g.room->trainer < 1.0005
                                  ? "not faster"
                                  : fmt::format("{:.1f} % faster", percent(g.room->trainer));
  return fmt::format(
      "refused: {} is {}, but the step waits {:.1f} % of its time for batches or a core and the "
      "trainer alone is {}: no setting of the loader gives more than {:.1f} %",
      settings_text(r.problem.space, r.result.found), pairs_text(g), 100 * g.room->waited, trainer,
      percent(g.room->most()));
}

std::string unfinished(const TuneReport& r) {
  if (const Gain* const g = gain_over_present(r); g && g->refused) return refused(r, *g);
  if (is_too_noisy(r)) return too_noisy(r);
  const std::string chance =
      fmt::format("a setting that is {:.0f} % faster has a chance of {}", 100 * r.problem.worth,
                  chance_text(r.result.chance_faster));
  const bool more = r.result.stop == Stop::budget || r.result.stop == Stop::no;
  return fmt::format("not finished: {}{}",
                     r.result.found == present_of(r) ? chance : found_so_far(r, chance),
                     more ? "; a larger --budget looks further" : "");
}

std::string kept(const TuneReport& r) {
  if (has_limit(r.result.stop) && (r.result.present_at_limit || r.result.found == present_of(r)))
    return fmt::format("nothing to tune: {}; cheapest setting that keeps it so: {}", what_binds(r),
                       settings_text(r.problem.space, present_of(r)));
  if (r.result.present_at_limit)
    return fmt::format("nothing to tune: {}; whether a cheaper setting keeps it so is open",
                       what_binds(r));
  if (is_too_noisy(r)) return too_noisy(r);
  const std::string found = settings_text(r.problem.space, r.result.found);
  const Gain* const g = gain_over_present(r);
  if (g && g->slower)
    return fmt::format("keep yours: {} looked as fast in the search, and is {}", found,
                       pairs_text(*g));
  if (g)
    return fmt::format(
        "keep yours: the best of the others, {}, is {}, and the floor of such pairs is {:.1f} %",
        found, pairs_text(*g), 100 * r.problem.floor / std::sqrt(g->ratio->n));
  return fmt::format("keep yours{}: nothing measured is believed to be faster by {:.0f} %",
                     r.result.stop == Stop::nothing_left ? "" : " so far", 100 * r.problem.worth);
}

std::string changed(const TuneReport& r) {
  const Gain* g = gain_over_present(r);
  if (!r.result.present_works) {
    const auto limit = r.problem.limits.memory_bytes, need = memory_of(r, present_of(r));
    const std::string why =
        limit && need && *need > *limit
            ? fmt::format("need {}, over the limit of {}", human_bytes(*need), human_bytes(*limit))
            : "have no usable rate here";
    return fmt::format("the present settings {}; found: {}", why,
                       settings_text(r.problem.space, r.result.found));
  }
  const std::string gain = !g ? "not measured again"
                           : g->of_search
                               ? value_text(g->ratio->value) + " in the search, not measured again"
                               : gain_text(*g->ratio);
  if (r.result.advice == TuneAdvice::same_for_less)
    return has_limit(r.result.stop)
               ? fmt::format("nothing to tune: {}; cheapest setting that keeps it so: {} ({})",
                             what_binds(r), settings_text(r.problem.space, r.result.found), gain)
               : fmt::format("{}: no faster by more than the floor ({}), and cheaper{}", changes(r),
                             gain, memory_change(r));
  return fmt::format("{}: {}{}", changes(r), gain, memory_change(r));
}

// The least that any trial needed.
std::optional<double> least_memory(const TuneReport& r) {
  std::optional<double> least;
  for (const Observation& o : r.records)
    if (o.has_rate() && o.memory_bytes)
      least = std::min(least.value_or(*o.memory_bytes), *o.memory_bytes);
  return least;
}

std::string nothing(const TuneReport& r) {
  if (is_over_limit(r))
    return fmt::format("no settings keep to the limit of {}: the least that a trial needed is {}",
                       human_bytes(*r.problem.limits.memory_bytes), human_bytes(*least_memory(r)));
  switch (r.result.stop) {
    case Stop::one_point:
      return fmt::format("nothing to tune: the knobs leave one point, {}",
                         settings_text(r.problem.space, present_of(r)));
    case Stop::all_failed:
      return "nothing can be said: no point that was tried has a usable rate";
    case Stop::no_budget:
      return "nothing can be said: the budget is below one pair of trials";
    default:
      return r.first_round
                 ? "nothing can be said: only the present settings were measured, in round 1"
                 : "nothing can be said: no point has a rate so far";
  }
}

std::string why_it_stopped(const TuneReport& r) {
  if (r.interrupted) return "interrupted: this is the best so far";
  switch (r.result.stop) {
    case Stop::no:
      return "not finished: this is the best so far";
    case Stop::one_point:
      return "there was nothing to choose from";
    case Stop::all_failed:
      return is_over_limit(r) ? "every point is over the limit, by what was seen"
                              : "no trial of the first rounds had a usable rate";
    case Stop::nothing_left:
      return fmt::format("no point is likely to be {:.0f} % above the fastest (chance left: {})",
                         100 * r.problem.worth, chance_text(r.result.chance_left));
    case Stop::trainer_binds:
      return fmt::format("the rate is within {:.0f} % of what the trainer can take",
                         100 * r.problem.worth);
    case Stop::cores_bind:
      return fmt::format("the rate is within {:.0f} % of what the cores can give",
                         100 * r.problem.worth);
    case Stop::target_met:
      return fmt::format("the rate is within {:.0f} % of the target, or above",
                         100 * r.problem.worth);
    case Stop::budget:
      if (r.result.chance_left <= 1 - r.problem.certainty)
        return fmt::format(
            "the budget ended; no point is likely to be {:.0f} % above the fastest (chance left: "
            "{}), and whether a cheaper one is as fast is open",
            100 * r.problem.worth, chance_text(r.result.chance_left));
      return fmt::format("the budget ended (chance of a point {:.0f} % above the fastest: {})",
                         100 * r.problem.worth, chance_text(r.result.chance_left));
    case Stop::no_budget:
      return fmt::format(
          "the budget is below one pair of trials, which takes about {} beyond the first round; "
          "--resume with a larger --budget goes on",
          human_duration(
              from_seconds(2 * r.full_run_seconds / std::max(1u, r.problem.rounds_per_run))));
  }
  return "";
}

std::string present_lines(const TuneReport& r) {
  if (!r.present) return "";
  std::string text;
  if (r.present->pipeline && r.present->step_ms > 0)
    text += fmt::format(
        "The trainer waits {:.2f} of {:.2f} ms a step ({:.0f} %) with the present settings.\n",
        r.present->wait_ms, r.present->step_ms, 100 * r.present->wait_ms / r.present->step_ms);
  std::string rates;
  const auto add = [&](std::string_view name, const std::optional<double>& rate) {
    if (rate) rates += fmt::format("{}{} {}", rates.empty() ? "" : ", ", name, human_count(*rate));
  };
  add("loader alone", r.present->loader), add("trainer alone", r.present->trainer),
      add("both together", r.present->pipeline);
  if (!rates.empty())
    text += fmt::format("Present settings ({}): {} samples/s.\n",
                        settings_text(r.problem.space, present_of(r)), rates);
  return text;
}

std::string target_words(const TuneReport& r) {
  if (r.result.rate->value >= *r.problem.limits.target_rate) return "reached";
  if (*r.result.target_met) return fmt::format("reached within {:.0f} %", 100 * r.problem.worth);
  const bool done = r.result.stop == Stop::nothing_left || r.result.stop == Stop::trainer_binds ||
                    r.result.stop == Stop::cores_bind;
  return done ? "out of reach" : "not reached";
}

std::string target_line(const TuneReport& r) {
  if (!r.result.target_met || !r.problem.limits.target_rate) return "";
  return fmt::format("Target {} samples/s: {}; what was found gives {} samples/s.\n",
                     human_count(*r.problem.limits.target_rate), target_words(r),
                     human_count(r.result.rate->value));
}

// What was measured and cannot be advised.
std::string over_limit_line(const TuneReport& r) {
  const auto& limit = r.problem.limits.memory_bytes;
  if (!limit) return "";
  if (is_limit_unknown(r)) return "The memory of no trial is known: the limit was not applied.\n";
  std::vector<PointFigures> over = figures_of(r);
  std::erase_if(
      over, [&](const PointFigures& p) { return !p.memory_bytes || *p.memory_bytes <= *limit; });
  if (over.empty()) return "";
  return fmt::format(
      "Over the limit of {}: {}; the fastest, {}, gives {} samples/s and needs {}.\n",
      human_bytes(*limit), counted(over.size(), "measured point"),
      settings_text(r.problem.space, over.front().point), human_count(over.front().rate),
      human_bytes(*over.front().memory_bytes));
}

// What the gain makes of the job; only where it was measured again.
std::string job_line(const TuneReport& r) {
  const Gain* g = gain_over_present(r);
  if (!r.job_seconds || r.loader_alone || !g || !g->shown || g->of_search ||
      r.result.advice != TuneAdvice::change)
    return "";
  const double now = *r.job_seconds / 3600, then = now / g->ratio->value;
  const auto hours = [&](double ratio) { return fmt::format("{:.3g}", now / ratio); };
  const std::string least = hours(g->ratio->high), most = hours(g->ratio->low);
  std::string text = fmt::format("A job of {:.3g} h today takes {:.3g} h", now, then);
  if (least != most) text += fmt::format(" [{}, {}]", least, most);
  if (r.price)
    text += fmt::format(", and costs {:.4g} instead of {:.4g}", then * *r.price, now * *r.price);
  return text + ".\n";
}

// What the chosen settings change besides speed.
std::string order_lines(const TuneReport& r) {
  const Space& space = r.problem.space;
  std::string text;
  if (r.result.chosen == present_of(r)) return text;
  for (const KnobWorth& w : worths_of(r)) {
    const std::string& name = space.knobs()[w.knob].name;
    if (name == "in_order") text += "in_order changes the order of the batches.\n";
    if (name == "batch_size")
      text +=
          "batch_size changes the training: the rates are of samples, "
          "not of what is learnt from them.\n";
    if (name == "num_workers" && r.streams)
      text +=
          "num_workers changes the order of the samples: the data set is an IterableDataset, and "
          "each worker has a stream of its own.\n";
  }
  return text;
}

std::string epoch_line(const TuneReport& r) {
  if (!should_keep_workers(r)) return "";
  return fmt::format(
      "Workers are started for each epoch: {:.0f} ms before an epoch of {:.3g} s ({:.2g} %), which "
      "the rates leave out and persistent_workers=True saves.\n",
      r.epoch_start->start_ms, r.epoch_start->epoch_s, 100 * r.epoch_start->share());
}

std::string untried_line(const TuneReport& r) {
  std::string text;
  for (const UntriedKnob& k : r.not_tried)
    text += fmt::format("{}{} ({})", text.empty() ? "Not tried: " : "; ", k.name, k.why);
  return text.empty() ? text : "\n" + text + ".\n";
}

// Cores bound the ladder, which says nothing of a loader that mostly waits.
std::string most_workers_line(const TuneReport& r) {
  const Space& space = r.problem.space;
  if (!space.has_workers() || has_limit(r.result.stop)) return "";
  const auto& values = space.knobs()[space.workers_knob()].values;
  if (values.size() < 2 || space.workers(r.result.chosen) < values.back().number) return "";
  return fmt::format("num_workers={} is the most that was tried; --max-workers tries more.\n",
                     values.back().text);
}

std::string references_lines(const TuneReport& r) {
  std::string text;
  for (const Gain& g : r.result.gains)
    if (g.ratio && !g.of_search)
      text +=
          fmt::format("  over {}: {}, {} fresh {}\n", settings_text(r.problem.space, g.reference),
                      gain_text(*g.ratio), g.ratio->n, g.ratio->n == 1 ? "pair" : "pairs");
  return text.empty() ? text
                      : fmt::format("\n{}, measured again:\n{}",
                                    settings_text(r.problem.space, r.result.found), text);
}

std::string worth_lines(const TuneReport& r) {
  std::string text;
  for (const KnobWorth& w : worths_of(r))
    if (w.has_present)
      text += fmt::format("  {}={}: {}\n", r.problem.space.knobs()[w.knob].name,
                          r.problem.space.value(r.result.found, w.knob).text,
                          w.ratio ? gain_text(*w.ratio) : "not measured by itself");
  return text.empty() ? text
                      : "\nWorth of each knob, against its present value, "
                        "all else as found (from the search):\n" +
                            text;
}

// Where neither memory nor CPU time was measured, the fastest alone would be left of it.
std::string pareto_lines(const TuneReport& r) {
  std::string text;
  std::vector<PointFigures> figures = figures_of(r);
  if (std::ranges::none_of(figures, [](const PointFigures& p) {
        return p.memory_bytes || p.cpu_seconds_per_sample;
      }))
    return "";
  const auto& limit = r.problem.limits.memory_bytes;
  std::erase_if(figures, [&](const PointFigures& p) {
    return limit && p.memory_bytes && *p.memory_bytes > *limit;
  });
  for (const PointFigures& p : pareto_of(figures))
    text += fmt::format(
        "  {:>9}  {:>9}  {:>9}  {}\n", human_count(p.rate),
        p.memory_bytes ? human_bytes(*p.memory_bytes) : "-",
        p.cpu_seconds_per_sample ? human_duration(from_seconds(*p.cpu_seconds_per_sample)) : "-",
        settings_text(r.problem.space, p.point));
  return fmt::format(
      "\nMost samples/s for the memory and the CPU time, of {}:\n"
      "  samples/s     memory  CPU/sample\n{}",
      counted(r.result.points_measured, "measured point"), text);
}

std::string memory_line(const TuneReport& r) {
  if (std::ranges::none_of(r.records,
                           [](const Observation& o) { return o.memory_bytes.has_value(); }))
    return "";
  if (r.memory == MemoryMeasure::resident)
    return "  memory: the peak of the process's resident memory.\n";
  std::string text =
      "  memory: PSS of all processes together, the most that was seen; what is in /dev/shm counts "
      "where a process has it mapped";
  if (r.job_seconds)
    text +=
        fmt::format(", and what the workers' memory grows by in {:.3g} h", *r.job_seconds / 3600);
  return text + ".\n";
}

std::string problem_text(const TuneReport& r) {
  std::string text;
  for (const Note& n : r.problems) {
    text += fmt::format("  {}\n", n.text);
    for (const std::string& line : n.details) text += fmt::format("    {}\n", line);
  }
  return text.empty() ? text : "\nTrials that are not used, and noisy ones:\n" + text;
}

// Returns how many points have how many rounds. The first round is of the present settings alone.
std::map<std::size_t, std::size_t> points_by_rounds(const TuneReport& r) {
  std::map<PointId, std::set<std::uint32_t>> rounds;
  for (const Observation& o : r.records)
    if (o.has_rate()) rounds[o.point].insert(o.round);
  std::map<PointId, std::size_t> counts;
  for (const auto& [point, in] : rounds) counts[point] = in.size();
  if (r.first_round) ++counts[present_of(r)];
  std::map<std::size_t, std::size_t> points;
  for (const auto& [point, n] : counts) ++points[n];
  return points;
}

// "3 of 9 points measured: 1 in 2 rounds, 2 in 4 rounds".
std::string measured_text(const TuneReport& r) {
  std::size_t measured = 0;
  std::string by_rounds;
  for (const auto& [rounds, points] : points_by_rounds(r)) {
    measured += points;
    by_rounds += fmt::format("{}{} in {}", by_rounds.empty() ? ": " : ", ", points,
                             counted(rounds, "round"));
  }
  return fmt::format("{} of {} measured{}", measured,
                     counted(r.problem.space.points().size(), "point"), by_rounds);
}

std::string end_lines(const TuneReport& r) {
  std::string text = fmt::format("\nWhy it stopped: {}.\n", why_it_stopped(r));
  const auto count = [&](TuneOutcome outcome) {
    return std::ranges::count(r.records, outcome, &Observation::outcome);
  };
  std::string of_them;
  const auto add = [&](std::ptrdiff_t n, std::string_view what) {
    if (n > 0) of_them += fmt::format(", {} {}", n, what);
  };
  add(count(TuneOutcome::stopped_early), "ended early as hopeless"),
      add(count(TuneOutcome::invalid), "INVALID");
  add(count(TuneOutcome::failed), "failed"),
      add(count(TuneOutcome::out_of_memory), "out of memory");
  text += fmt::format("Cost: {:.1f} full runs of {}{} after the first round ({}{}; {}).\n",
                      r.result.cost_runs, human_duration(from_seconds(r.full_run_seconds)),
                      r.simulated ? " in virtual time" : "", counted(r.records.size(), "trial"),
                      of_them, measured_text(r));
  return text;
}

}  // namespace

std::string tune_summary(const TuneReport& r) {
  switch (r.result.advice) {
    case TuneAdvice::nothing_measured:
      return nothing(r);
    case TuneAdvice::keep_yours:
      return kept(r);
    case TuneAdvice::not_finished:
      return unfinished(r);
    case TuneAdvice::same_for_less:
    case TuneAdvice::change:
      break;
  }
  return changed(r);
}

std::string tune_text(const TuneReport& r) {
  std::string text = fmt::format("{}: {}\n", r.scenario, tune_summary(r));
  if (r.loader_alone)
    text += "There is no step: the loader's own rate was searched, not that of a training.\n";
  text += present_lines(r) + target_line(r) + over_limit_line(r);
  if (r.result.advice == TuneAdvice::nothing_measured) return text + problem_text(r) + end_lines(r);
  text += fmt::format("\n    {}\n", line_to_paste(r));
  return text + job_line(r) + order_lines(r) + epoch_line(r) + most_workers_line(r) +
         references_lines(r) + worth_lines(r) + pareto_lines(r) + memory_line(r) + untried_line(r) +
         problem_text(r) + end_lines(r);
}

}  // namespace benchbench
