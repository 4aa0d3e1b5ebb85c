#include "harness/report/fields/json_maker.h"
#include "harness/report/tune/tune_report.h"
#include "harness/tune/tune_figures.h"

namespace benchbench {

constexpr std::array<std::string_view, 9> kTuneStops{"no",           "one_point",     "all_failed",
                                                     "nothing_left", "trainer_binds", "cores_bind",
                                                     "target_met",   "budget",        "no_budget"};
constexpr std::array<std::string_view, 5> kTuneAdvice{"nothing_measured", "keep_yours",
                                                      "same_for_less", "change", "not_finished"};

namespace {

// Knobs without effect at the point have no value there.
Members<std::string> values_at(const Space& space, PointId point) {
  Members<std::string> values;
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.has_effect(point, k))
      values.all.emplace_back(space.knobs()[k].name, space.value(point, k).text);
  return values;
}
// A function for these.
auto name_settings(PointId point) {
  return [point](const TuneReport& r) { return values_at(r.problem.space, point); };
}

}  // namespace

void visit_fields(const PointFigures& p, auto&& visit) {
  visit("settings", name_settings(p.point));
  visit("samples_per_second", p.rate);
  visit("trials", p.trials);
  visit("memory_bytes", p.memory_bytes);
  visit("cpu_seconds_per_sample", p.cpu_seconds_per_sample);
}
void visit_fields(const Gain& g, auto&& visit) {
  visit("over", name_settings(g.reference));
  visit("ratio", g.ratio);
  visit("shown", g.shown);
  visit("refused", g.refused);
  visit("measured_again", g.ratio && !g.of_search);
}
void visit_fields(const KnobWorth& w, auto&& visit) {
  visit("knob", [&](const TuneReport& r) { return r.problem.space.knobs()[w.knob].name; });
  visit("ratio", w.ratio);
}

namespace {

std::vector<KnobWorth> known_worths(const TuneReport& r) {
  if (r.result.advice == TuneAdvice::nothing_measured) return {};
  std::vector<KnobWorth> worths = worths_of(r);
  std::erase_if(worths, [](const KnobWorth& w) { return !w.has_present; });
  return worths;
}

Members<std::string> reasons_of_untried(const TuneReport& r) {
  Members<std::string> reasons;
  for (const UntriedKnob& k : r.not_tried) reasons.all.emplace_back(k.name, k.why);
  return reasons;
}

}  // namespace

// The settings and how sure they are.
void visit_answer(const TuneReport& r, auto&& visit) {
  const Space& space = r.problem.space;
  const TuneResult& result = r.result;
  const bool measured = result.advice != TuneAdvice::nothing_measured;
  const auto settings = [&](PointId point) {
    return measured ? std::optional(values_at(space, point)) : std::nullopt;
  };
  visit("summary", tune_summary(r));
  visit("advice", kTuneAdvice[static_cast<std::size_t>(result.advice)]);
  visit("stop", kTuneStops[static_cast<std::size_t>(result.stop)]);
  visit("interrupted", r.interrupted);
  visit("present", values_at(space, space.canonical(r.problem.present)));
  visit("chosen", settings(result.chosen));
  visit("found", settings(result.found));
  visit("paste", measured ? std::optional(line_to_paste(r)) : std::nullopt);
  visit("chance_left", result.chance_left);
  visit("chance_faster", result.chance_faster);
  visit("target_met", result.target_met);
  visit("samples_per_second", result.rate);
  visit("cost_full_runs", result.cost_runs);
}

void visit_fields(const TuneReport& r, auto&& visit) {
  visit("scenario", r.scenario);
  visit("loader", r.loader);
  visit_answer(r, visit);
  visit("full_run_seconds", r.full_run_seconds);
  visit("trials", r.records.size());
  visit("points", figures_of(r));
  visit("problems", texts_of(r.problems));
  visit("not_tried", reasons_of_untried(r));
  visit("epoch_start_share", r.epoch_start ? std::optional(r.epoch_start->share()) : std::nullopt);
  visit("memory_measure", r.memory == MemoryMeasure::resident ? "resident" : "pss");
  visit("job_seconds", r.job_seconds);
  visit("gains", r.result.gains);
  visit("knobs", known_worths(r));
}

JsonValue tune_json(const TuneReport& r) { return make_json(r); }

}  // namespace benchbench
