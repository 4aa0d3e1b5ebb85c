// One JSON document. Names carry units (…_ms, …_bytes, …_samples_per_second, …_share 0..1,
// …_ratio); null is "not measured". An estimate is {"value", "low", "high", "n"}: low and high
// bound 95 %, equal to value where n < 2.
//
// {"schema": "benchbench.report/1",
//  "scenario", "question", "source", "title": [text], "run_folder", "conclusion": text,
//  "conclusion_values": conclusion_json.h,
//  "labels": [[key, value]] where the run was given some,
//  "indicative", "simulated": bool, "rounds": n,
//  "best_point": name or null,
//  "trainer_rate_device": {"samples_per_second", "ratio": estimates} or null,
//  "gpu": {"name", "model", "uuid", "divided": bool or null, "nvml": "" or why it was not asked,
//          "known": {"other_processes", "slowed_down", "uncorrected_memory_errors": bool},
//          "clock_hertz", "clock_share" (of machine.yaml's), "power_capped_share",
//          "power_limit_watts", "joules_per_sample", "pcie_generation", "pcie_width": each may be
//          null} or null, of the base's steps,
//  "points": [{"index", "name", "base": bool, "status",
//              "reasons": [{"rule", "invalid", "text", "details" if any}], "labels": {axis: value},
//              "settings": {key: text}, "setting_values": setting_values.h,
//              "mode_status": {"loader", "trainer", "pipeline"},
//              "no_limit": modes whose rate is a lower bound,
//              "side": "loader|trainer|balanced|contention|unclear|not measured",
//              "cache", "cache_degree", "steadiness": text,
//              "stalls": {"count", "steps", "share", "longest_ms", "cause",
//                         "period_steps"} or null,
//              every estimate and every number of metric_fields.h}],
//  "recommended": {"point",
//                  "choice": "only one|no difference shown|base is best|faster|cheaper",
//                  "mode", "compared": n, "fastest", "over_base", "over_next": pairs,
//                  "next": name or null, "detectable_share"} or null,
//  "axes": [{"axis",
//            "outcome": "gain|loss|nothing|not shown|could not be tried|invalid|not compared",
//            "base", "best": value or null, "detectable_share", "why",
//            "values": [{"value", "point", "status", pair}]}], a pair being
//           {"shown": "not compared|not shown|faster|slower|same", "ratio": estimate,
//            "detectable_share": x or null},
//  "over_base": {"mode", "points": [{"point", pair, "by_round": [{"round", "ratio"}]}]},
//               of every point but the base, samples against samples,
//  "anchor_runs": [{"sequence", "round", "status", "ratio"}],
//                 the rate of each run of the same trial over their median,
//  "steps": step identities of all points that have one,
//  "series": [drawn_series_json.h] of the base and the point to use,
//  "step_identity": {"point": name, "step_ms", "parts_ms": [{"name", "ms"}],
//                    "device_parts_ms"?} or null,
//  "substitutions": {"point": name, "step_ms", "loader_ms", "trainer_ms": estimates,
//                    "binding": word, "bound_by": [name], "rounds": n,
//                    "lock_wait_ms": ms or null, "next": text,
//                    "change": {"key", "from", "to"} or null,
//                    "components": [{"component", "ms": estimate or null, "share", "severity",
//                                    "derived", "bounded"}]} or null,
//  "timelines": [{"name", "why", "step_ms", "parts_ms": [{"name", "ms"}], "residual_ms",
//                 "residual_share"}],
//  "loader_work": {"workers", "parts_ms": [{"name", "ms"}], "residual_ms"} or null,
//  "interference": {"ratio", "trainer_samples_per_second",
//                   "loader_samples_per_second": estimates} or null,
//  "probes": [{"name", "unit", "state", "why", "mean", "least", "most", "samples", "lost"}],
//  "ceilings": [{"mode", "ceiling", "bytes_per_second", "ceiling_bytes_per_second", "share"}],
//            all of the base point,
//  "alarms": [{"alarm", "state": "raised|not raised|not measured", "value": the worst or null,
//              "limit", "points": [name] where it is raised, "text"}], a share or a share a minute,
//  "external": external_json.h, "depth": depth/depth_words.h,
//  "ranks": {"by": "loader|wait" or null, "slowest", "quickest": rank, or null where none is,
//            "ratio": estimate of their L, quickest over slowest, or null,
//            "rates": [{"rank", "reported": bool, "loader_rate_samples_per_second",
//                       "trainer_rate_samples_per_second",
//                       "pipeline_rate_samples_per_second": estimates, "waited_share"}]} or null,
//            of processes that train together,
//  "aa_floor": {"share_95", "share_median", "share_largest", "pairs"} or null,
//  "overhead_share": x,
//  "trials": {"valid", "noisy", "invalid", "failed", "skipped", "aborted", "missing": n},
//  "records": [{"sequence", "trial", "mode", "points": [name], "round", "repeat",
//               "ablation": "" or "free:decode", "batch:4", ..., "status", "reasons", "started_at",
//               "window_s", "samples", "steps", "rate_samples_per_second",
//               "stages_ms": {stage: sum over the window}}],
//  "warnings", "problems": [text],
//  "faulty_samples": {"count", "named": [{"id", "kind", "where", "what"}]},
//  "environment": {...}}
//
// Members may be added; none changes its meaning without another schema number.
// docs/report.schema.json is this as a JSON Schema.
#include <nlohmann/json.hpp>
#include <ostream>

