#include <nlohmann/json.hpp>

#include <cmath>

#include "harness/report/compare/compare_words.h"

namespace benchbench {
namespace {

using CompareJson = nlohmann::ordered_json;

CompareJson number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? CompareJson(*value) : CompareJson(nullptr);
}

CompareJson estimate_json(const Measured& e) {
  if (!e) return nullptr;
  return {{"value", number_or_null(e->value)},
          {"low", number_or_null(e->low)},
          {"high", number_or_null(e->high)},
          {"n", e->n}};
}

CompareJson metric_json(const MetricComparison& c, Relation relation) {
  return {{"metric", c.metric->name},
          {"unit", c.metric->unit.word},
          {"judgement", name_of(c.judgement)},
          {"why", name_of(c.why)},
          {"reason", unsure_text(c, relation)},
          {"a", estimate_json(c.a)},
          {"b", estimate_json(c.b)},
          {"change_share", estimate_json(c.change)},
          {"worse_share", c.change ? number_or_null(c.worse()) : CompareJson(nullptr)},
          {"detectable_share", number_or_null(c.detectable)},
          {"threshold_share", c.threshold},
          {"p", c.p},
          {"q", c.q},
          {"rounds_a", c.rounds_a},
          {"rounds_b", c.rounds_b},
          {"noisy_rounds", c.noisy},
          {"left_out_rounds", c.left_out},
          {"between_rounds_share_a",
           c.rounds_a > 1 ? number_or_null(c.between_a) : CompareJson(nullptr)},
          {"between_rounds_share_b",
           c.rounds_b > 1 ? number_or_null(c.between_b) : CompareJson(nullptr)},
          {"points", c.points}};
}

CompareJson stage_json(const std::optional<MovedStage>& s) {
  if (!s) return nullptr;
  constexpr const char* kBy[] = {"substitution", "step", "loader"};
  return {{"stage", s->name.empty() ? CompareJson(nullptr) : CompareJson(s->name)},
          {"tied_with", s->tied_with.empty() ? CompareJson(nullptr) : CompareJson(s->tied_with)},
          {"by", kBy[static_cast<std::size_t>(s->by)]},
          {"waited_for", s->waited_for},
          {"ms", estimate_json(s->ms)},
          {"step_ms", estimate_json(s->step_ms)}};
}

CompareJson point_json(const PointComparison& p, Relation relation) {
  CompareJson metrics = CompareJson::array();
  for (const MetricComparison& c : p.metrics) metrics.push_back(metric_json(c, relation));
  return {{"name", p.name},
          {"index_a", p.a},
          {"index_b", p.b},
          {"canary", p.canary},
          {"side_a", name_of(p.side_a)},
          {"side_b", name_of(p.side_b)},
          {"side_moved", p.side_moved},
          {"moved_stage", stage_json(p.stage)},
          {"metrics", metrics}};
}

CompareJson gate_json(const GateResult& g, const CompareReport& r) {
  CompareJson broken = CompareJson::array();
  for (const BrokenGate& b : g.broken) {
    const PointComparison& p = r.found.points[b.point];
    broken.push_back({{"point", p.name},
                      {"metric", b.metric ? CompareJson(p.metrics[*b.metric].metric->name)
                                          : CompareJson(nullptr)}});
  }
  return {{"gate", gate_text(g.gate)},
          {"broken", broken},
          {"comparisons", g.compared},
          {"not_judged", g.silent + g.unsure},
          {"false_alarms_a_month", number_or_null(g.false_alarms_a_month)}};
}

CompareJson confirmation_json(const CompareReport& r) {
  if (!r.confirmation) return nullptr;
  CompareJson alerts = CompareJson::array();
  for (const SlowerAlert& alert : r.confirmation->alerts) {
    const PointComparison& p = r.found.points[alert.point];
    alerts.push_back({{"point", p.name},
                      {"metric", p.metrics[alert.metric].metric->name},
                      {"state", name_of(alert.state)},
                      {"judgement", name_of(alert.again)},
                      {"change_share", estimate_json(alert.change)}});
  }
  return {{"interleaved", r.confirmation->interleaved},
          {"why_alone", r.confirmation->why_alone},
          {"failure", r.confirmation->failure},
          {"alerts", alerts}};
}

CompareJson alarms_json(const ComparedSide& s) {
  CompareJson all = CompareJson::array();
  for (const auto& [alarm, text] : s.alarms)
    all.push_back(
        {{"alarm", name_of(alarm.kind)},
         {"state", name_of(alarm.state)},
         {"value", alarm.worst ? number_or_null(alarm.worst->value) : CompareJson(nullptr)},
         {"limit", alarm.limit},
         {"text", text}});
  return all;
}

CompareJson side_json(const ComparedSide& s, std::uint32_t rounds,
                      const std::optional<double>& within) {
  return {{"where", s.where},
          {"started_at", s.started_at},
          {"build", s.build},
          {"rounds", rounds},
          {"within_process_share", number_or_null(within)},
          {"alarms", alarms_json(s)}};
}

}  // namespace

std::string compare_json(const CompareReport& r) {
  const ComparisonFindings& f = r.found;
  CompareJson points = CompareJson::array(), differences = CompareJson::array(),
              gates = CompareJson::array();
  for (const PointComparison& p : f.points) points.push_back(point_json(p, f.relation));
  for (const RunDifference& d : f.differences)
    differences.push_back({{"kind", name_of(d.kind)}, {"what", d.what}, {"a", d.a}, {"b", d.b}});
  for (const GateResult& g : r.gates) gates.push_back(gate_json(g, r));
  const CompareJson out{{"schema", "benchbench.compare/1"},
                        {"summary", compare_summary(r)},
                        {"outcome", name_of(outcome_of(r))},
                        {"not_comparable", f.not_comparable == NotComparable::none
                                               ? CompareJson(nullptr)
                                               : CompareJson(not_comparable_text(f))},
                        {"scenario_a", f.scenario_a},
                        {"scenario_b", f.scenario_b},
                        {"relation", name_of(f.relation)},
                        {"simulated", f.simulated},
                        {"one_process", f.one_process},
                        {"spread_share", number_or_null(f.spread)},
                        {"moved_canaries", f.moved_canaries},
                        {"a", side_json(r.a, f.rounds_a, f.within_a)},
                        {"b", side_json(r.b, f.rounds_b, f.within_b)},
                        {"points", points},
                        {"only_a", f.only_a},
                        {"only_b", f.only_b},
                        {"differences", differences},
                        {"gates", gates},
                        {"confirmation", confirmation_json(r)},
                        {"notes", r.notes}};
  return out.dump(2, ' ', false, CompareJson::error_handler_t::replace) + "\n";
}

}  // namespace benchbench
