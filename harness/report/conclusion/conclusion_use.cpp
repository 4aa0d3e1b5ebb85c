// The setting to use, and what to try next.
#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/choice/paired.h"
#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/faults/failed_code.h"
#include "harness/analysis/summary/gain.h"
#include "harness/record/setting_keys.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "harness/report/external/external_words.h"
#include "harness/report/external/python_words.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/notes.h"
#include "harness/report/text/text_table.h"
#include "harness/report/words/advice_words.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

constexpr std::size_t kBaseSettings = 2;      // more of them are "your settings"
constexpr std::uint32_t kConfirmRounds = 10;  // what a difference is confirmed with

// Settings that were compared with no others are not said to be worth keeping.
constexpr std::string_view kNothingElse =
    "only these settings were measured: benchbench tune FILE or --sweep compares others";

std::string times_words(const Estimate& e, int brief) {
  const std::string low = fmt::format("{:.2f}", e.low), high = fmt::format("{:.2f}", e.high);
  const bool interval = brief == 0 && e.n > 1 && low != high;  // equal rounds have none
  return fmt::format("{:.2f}x as fast{}", e.value,
                     interval ? fmt::format(" ({} to {})", low, high) : "");
}

std::string would_have_been_seen(const std::optional<double>& share) {
  return share ? fmt::format(" ({})", seen_words(*share)) : "";
}

// Of the one that the setting to use is the cheaper one of: what is shown of the two, which no mean
// ratio is.
std::string fastest_words(const Telling& t, const Recommended& r) {
  const std::string fastest = point_words(t, r.fastest);
  return r.fastest_over.shown == Shown::same
             ? fmt::format("{} {} no more than 2 % faster", fastest, t.is())
             : fmt::format("{} is not shown to be faster than that", fastest);
}

std::string faster_words(const Telling& t, const Recommended& r) {
  std::string text = fmt::format("use {}", point_words(t, r.point));
  if (r.over_base.ratio)
    text += fmt::format(": it {} {}", t.is(), times_words(*r.over_base.ratio, t.brief));
  const PointFindings& p = t.f.points[r.point];
  if (const Measured rate = usable_rate(p, r.mode); rate && t.brief == 0)
    text += fmt::format(", {} samples/s", human_count(rate->value));
  if (r.mode == Mode::loader) text += ", the loader alone";
  if (r.fastest != r.point && r.fastest < t.f.points.size())
    return text + "; " + fastest_words(t, r);
  if (r.next && r.over_next.shown == Shown::not_shown)
    text += fmt::format("; {} may do as well", point_words(t, *r.next));
  if (r.next && r.over_next.shown == Shown::slower)
    text += fmt::format("; {} may be faster", point_words(t, *r.next));
  return text;
}

std::string cheaper_words(const Telling& t, const Recommended& r) {
  if (r.point == 0) return fmt::format("keep {}: {}", point_words(t, 0), fastest_words(t, r));
  const bool fewer = workers_of(t.plan.points[r.point]) < workers_of(t.plan.points[0]);
  return fmt::format("use {}: it {} as fast as {} within 2 %, with {}", point_words(t, r.point),
                     t.is(), point_words(t, 0), fewer ? "fewer workers" : "less memory");
}

// Another job's points are compared, but no choice: one of them may well be faster.
std::string_view other_setting(const Recommended& r) {
  return r.other_jobs > 0 ? "other setting of this job" : "other setting";
}

// Of a wrapped script in too few rounds.
std::string seen_choice_words(const Telling& t, const Recommended& r) {
  if (r.point == 0 && is_blind(r.detectable))
    return fmt::format("nothing can be said of other settings: {}", kNothingSeen);
  if (r.point == 0 || !r.over_base.ratio)
    return fmt::format("no {} is shown to be faster{}", other_setting(r),
                       would_have_been_seen(r.detectable));
  return fmt::format("{} was {}, which is not certain", point_words(t, r.point),
                     times_words(*r.over_base.ratio, t.brief));
}

