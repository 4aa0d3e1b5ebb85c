#include "harness/report/compare/compare_words.h"
#include "harness/report/fields/alarm_fields.h"
#include "harness/report/fields/json_maker.h"

namespace benchbench {

constexpr std::array<std::string_view, 3> kStageWords{"substitution", "step", "loader"};  // by By

void visit_fields(const MetricComparison& c, auto&& visit) {
  const auto between = [](std::uint32_t rounds, double share) {
    return rounds > 1 ? std::optional(share) : std::nullopt;
  };
  visit("metric", c.metric->name);
  visit("unit", c.metric->unit.word);
  visit("judgement", c.judgement);
  visit("why", c.why);
  visit("reason", [&](const CompareReport& r) { return unsure_text(c, r.found.relation); });
  visit("a", c.a);
  visit("b", c.b);
  visit("change_share", c.change);
  visit("worse_share", c.change ? std::optional(c.worse()) : std::nullopt);
  visit("detectable_share", c.detectable);
  visit("threshold_share", c.threshold);
  visit("p", c.p);
  visit("q", c.q);
  visit("rounds_a", c.rounds_a);
  visit("rounds_b", c.rounds_b);
  visit("noisy_rounds", c.noisy);
  visit("left_out_rounds", c.left_out);
  visit("between_rounds_share_a", between(c.rounds_a, c.between_a));
  visit("between_rounds_share_b", between(c.rounds_b, c.between_b));
  visit("points", c.points);
}

void visit_fields(const MovedStage& s, auto&& visit) {
  visit("stage", text_or_null(s.name));
  visit("tied_with", text_or_null(s.tied_with));
  visit("by", kStageWords[static_cast<std::size_t>(s.by)]);
  visit("waited_for", s.waited_for);
  visit("ms", s.ms);
  visit("step_ms", s.step_ms);
}

void visit_fields(const PointComparison& p, auto&& visit) {
  visit("name", p.name);
  visit("index_a", p.a);
  visit("index_b", p.b);
  visit("canary", p.canary);
  visit("side_a", p.side_a);
  visit("side_b", p.side_b);
  visit("side_moved", p.side_moved);
  visit("moved_stage", p.stage);
  visit("metrics", p.metrics);
}

void visit_fields(const BrokenGate& b, auto&& visit) {
  visit("point", [&](const CompareReport& r) { return r.found.points[b.point].name; });
  visit("metric", [&](const CompareReport& r) {
    return b.metric ? std::optional(r.found.points[b.point].metrics[*b.metric].metric->name)
                    : std::nullopt;
  });
}
void visit_fields(const GateResult& g, auto&& visit) {
  visit("gate", gate_text(g.gate));
  visit("broken", g.broken);
  visit("comparisons", g.compared);
  visit("not_judged", g.silent + g.unsure);
  visit("false_alarms_a_month", g.false_alarms_a_month);
}

void visit_fields(const SlowerAlert& a, auto&& visit) {
  visit("point", [&](const CompareReport& r) { return r.found.points[a.point].name; });
  visit("metric", [&](const CompareReport& r) {
    return r.found.points[a.point].metrics[a.metric].metric->name;
  });
  visit("state", a.state);
  visit("judgement", a.again);
  visit("change_share", a.change);
}
void visit_fields(const Confirmation& c, auto&& visit) {
  visit("interleaved", c.interleaved);
  visit("why_alone", c.why_alone);
  visit("failure", c.failure);
  visit("alerts", c.alerts);
}

void visit_fields(const RunDifference& d, auto&& visit) {
  visit("kind", d.kind);
  visit("what", d.what);
  visit("a", d.a);
  visit("b", d.b);
}

void visit_fields(const SideAlarm& a, auto&& visit) {
  visit_alarm(a.alarm, visit);
  visit("text", a.text);
}

namespace {

auto fields_of_side(const ComparedSide& s, std::uint32_t rounds,
                    const std::optional<double>& within) {
  return Fields{[&s, rounds, within](auto&& visit) {
    visit("where", s.where);
    visit("started_at", s.started_at);
    visit("build", s.build);
    visit("rounds", rounds);
    visit("within_process_share", within);
    visit("alarms", s.alarms);
  }};
}

std::optional<std::string> why_not_comparable(const ComparisonFindings& f) {
  if (f.not_comparable == NotComparable::none) return std::nullopt;
  return not_comparable_text(f);
}

}  // namespace

void visit_fields(const CompareReport& r, auto&& visit) {
  const ComparisonFindings& f = r.found;
  visit("schema", "benchbench.compare/1");
  visit("summary", compare_summary(r));
  visit("outcome", outcome_of(r));
  visit("not_comparable", why_not_comparable(f));
  visit("scenario_a", f.scenario_a);
  visit("scenario_b", f.scenario_b);
  visit("relation", f.relation);
  visit("simulated", f.simulated);
  visit("one_process", f.one_process);
  visit("spread_share", f.spread);
  visit("moved_canaries", f.moved_canaries);
  visit("a", fields_of_side(r.a, f.rounds_a, f.within_a));
  visit("b", fields_of_side(r.b, f.rounds_b, f.within_b));
  visit("points", f.points);
  visit("only_a", f.only_a);
  visit("only_b", f.only_b);
  visit("differences", f.differences);
  visit("gates", r.gates);
  visit("confirmation", r.confirmation);
  visit("notes", r.notes);
}

JsonValue compare_document(const CompareReport& r) { return make_json(r); }
std::string compare_json(const CompareReport& r) { return json_text(compare_document(r)) + "\n"; }

}  // namespace benchbench
