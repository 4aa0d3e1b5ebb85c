// The members of the last paragraph in a report.
#pragma once
#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/report/conclusion/advice_list.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/fields/point_fields.h"

namespace benchbench {

inline std::optional<double> multiply(const std::optional<double>& a,
                                      const std::optional<double>& b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

void visit_fields(const TrainingJob& job, auto&& visit) {
  visit("unit", job.unit);
  visit("amount", job.amount);
  visit("samples", job.samples);
  visit("hours", job.hours);
  visit("hours_after", job.hours_after);
  visit("price", job.price);
  visit("sum", multiply(job.hours, job.price));
  visit("sum_after", multiply(job.hours_after, job.price));
}

void visit_fields(const Next& next, auto&& visit) {
  const bool setting = next.advice && !next.advice->key.empty();
  const auto part = [&](std::string Advice::* which) {
    return setting ? std::optional(*next.advice.*which) : std::nullopt;
  };
  const auto& workers = next.workers;
  visit("kind", next.kind);
  visit("point", [&](const ReportInput& in) {
    return name_point(in.findings.points.empty() ? std::nullopt : std::optional(next.at))(in);
  });
  visit("component", next.kind == NextKind::change && next.advice
                         ? std::optional(next.advice->component)
                         : std::nullopt);
  visit("key", part(&Advice::key));
  visit("from", part(&Advice::from));
  visit("to", part(&Advice::to));
  visit("workers_limit", workers ? std::optional(workers->limit) : std::nullopt);
  visit("foretold_times", workers && workers->limit == WorkersLimit::workers
                              ? std::optional(workers->times)
                              : std::nullopt);
}

void visit_fields(const AdviceLine& a, auto&& visit) {
  visit("id", a.id, "A word that stays as it is from version to version.");
  visit("finding", a.finding);
  visit("point", a.point);
  visit("where", text_or_null(a.where));
  visit("arguments", Members<std::string>{a.arguments});
}

void visit_fields(const ConclusionPart& part, auto&& visit) {
  visit("label", part.label);
  visit("text", part.text);
}

inline std::optional<double> share_of_step(const Measured& part, const Measured& step) {
  if (!part || !step || !(step->value > 0)) return std::nullopt;
  return std::clamp(part->value / step->value, 0.0, 1.0);
}
inline std::optional<Component> find_binding_component(const Findings& f) {
  const auto& s = f.substitutions;
  const bool known = s && !s->bound_by.empty() && f.conclusion.subject == s->point;
  return known ? std::optional(s->bound_by.front()) : std::nullopt;
}
inline Side find_binding_side(const ReportInput& in, const PointFindings& subject) {
  const Conclusion& c = in.findings.conclusion;
  const Side by_wait = !c.subject && c.fastest_pipeline && wraps_script(in.plan)
                           ? side_by_wait(in.findings.points[*c.fastest_pipeline])
                           : Side::unknown;
  return by_wait == Side::unknown ? subject.side : by_wait;
}

// The members that only a wrapped script's answer has.
void visit_script(const ReportInput& in, const PointFindings& subject, auto&& visit) {
  const auto of_script = [&]<class T>(const T& value) {
    return wraps_script(in.plan) ? IfAny<T>{value} : IfAny<T>{};
  };
  const Doubt doubt = in.findings.conclusion.doubt;
  visit("doubt", of_script(doubt == Doubt::none ? std::nullopt : std::optional(doubt)));
  visit("open", of_script(open_part(in.findings)),
        "Of a wrapped script: the part of the answer that could be another one with more rounds.");
  visit("settled", of_script(subject.settled),
        "Of a wrapped script: the rounds settle the side, so that measuring could end; null if no "
        "round was complete.");
  visit("within", of_script(subject.within),
        "Of a wrapped script whose sides are balanced: the share within which L and T are known to "
        "agree, 0.15 or 0.25.");
}

void visit_conclusion(const ReportInput& in, auto&& visit) {
  const Findings& f = in.findings;
  const Conclusion& c = f.conclusion;
  const PointFindings none;
  const PointFindings& subject = c.subject ? f.points[*c.subject] : none;
  visit("binds",
        OneOf<kSideWords>{subject.unclear ? "unclear" : name_of(find_binding_side(in, subject))});
  visit("point", name_point(c.subject));
  visit("takes_share", share_of_step(subject.side_takes_ms, subject.step_ms));
  visit("costs_share", share_of_step(subject.side_cost_ms, subject.step_ms));
  visit("component", find_binding_component(f));
  visit("rounds", subject.rounds);
  visit("indicative", !is_firm(subject));
  visit_script(in, subject, visit);
  visit("noisy",
        wraps_script(in.plan) ? part_open_by_noise(f) != OpenPart::none
                              : subject.status == Status::noisy,
        "The point is NOISY; of a wrapped script only if something is open, which noise may be the "
        "cause of. Its points and records have their statuses all the same.");
  visit("what_if", c.what_if);
  visit("use", name_point(f.recommended ? std::optional(f.recommended->point) : std::nullopt));
  visit("holds_for", c.holds_for);
  visit("headroom", c.headroom);
  visit("headroom_of",
        name_point(c.headroom == Headroom::not_measured ? std::nullopt
                                                        : std::optional(c.headroom_of)));
  visit("least_headroom_of", name_point(c.least_headroom_of));
  visit("epoch_samples", f.epoch_samples);
  visit("epoch_seconds", c.epoch_seconds);
  visit("epoch_seconds_after", c.epoch_seconds_after);
  visit("job", c.job);
  visit("next", c.next);
  visit("advice", list_advice(f, in.plan));
  visit("lines", conclusion_parts(f, in.plan));
}

}  // namespace benchbench