// Two rounds at least make an interval: what one round has seen is told, and nothing is advised
// from it.
std::string one_round_words(const Telling& t, const Recommended& r) {
  const double times = r.next && r.over_next.ratio ? 1 / r.over_next.ratio->value : 0;
  if (times <= 1 + kWorth)
    return fmt::format(
        "nothing is recommended from one round; in it no {} was more than 2 % faster",
        other_setting(r));
  return fmt::format("nothing is recommended from one round; in it {} {} {:.2f}x as fast as {}",
                     point_words(t, *r.next), t.would() ? "would be" : "was", times,
                     point_words(t, 0));
}

// "" where there is nothing to choose from.
std::string choice_words(const Telling& t, const Recommended& r) {
  if (t.c().doubt == Doubt::few_rounds && !is_choice_certain(t.f)) return seen_choice_words(t, r);
  const std::string keep = "keep " + point_words(t, 0);
  const std::size_t others = t.f.points.size() - 1, of_this_job = others - r.other_jobs;
  switch (r.choice) {
    case Choice::only_one:
      if (others == 0) return std::string(kNothingElse);
      if (of_this_job == 0) return "";
      return fmt::format("nothing is recommended: no {} could be compared", other_setting(r));
    case Choice::no_difference_shown:
      if (is_of_one_round(r)) return one_round_words(t, r);
      if (is_blind(r.detectable)) return fmt::format("nothing is recommended: {}", kNothingSeen);
      return fmt::format("{}: no {} {} faster{}", keep, other_setting(r),
                         t.would() ? "would clearly be" : "is shown to be",
                         would_have_been_seen(r.detectable));
    case Choice::base_is_best:
      return fmt::format("{}: every {} {} {} slower, or no more than 2 % faster", keep,
                         other_setting(r),
                         r.compared < of_this_job ? "that could be compared" : "measured",
                         t.would() ? "would be" : "was");
    case Choice::faster:
      return faster_words(t, r);
    case Choice::cheaper:
      return cheaper_words(t, r);
  }
  return keep;
}

// What was found with one loader's workers holds for no other's.
std::string loader_words(const Telling& t) {
  if (t.c().holds_for.empty()) return "";
  const std::string_view shape =
      t.brief < 2
          ? " This holds for {}: PyTorch's own DataLoader usually needs several times the workers."
          : " Holds for {}; PyTorch's DataLoader usually needs more workers.";
  return fmt::format(fmt::runtime(shape), t.c().holds_for);
}

std::string without_suffix(std::string text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.resize(text.size() - suffix.size());
  return text;
}

// Of several ranks none tries other settings.
std::string measured_by_try(const Telling& t, const Advice& a) {
  return t.plan.ranks.size() > 1
             ? ""
             : fmt::format(": --try num_workers={} measures it in turns with the script's own",
                           a.to);
}

// Of a wrapped script: one that was not tried.
std::string fewer_workers_words(const Telling& t, const Advice& a) {
  return fmt::format(
      "Try DataLoader(num_workers={}) (now {}), which would leave the trainer more of the cores{}.",
      a.to, a.from, measured_by_try(t, a));
}

// Where the setting to use moves the limit to the trainer, that comes first.
std::string change_words(const Telling& t, const Next& next) {
  if (t.wrapped() && next.advice->remedy == Remedy::fewer_workers)
    return fewer_workers_words(t, *next.advice);
  const std::string advice =
      without_suffix(advice_words(*next.advice), "; more workers will not help");
  const bool moved = t.c().subject && next.at != *t.c().subject &&
                     t.f.points[next.at].side == Side::trainer &&
                     t.f.points[*t.c().subject].side != Side::trainer;
  return as_sentence(moved ? fmt::format("the trainer {} the limit then: {}", t.is(), advice)
                           : advice);
}

