// Writes what is said where the loader or the trainer was not measured alone.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/report/conclusion/conclusion_binds.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

constexpr const char* kNoSide = ", so no side can be named";

bool has_run(const PointFindings& p, Mode mode) {
  const auto at = static_cast<std::size_t>(mode);
  return p.mode_status[at] && !p.never_ran[at];
}

// Says which modes that a side is named from this point lacks, and why: "; the loader was
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

// Says what the script would make without its wait: a loader can give back that at most.
std::string script_alone_words(const Telling& t, const PointFindings& p) {
  const ExternalPoint* seen = t.f.external.at(p.point);
  const Side side = side_by_wait(p);
  const std::string limit =
      side == Side::unknown ? "" : fmt::format("the {} is the limit: ", name_of(side));
  const std::string text =
      limit + (is_slower_in_all(t.f, p)
                   ? fmt::format("the script ran at {} samples/s in all, at {} within its steps",
                                 human_count(seen->job->rate_with_start),
                                 per_second_text(p.pipeline_rate->value))
                   : fmt::format("the script ran at {}{}", per_second_text(p.pipeline_rate->value),
                                 where_words(t, p)));
  if (!p.exposed_wait_ms || !p.step_ms) return text;
  const double waited = p.exposed_wait_ms->value / p.step_ms->value;
  const std::string waits = fmt::format("{} and waited for {} {}", text, waited_for(t, seen),
                                        of_step(p.exposed_wait_ms->value, p.step_ms->value));
  if (waited < kWorth) return waits + ": its loader keeps up";
  return fmt::format("{}; without that wait it would run at {}", waits,
                     waited < 0.99
                         ? per_second_text(p.pipeline_rate->value / (1 - waited)) + " at most"
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
                                 per_second_text(p.pipeline_rate->value), where_words(t, p));
  if (p.exposed_wait_ms && p.step_ms)
    text += fmt::format(" and {} for data {}", t.would() ? "would wait" : "waited",
                        of_step(p.exposed_wait_ms->value, p.step_ms->value));
  return text + missing_words(p) + kNoSide;
}

// Returns the point whose rates are said where no side is: the point to use, else the base, else
// the fastest; nullptr where `fastest` is not known.
const PointFindings* find_shown(const Telling& t, const std::optional<std::uint32_t>& fastest,
                                Mode mode) {
  if (!fastest) return nullptr;
  const auto& points = t.f.points;
  const auto& r = t.f.recommended;
  if (r && r->mode == mode && r->point < points.size() && usable_rate(points[r->point], mode))
    return &points[r->point];
  return &points[usable_rate(points[0], mode) ? 0 : *fastest];
}

}  // namespace

std::string no_side_words(const Telling& t) {
  const Conclusion& c = t.c();
  if (const auto* p = find_shown(t, c.fastest_pipeline, Mode::pipeline))
    return as_sentence(pipeline_alone_words(t, *p)) + component_words(t, *p) + " " +
           certainty_words(t, *p, p->pipeline_rate->n);
  const auto* loader = find_shown(t, c.fastest_loader, Mode::loader);
  const auto* trainer = find_shown(t, c.fastest_trainer, Mode::trainer);
  if (!loader && !trainer) return "";
  const std::uint32_t rounds =
      std::min(loader ? loader->loader_rate->n : ~0u, trainer ? trainer->trainer_rate->n : ~0u);
  std::string text;
  if (loader)
    text += fmt::format("the loader {} {}{}", t.does("delivers"),
                        per_second_text(loader->loader_rate->value), where_words(t, *loader));
  if (trainer)
    text += fmt::format("{}the trainer {} {}{}", loader ? " and " : "", t.does("takes"),
                        per_second_text(trainer->trainer_rate->value), where_words(t, *trainer));
  text += missing_words(loader ? *loader : *trainer) + kNoSide;
  return as_sentence(std::move(text)) + " " +
         certainty_words(t, loader ? *loader : *trainer, rounds);
}

}  // namespace benchbench