#include "harness/analysis/metrics/metric_fields.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/report/alarms/alarm_words.h"
#include "harness/report/cells.h"
#include "harness/report/conclusion/conclusion_json.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/depth/depth_words.h"
#include "harness/report/external/external_json.h"
#include "harness/report/external/rank_table.h"
#include "harness/report/formats.h"
#include "harness/report/machines/report_document.h"
#include "harness/report/machines/setting_values.h"
#include "harness/report/notes.h"
#include "harness/report/pictures/drawn_series_json.h"
#include "harness/report/substitution_table.h"
#include "harness/report/surroundings.h"
#include "harness/report/title.h"

namespace benchbench {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Measured& e) {
  if (!e) return nullptr;
  return {{"value", e->value}, {"low", e->low}, {"high", e->high}, {"n", e->n}};
}

Json json_of(const std::vector<Reason>& reasons) {
  Json all = Json::array();
  for (const Reason& r : reasons) {
    all.push_back({{"rule", r.rule}, {"invalid", r.invalid}, {"text", r.text}});
    if (!r.details.empty()) all.back()["details"] = r.details;
  }
  return all;
}

Json stalls_of(const StallFindings& s) {
  return {{"count", s.count},
          {"steps", s.steps},
          {"share", s.share},
          {"longest_ms", s.longest_ms},
          {"cause", s.cause ? name_of(*s.cause) : ""},
          {"period_steps", s.period_steps}};
}

Json labels_of(const Point& point) {
  Json labels = Json::object();
  for (const auto& [key, label] : point.labels) labels[key] = label;
  return labels;
}

Json settings_of(const Point& point) {
  Json settings = Json::object();
  for (const auto& [key, value] : point.settings.all()) settings[key] = value.text();
  return settings;
}

Json mode_status_of(const PointFindings& f) {
  Json modes = Json::object();
  for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
    const auto status = f.mode_status[static_cast<std::size_t>(mode)];
    modes[std::string(name_of(mode))] = status ? Json(status_text(f, mode)) : Json(nullptr);
  }
  return modes;
}

Json bounds_of(const PointFindings& f) {
  Json modes = Json::array();
  for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline})
    if (f.is_bound(mode)) modes.push_back(name_of(mode));
  return modes;
}

Json json_of(const PointFindings& f, const Point& point) {
  Json out{{"index", f.point},
           {"name", f.name},
           {"base", f.point == 0},
           {"status", status_text(f)},
           {"reasons", json_of(f.reasons)}};
  out["labels"] = labels_of(point);
  out["settings"] = settings_of(point);
  out["setting_values"] = setting_values(point.settings);
  out["mode_status"] = mode_status_of(f);
  out["no_limit"] = bounds_of(f);
  out["side"] = f.unclear ? "unclear" : name_of(f.side);
  out["cache"] = cache_text(f);
  out["cache_degree"] = f.cache_state.text();
  out["steadiness"] = name_of(f.steadiness);
  out["stalls"] = f.stalls ? stalls_of(*f.stalls) : Json(nullptr);
  for (const auto& field : estimate_fields())
    out[std::string(field.name)] = json_of(f.*field.value);
  for (const auto& field : number_fields()) {
    const auto value = field.value(f);
    out[std::string(field.name)] = value ? Json(*value) : Json(nullptr);
  }
  return out;
}

Json parts_of(const std::vector<std::pair<std::string, double>>& parts) {
  Json out = Json::array();
  for (const auto& [name, ms] : parts) out.push_back({{"name", name}, {"ms", ms}});
  return out;
}