// Rounds of stretches, of a script that runs once.
std::string stretches_words(const Telling& t, const Next& next) {
  const std::string quiet =
      t.f.points[next.at].status == Status::noisy || t.c().doubt != Doubt::few_rounds
          ? ", while the machine does nothing else"
          : "";
  if (t.c().doubt == Doubt::few_rounds)
    return fmt::format(
        "Measure more rounds before changing anything{} (--rounds, --budget), with a script that "
        "gets that far before it saves or ends.",
        quiet);
  const std::uint32_t had = t.f.points[next.at].rounds;
  return fmt::format("Measure again before changing anything{}, with more rounds (--rounds {}).",
                     quiet, had < kConfirmRounds ? kConfirmRounds : 3 * had);
}

std::string rounds_words(const Telling& t, const Next& next) {
  if (t.wrapped()) return stretches_words(t, next);
  const std::uint32_t had = t.f.points[next.at].rounds;
  return fmt::format("Measure more rounds (--rounds {}) before changing anything.",
                     had < kConfirmRounds ? kConfirmRounds : 3 * had);
}

std::string more_workers_words(const Telling& t, const Advice& a) {
  if (t.wrapped())
    return fmt::format("Try DataLoader(num_workers={}){}.", a.to, measured_by_try(t, a));
  return fmt::format(
      "Try {}, which was not measured.",
      a.in_code ? fmt::format("DataLoader(num_workers={})", a.to) : "num_workers: " + a.to);
}

// What the batches' time goes to, which more workers only divide.
std::string or_own_code_words(const Telling& t, const Next& next) {
  if (!waits_much(t.f.points[next.at])) return "";
  const ExternalPoint* seen = t.brief < 2 ? t.f.external.at(next.at) : nullptr;
  const std::string words = seen ? own_code_words(*seen) : "";
  return words.empty() ? "" : fmt::format(" Or {}.", words);
}

std::string substitute_words(const Telling& t, const Next& next) {
  constexpr std::string_view what = "with --substitute: it measures what each component costs.";
  return next.at == 0 ? fmt::format("Run {}", what)
                      : fmt::format("Set {} and run {}", point_words(t, next.at), what);
}

std::string own_batches_words(const Telling& t, const Next& next) {
  const Value* call = t.plan.points[next.at].settings.find("loader.call");
  const std::string what = call ? call->text() + "()" : "your loader";
  return t.f.points[next.at].own_in_turn
             ? fmt::format(
                   "Let {} make its batches while the step runs, in a thread or in processes of "
                   "its own: now the step waits for each.",
                   what)
             : fmt::format(
                   "Look with a profiler at what {} spends its time on: it makes its batches by "
                   "itself, which no setting here changes.",
                   what);
}

