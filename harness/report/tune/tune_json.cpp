#include <nlohmann/json.hpp>

#include "harness/core/words.h"
#include "harness/report/tune/tune_report.h"
#include "harness/tune/tune_figures.h"

namespace benchbench {
namespace {

using nlohmann::json;

json json_of(const Measured& m) {
  if (!m) return nullptr;
  return {{"value", m->value}, {"low", m->low}, {"high", m->high}, {"n", m->n}};
}

template <class T>
json json_of(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

// Knobs without effect at the point have no value there.
json settings_of(const Space& space, PointId point) {
  json out = json::object();
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.has_effect(point, k)) out[space.knobs()[k].name] = space.value(point, k).text;
  return out;
}

constexpr const char* kStops[] = {"no",           "one_point",     "all_failed",
                                  "nothing_left", "trainer_binds", "cores_bind",
                                  "target_met",   "budget",        "no_budget"};
constexpr const char* kAdvice[] = {"nothing_measured", "keep_yours", "same_for_less", "change",
                                   "not_finished"};

json points_of(const TuneReport& r) {
  json out = json::array();
  for (const PointFigures& p : figures_of(r))
    out.push_back({{"settings", settings_of(r.problem.space, p.point)},
                   {"samples_per_second", p.rate},
                   {"trials", p.trials},
                   {"memory_bytes", json_of(p.memory_bytes)},
                   {"cpu_seconds_per_sample", json_of(p.cpu_seconds_per_sample)}});
  return out;
}

}  // namespace

nlohmann::json tune_json(const TuneReport& r) {
  const Space& space = r.problem.space;
  const bool measured = r.result.advice != TuneAdvice::nothing_measured;
  json out{{"scenario", r.scenario},
           {"loader", r.loader},
           {"summary", tune_summary(r)},
           {"advice", kAdvice[static_cast<std::size_t>(r.result.advice)]},
           {"stop", kStops[static_cast<std::size_t>(r.result.stop)]},
           {"interrupted", r.interrupted},
           {"present", settings_of(space, space.canonical(r.problem.present))},
           {"chosen", measured ? settings_of(space, r.result.chosen) : json(nullptr)},
           {"found", measured ? settings_of(space, r.result.found) : json(nullptr)},
           {"paste", measured ? json(line_to_paste(r)) : json(nullptr)},
           {"chance_left", r.result.chance_left},
           {"chance_faster", r.result.chance_faster},
           {"target_met", json_of(r.result.target_met)},
           {"samples_per_second", json_of(r.result.rate)},
           {"cost_full_runs", r.result.cost_runs},
           {"full_run_seconds", r.full_run_seconds},
           {"trials", r.records.size()},
           {"points", points_of(r)}};
  json gains = json::array(), worths = json::array();
  for (const Gain& g : r.result.gains)
    gains.push_back({{"over", settings_of(space, g.reference)},
                     {"ratio", json_of(g.ratio)},
                     {"shown", g.shown},
                     {"refused", g.refused},
                     {"measured_again", g.ratio && !g.of_search}});
  if (measured)
    for (const KnobWorth& w : worths_of(r))
      if (w.has_present)
        worths.push_back({{"knob", space.knobs()[w.knob].name}, {"ratio", json_of(w.ratio)}});
  json problems = json::array();
  for (const Note& n : r.problems) problems.push_back(n.text);
  out["problems"] = problems;
  json untried = json::object();
  for (const UntriedKnob& k : r.not_tried) untried[k.name] = k.why;
  out["not_tried"] = untried;
  out["epoch_start_share"] = r.epoch_start ? json(r.epoch_start->share()) : json(nullptr);
  out["memory_measure"] = r.memory == MemoryMeasure::resident ? "resident" : "pss";
  out["job_seconds"] = json_of(r.job_seconds);
  out["gains"] = gains;
  out["knobs"] = worths;
  return out;
}

}  // namespace benchbench