Json json_of(const StepIdentity& step, const Findings& findings) {
  Json out = {{"point", findings.points[step.point].name},
              {"step_ms", step.step_ms},
              {"parts_ms", parts_of(step.parts)}};
  if (!step.device_parts.empty()) out["device_parts_ms"] = parts_of(step.device_parts);
  return out;
}

Json json_of(const Substitutions& s, const Findings& findings) {
  Json components = Json::array();
  for (const Recovered& r : s.components)
    components.push_back({{"component", name_of(r.component)},
                          {"ms", json_of(r.ms)},
                          {"share", r.ms ? Json(r.share) : Json(nullptr)},
                          {"severity", name_of(r.severity)},
                          {"derived", r.derived},
                          {"bounded", r.bounded}});
  Json bound_by = Json::array();
  for (const Component c : s.bound_by) bound_by.push_back(name_of(c));
  Json out{{"point", findings.points[s.point].name}, {"step_ms", json_of(s.step_ms)}};
  out["loader_ms"] = json_of(s.loader_ms);
  out["trainer_ms"] = json_of(s.trainer_ms);
  out["binding"] = naming_word(s.binding, s.bound_by, "balanced");
  out["bound_by"] = bound_by;
  out["rounds"] = s.rounds;
  out["lock_wait_ms"] = s.lock_wait_ms ? Json(*s.lock_wait_ms) : Json(nullptr);
  out["next"] = next_step(s);
  out["change"] = s.advice && !s.advice->key.empty()
                      ? Json{{"key", s.advice->key}, {"from", s.advice->from}, {"to", s.advice->to}}
                      : Json(nullptr);
  out["components"] = components;
  return out;
}

Json timelines_of(const Findings& f) {
  Json all = Json::array();
  for (const Timeline& t : f.timelines)
    all.push_back(
        {{"name", t.name},
         {"why",
          t.measured ? "" : "steps are not enqueued: the device's work is on the host's timeline"},
         {"step_ms", t.step_ms},
         {"parts_ms", parts_of(t.parts)},
         {"residual_ms", t.residual_ms},
         {"residual_share", t.residual_share}});
  return all;
}

Json json_of(const LoaderWork& w) {
  return {{"workers", w.workers}, {"parts_ms", parts_of(w.parts)}, {"residual_ms", w.residual_ms}};
}

Json json_of(const Interference& i) {
  return {{"ratio", json_of(i.ratio)},
          {"trainer_samples_per_second", json_of(i.background_rate)},
          {"loader_samples_per_second", json_of(i.loader_rate)}};
}

template <class T>
Json known_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const GpuSeen& g) {
  return {{"name", g.name},
          {"model", g.model},
          {"uuid", g.uuid},
          {"divided", known_or_null(g.divided)},
          {"nvml", g.absent},
          {"known",
           {{"other_processes", g.users_known},
            {"slowed_down", g.slowing_known},
            {"uncorrected_memory_errors", g.errors_known}}},
          {"clock_hertz", known_or_null(g.clock_hertz)},
          {"clock_share", known_or_null(g.clock_share)},
          {"power_capped_share", known_or_null(g.power_capped_share)},
          {"power_limit_watts", known_or_null(g.power_limit_watts)},
          {"joules_per_sample", known_or_null(g.joules_per_sample)},
          {"pcie_generation", known_or_null(g.pcie_generation)},
          {"pcie_width", known_or_null(g.pcie_width)}};
}

Json json_of(const BatchOnDevice& d) {
  return {{"samples_per_second", json_of(d.rate)}, {"ratio", json_of(d.ratio)}};
}

Json probes_of(const Findings& f) {
  Json all = Json::array();
  for (const ProbeFacts& p : f.probes)
    all.push_back({{"name", p.name},
                   {"unit", p.unit},
                   {"state", name_of(p.state)},
                   {"why", p.why},
                   {"mean", p.mean},
                   {"least", p.min},
                   {"most", p.max},
                   {"samples", p.samples},
                   {"lost", p.lost}});
  return all;
}

Json ceilings_of(const Findings& f) {
  Json all = Json::array();
  for (const NearestCeiling& c : f.ceilings)
    all.push_back({{"mode", name_of(c.mode)},
                   {"ceiling", c.ceiling},
                   {"bytes_per_second", c.rate},
                   {"ceiling_bytes_per_second", c.ceiling_rate},
                   {"share", c.share()}});
  return all;
}