// "Fix train.py:31: KeyError: 'mask'." Where the base was spared: with which settings it happened.
std::string mend_words(const Telling& t) {
  const auto failed = failed_code(t.plan, t.f.problems);
  if (!failed) return "";
  std::string text = "Fix " + failed->where;
  if (!failed->points.empty() && failed->points.front() != 0) {
    text += fmt::format(", which failed with {}", point_words(t, failed->points.front()));
    if (failed->points.size() > 1)
      text += fmt::format(" and at {}", counted(failed->points.size() - 1, "more point"));
  }
  text += ": " + failed->what;
  if (t.brief < 2 && !failed->others.empty())
    text += fmt::format(" ({} failed, too)", fmt::join(failed->others, ", "));
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace

std::string use_words(const Telling& t) {
  // A loader that nothing was tried beside is no choice; `next` says what may be better.
  if (t.wrapped() && t.f.points.size() == 1) return "";
  if (t.f.recommended) {
    const std::string choice = choice_words(t, *t.f.recommended);
    return choice.empty() ? "" : as_sentence(choice) + loader_words(t);
  }
  const Conclusion& c = t.c();
  const bool something = c.subject || c.fastest_loader || c.fastest_trainer || c.fastest_pipeline;
  const PointFindings base = t.f.points.empty() ? PointFindings{} : t.f.points.front();
  const bool base_usable = usable_rate(base, Mode::loader) || usable_rate(base, Mode::trainer) ||
                           usable_rate(base, Mode::pipeline);
  if (!something || base_usable) return "";
  return "The base has no usable rate: no setting can be compared with it.";
}

namespace {

// The user's loader alone: with `discard`, other modes would say nothing more.
bool drops_batches(const Telling& t) {
  return t.f.external.at(0) && t.plan.scenario.base.get_if(keys::trainer.use) == "discard";
}

bool saves(const Telling& t) {
  const ExternalPoint* seen = t.f.external.at(0);
  return seen && seen->job &&
         std::ranges::find(seen->job->all, "save", &ExternalSpent::state) != seen->job->all.end();
}

// Of a wrapped script of which only F is there.
std::string alone_too_words(const Telling& t) {
  for (const Warnings::Notice& notice : t.f.warnings.notices)
    if (notice.text.starts_with(kOnlyF))
      return fmt::format("Change what keeps the loader and the step from being measured alone: {}.",
                         notice.text.substr(kOnlyF.size()));
  // Then they could not be, and `findings` says what to change.
  if (has_fault(t.f, ExternalFault::iterator_each_step) ||
      has_fault(t.f, ExternalFault::without_fetch))
    return "";
  return fmt::format(
      "Run it without --keep-going{}: the loader and the step are measured alone, too, and the "
      "script is stopped then.",
      saves(t) ? " and without its checkpoints" : "");
}

// Says what the findings of a script that ended before a stretch was over do not.
std::string without_stretch_words(const Telling& t) {
  const ExternalPoint* seen = t.f.external.at(0);
  const bool alone = seen && std::ranges::find(seen->facts.noticed, kStepsAlone,
                                               &ExternalNoticed::kind) != seen->facts.noticed.end();
  return alone ? "Measure the function that makes its batches as `loader.use: python` "
                 "(docs/python.md)."
               : "";
}

std::string both_sides_words(const PointFindings& p) {
  return "Make both the loader and the step faster: one alone gains " +
         (p.within ? fmt::format("less than {:.0f} %.", 100 * *p.within) : "nothing.");
}

std::string foretold_words(const Telling& t, const Next& next) {
  return next.workers && t.brief < 2 ? workers_words(*next.workers) : "";
}

std::string joined_sentences(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + " " + other;
}

// Returns the change of a wrapped script's finding, where that is the first advice and certain; ""
// where it is not. More workers may help, too.
std::string finding_next(const Telling& t) {
  const Next& next = t.c().next;
  const ExternalFinding* first = t.wrapped() ? first_advised(t.f) : nullptr;
  if (!first || next.kind == NextKind::mend_code || !is_change_certain(*first, t.f)) return "";
  const bool more = next.kind == NextKind::more_workers && next.advice;
  return joined_sentences(as_sentence(change_words_alone(*first)),
                          more ? more_workers_words(t, *next.advice) : "");
}

// Says that a wrapped script whose trainer is the limit needs no other loader; "" where another one
// could give something back.
std::string no_change_words(const Telling& t) {
  if (!t.wrapped() || !t.c().subject || t.doubted() || t.f.points.size() > 1 ||
      !advised_findings(t.f).empty())
    return "";
  const PointFindings& p = t.f.points[*t.c().subject];
  if (p.side != Side::trainer || !p.exposed_wait_ms || rest_of_step(t.f, t.plan, p).has_some())
    return "";
  const double waited = p.exposed_wait_ms->value / p.step_ms->value;
  if (waits_much(p))
    return fmt::format(
        "The loader is not what to change first: without its wait a step is {:.0f} % shorter.",
        100 * waited);
  return fmt::format("The loader needs no change: the script waits for it {:.0f} % of each step.",
                     100 * waited);
}

std::string kind_words(const Telling& t) {
  const Next& next = t.c().next;
  const bool undecided = next.kind == NextKind::other_modes ||
                         next.kind == NextKind::valid_trials || next.kind == NextKind::more_rounds;
  const bool nothing_runs =
      t.f.count(Status::failed) > 0 &&
      t.f.count(Status::valid) + t.f.count(Status::noisy) + t.f.count(Status::invalid) == 0;
  if (undecided && t.f.trials_missing > 0 && !t.wrapped() && !nothing_runs)
    return fmt::format("Let the run finish (--resume, or a larger --budget): {} did not run.",
                       counted(t.f.trials_missing, "trial"));
  switch (next.kind) {
    case NextKind::none:
      return foretold_words(t, next);
    case NextKind::more_workers:
      return next.advice
                 ? joined_sentences(more_workers_words(t, *next.advice), foretold_words(t, next)) +
                       or_own_code_words(t, next)
                 : "";
    case NextKind::own_code: {
      const ExternalPoint* seen = t.f.external.at(next.at);
      return joined_sentences(seen ? as_sentence(own_code_words(*seen)) : "",
                              foretold_words(t, next));
    }
    case NextKind::own_batches:
      return own_batches_words(t, next);
    case NextKind::mend_code:
      return mend_words(t);
    case NextKind::change:
      return next.advice ? change_words(t, next) : "";
    case NextKind::both_sides:
      return both_sides_words(t.f.points[next.at]);
    case NextKind::more_rounds:
      return rounds_words(t, next);
    case NextKind::substitute:
      return substitute_words(t, next);
    case NextKind::other_modes:
      if (t.wrapped()) return alone_too_words(t);
      return drops_batches(t) ? "Name your training step, to see whether this loader feeds it: "
                                "trainer: {use: python, script: ..., call: ...}."
                              : "Measure all three: measure.modes: [loader, trainer, pipeline].";
    case NextKind::valid_trials:
      if (is_without_stretch(t.f, t.plan)) return without_stretch_words(t);
      if (t.wrapped())
        return "See the reasons in the report; nothing can be advised before stretches are valid.";
      return "See the reasons in the report; nothing can be advised before trials are valid.";
  }
  return "";
}

}  // namespace

std::string next_words(const Telling& t) {
  if (t.c().next.by_search) return "";
  std::string text = finding_next(t);
  if (text.empty()) text = kind_words(t);
  return text.empty() ? no_change_words(t) : text;
}

std::string setting_words(const std::string& key, const std::string& label) {
  constexpr std::string_view kLoader = "loader.";
  return fmt::format("{}: {}", key.starts_with(kLoader) ? key.substr(kLoader.size()) : key, label);
}

std::string point_words(const Telling& t, std::uint32_t point) {
  const auto& base = t.plan.points.front().labels;
  const auto& labels = t.plan.points[point].labels;
  if (point == 0 && (base.empty() || base.size() > kBaseSettings)) return "your settings";
  std::vector<std::pair<std::string, std::string>> changed;
  for (const auto& label : labels)
    if (point == 0 || std::ranges::find(base, label) == base.end()) changed.push_back(label);
  if (loads_over_there(t.plan.points[point], t.f.external) && !changed.empty())
    return python_settings(t.plan.points[point], changed);
  std::string text;
  for (const auto& [key, label] : changed)
    text += (text.empty() ? "" : ", ") + setting_words(key, label);
  return text.empty() ? t.f.points[point].name : text;
}

std::string point_words_again(const Telling& t, std::uint32_t point) {
  const std::string words = point_words(t, point);
  return words.find(", ") == std::string::npos ? words : "those settings";
}

std::string difference_words(double share) {
  return share >= 1 ? fmt::format("a factor of {:.1f}", 1 + share) : share_text(share);
}

std::string as_sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

}  // namespace benchbench