Json alarm_members(const Findings& f, const Plan& plan) {
  Json all = Json::array();
  for (const Alarm& a : f.alarms) {
    Json points = Json::array();
    for (const std::uint32_t point : a.points) points.push_back(f.points[point].name);
    all.push_back({{"alarm", name_of(a.kind)},
                   {"state", name_of(a.state)},
                   {"value", a.worst ? Json(a.worst->value) : Json(nullptr)},
                   {"limit", a.limit},
                   {"points", std::move(points)},
                   {"text", alarm_words(a, plan)}});
  }
  return all;
}

Json floor_of(const Measured& e) {
  if (!e) return nullptr;
  return {{"share_95", e->value},
          {"share_median", e->low},
          {"share_largest", e->high},
          {"pairs", e->n}};
}

Json json_of(const TrialRecord& record, const Plan& plan, const Judgement& judgement) {
  const Facts& f = record.facts;
  Json points = Json::array();
  for (const auto p : record.trial.points)
    if (p < plan.points.size()) points.push_back(plan.points[p].name());
  const double seconds = static_cast<double>(f.window.ns) * 1e-9;
  Json out{{"sequence", record.sequence},        {"trial", record.planned.trial},
           {"mode", name_of(record.trial.mode)}, {"points", points},
           {"round", record.planned.round},      {"repeat", record.planned.repeat}};
  out["ablation"] = record.trial.ablation.text();
  out["status"] = name_of(judgement.status);
  out["reasons"] = json_of(judgement.reasons);
  out["started_at"] = record.started_at;
  out["window_s"] = seconds;
  out["samples"] = f.window.samples;
  out["steps"] = f.window.steps;
  out["rate_samples_per_second"] = f.window.ns > 0 ? Json(rate_of(record)) : Json(nullptr);
  // Loader stages are work summed over the workers; what was not measured is absent.
  out["stages_ms"] = Json::object();
  for (std::size_t s = 0; s < kStages; ++s)
    if (f.window.stages[s].count > 0)
      out["stages_ms"][std::string(name_of(static_cast<Stage>(s)))] =
          static_cast<double>(f.window.stages[s].ns) * 1e-6;
  return out;
}

Json faults_of(const Findings& f) {
  Json named = Json::array();
  for (const FaultySample& s : f.faults)
    named.push_back(
        {{"id", s.id}, {"kind", name_of(s.kind)}, {"where", s.where}, {"what", s.what}});
  return {{"count", f.faulty_samples}, {"named", named}};
}

Json json_of(const Environment& e) {
  Json out = Json::object();
  visit_environment(e, [&](const EnvironmentField& field, const auto& value, auto&&...) {
    if constexpr (requires { Json(value); })
      if (!field.reported.empty()) out[std::string(field.reported)] = value;
  });
  return out;
}

Json json_of(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json pair_of(const Paired& p) {
  return {{"shown", name_of(p.shown)},
          {"ratio", json_of(p.ratio)},
          {"detectable_share", json_of(p.detectable)}};
}

Json recommended_of(const Findings& f) {
  if (!f.recommended) return nullptr;
  const Recommended& r = *f.recommended;
  return {{"point", f.points[r.point].name},
          {"choice", name_of(r.choice)},
          {"mode", name_of(r.mode)},
          {"compared", r.compared},
          {"fastest", f.points[r.fastest].name},
          {"over_base", pair_of(r.over_base)},
          {"next", r.next ? Json(f.points[*r.next].name) : Json(nullptr)},
          {"over_next", pair_of(r.over_next)},
          {"detectable_share", json_of(r.detectable)}};
}

Json json_of(const AxisEffect& axis, const Findings& f) {
  Json values = Json::array();
  for (const AxisValueEffect& v : axis.values) {
    Json value{{"value", v.label},
               {"point", f.points[v.point].name},
               {"status", status_text(f.points[v.point])}};
    value.update(pair_of(v));
    values.push_back(std::move(value));
  }
  const AxisValueEffect* best = axis.best_value();
  return {{"axis", axis.key},
          {"outcome", name_of(axis.outcome)},
          {"base", axis.base_label},
          {"best", best ? Json(best->label) : Json(nullptr)},
          {"detectable_share", json_of(axis.detectable)},
          {"why", axis.why},
          {"values", std::move(values)}};
}

Json json_of(const OverBase& over, const std::string& point) {
  Json out{{"point", point}};
  out.update(pair_of(over));
  out["by_round"] = Json::array();
  for (const auto& [round, ratio] : over.by_round)
    out["by_round"].push_back({{"round", round}, {"ratio", ratio}});
  return out;
}

Json over_base_of(const Findings& f) {
  Json points = Json::array();
  for (std::size_t i = 1; i < f.over_base.size(); ++i)
    points.push_back(json_of(f.over_base[i], f.points[i].name));
  return {{"mode", name_of(f.compared_mode)}, {"points", std::move(points)}};
}

Json anchor_of(const Findings& f) {
  Json runs = Json::array();
  for (const AnchorRun& r : f.anchor_runs)
    runs.push_back({{"sequence", r.sequence},
                    {"round", r.round},
                    {"status", name_of(r.status)},
                    {"ratio", r.ratio}});
  return runs;
}

Json steps_of(const Findings& f) {
  Json all = Json::array();
  for (const StepIdentity& step : f.steps) all.push_back(json_of(step, f));
  return all;
}

Json axes_of(const Findings& f) {
  Json all = Json::array();
  for (const AxisEffect& axis : f.axes) all.push_back(json_of(axis, f));
  return all;
}

Json trials_of(const Findings& f) {
  Json counts = Json::object();
  for (std::size_t s = 0; s < f.trials.size(); ++s) counts[kStatusWords[s]] = f.trials[s];
  counts["missing"] = f.trials_missing;
  return counts;
}

std::string whole_text(const Note& note) {
  std::string text = note.text;
  for (const std::string& line : note.details) text += '\n' + line;
  return text;
}

}  // namespace

nlohmann::ordered_json report_document(const ReportInput& in) {
  const Findings& findings = in.findings;
  Json all{{"schema", "benchbench.report/1"}, {"scenario", findings.scenario},
           {"question", findings.question},   {"source", findings.source},
           {"run_folder", in.run_folder},     {"conclusion", conclusion_text(findings, in.plan)}};
  all["conclusion_values"] = conclusion_values(findings, in.plan);
  all["title"] = title_lines(findings, in.plan);
  if (!in.plan.labels.empty()) all["labels"] = in.plan.labels;
  all["indicative"] = findings.indicative;
  all["simulated"] = findings.simulated;
  all["rounds"] = findings.rounds;
  all["best_point"] = findings.best ? Json(findings.points[*findings.best].name) : Json(nullptr);
  all["points"] = Json::array();
  for (const PointFindings& f : findings.points)
    all["points"].push_back(json_of(f, in.plan.points[f.point]));
  all["recommended"] = recommended_of(findings);
  all["axes"] = axes_of(findings);
  all["over_base"] = over_base_of(findings);
  all["anchor_runs"] = anchor_of(findings);
  all["steps"] = steps_of(findings);
  all["series"] = drawn_series_values(in);
  all["step_identity"] = findings.identity ? json_of(*findings.identity, findings) : Json(nullptr);
  all["substitutions"] =
      findings.substitutions ? json_of(*findings.substitutions, findings) : Json(nullptr);
  all["timelines"] = timelines_of(findings);
  all["loader_work"] = findings.loader_work ? json_of(*findings.loader_work) : Json(nullptr);
  all["interference"] = findings.interference ? json_of(*findings.interference) : Json(nullptr);
  all["trainer_rate_device"] =
      findings.batch_on_device ? json_of(*findings.batch_on_device) : Json(nullptr);
  all["gpu"] = findings.gpu ? json_of(*findings.gpu) : Json(nullptr);
  all["probes"] = probes_of(findings);
  all["ceilings"] = ceilings_of(findings);
  all["alarms"] = alarm_members(findings, in.plan);
  all["external"] = external_values(findings);
  all["depth"] = depth_values(findings);
  all["ranks"] = rank_values(in.plan);
  all["aa_floor"] = floor_of(findings.aa_floor);
  all["overhead_share"] = findings.overhead_share;
  all["trials"] = trials_of(findings);
  all["records"] = Json::array();
  for (const TrialRecord& record : in.records)
    all["records"].push_back(json_of(record, in.plan, findings.judged->judgement_of(record)));
  all["warnings"] = warning_lines(findings, in.plan);
  all["problems"] = Json::array();
  for (const Note& problem : problem_lines(findings, in.plan))
    all["problems"].push_back(whole_text(problem));
  all["faulty_samples"] = faults_of(findings);
  all["environment"] = json_of(findings.environment);
  return all;
}

extern constinit const ReportFormat json_format{
    "--json", "write everything as JSON; \"-\" is standard output",
    // Names of files may be no UTF-8; a document with a replacement character is still a document.
    // NaN becomes null.
    [](std::ostream& out, const ReportInput& in) {
      Json all = report_document(in);
      if (in.more) all.update(*in.more);
      out << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    }};

}  // namespace benchbench
