// The members of the last paragraph in a report.
#pragma once
#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/verdict.h"
#include "harness/report/conclusion/advice_list.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/fields/point_fields.h"

namespace benchbench {

inline std::optional<double> multiply(const std::optional<double>& a,
                                      const std::optional<double>& b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

template <class Visit>
void visit_fields(const TrainingJob& job, Visit&& visit) {
  visit("unit", job.unit);
  visit("amount", job.amount);
  visit("samples", job.samples);
  visit("hours", job.hours);
  visit("hours_after", job.hours_after);
  visit("price", job.price);
  visit("sum", multiply(job.hours, job.price));
  visit("sum_after", multiply(job.hours_after, job.price));
}

template <class Visit>
void visit_fields(const Next& next, Visit&& visit) {
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

template <class Visit>
void visit_fields(const AdviceLine& a, Visit&& visit) {
  visit("id", a.id, "A word that stays as it is from version to version.");
  visit("finding", a.finding);
  visit("point", a.point);
  visit("where", text_or_null(a.where));
  visit("arguments", Members<std::string>{a.arguments});
}

template <class Visit>
void visit_fields(const ConclusionPart& part, Visit&& visit) {
  visit("label", part.label);
  visit("text", part.text);
}

// The point that the paragraph speaks of; an empty one if it speaks of none.
inline const PointFindings& find_subject(const Findings& f) {
  static const PointFindings none;
  return f.conclusion.subject ? f.points[*f.conclusion.subject] : none;
}
inline Side find_binding_side(const ReportInput& in) {
  const Conclusion& c = in.findings.conclusion;
  const Side by_wait = !c.subject && c.fastest_pipeline && wraps_script(in.plan)
                           ? side_by_wait(in.findings.points[*c.fastest_pipeline])
                           : Side::unknown;
  return by_wait == Side::unknown ? find_subject(in.findings).side : by_wait;
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

// The members that only a wrapped script's answer has.
template <class Visit>
void visit_script(const Conclusion& c, Visit&& visit) {
  const auto of_script = [](auto get) {
    return [get](const ReportInput& in) {
      using Kept = decltype(get(in));
      return wraps_script(in.plan) ? IfAny<Kept>{get(in)} : IfAny<Kept>{};
    };
  };
  visit("doubt", of_script([&](const ReportInput&) {
          return c.doubt == Doubt::none ? std::nullopt : std::optional(c.doubt);
        }));
  visit("open", of_script([](const ReportInput& in) { return open_part(in.findings); }),
        "Of a wrapped script: the part of the answer that could be another one with more rounds.");
  visit("settled",
        of_script([](const ReportInput& in) { return find_subject(in.findings).settled; }),
        "Of a wrapped script: the rounds settle the side, so that measuring could end; null if no "
        "round was complete.");
  visit("within", of_script([](const ReportInput& in) { return find_subject(in.findings).within; }),
        "Of a wrapped script whose sides are balanced: the share within which L and T are known to "
        "agree, 0.15 or 0.25.");
}

template <class Visit>
void visit_fields(const Conclusion& c, Visit&& visit) {
  const auto of_subject = [](auto get) {
    return [get](const ReportInput& in) { return get(find_subject(in.findings)); };
  };
  visit("binds", [](const ReportInput& in) {
    return OneOf<kSideWords>{find_subject(in.findings).unclear ? "unclear"
                                                               : name_of(find_binding_side(in))};
  });
  visit("point", name_point(c.subject));
  visit("takes_share", of_subject([](const PointFindings& p) {
          return share_of_step(p.side_takes_ms, p.step_ms);
        }));
  visit("costs_share", of_subject([](const PointFindings& p) {
          return share_of_step(p.side_cost_ms, p.step_ms);
        }));
  visit("component", [](const ReportInput& in) { return find_binding_component(in.findings); });
  visit("rounds", of_subject([](const PointFindings& p) { return p.rounds; }));
  visit("indicative", of_subject([](const PointFindings& p) { return !is_firm(p); }));
  visit_script(c, visit);
  visit(
      "noisy",
      [](const ReportInput& in) {
        return wraps_script(in.plan) ? part_open_by_noise(in.findings) != OpenPart::none
                                     : find_subject(in.findings).status == Status::noisy;
      },
      "The point is NOISY; of a wrapped script only if something is open, which noise may be the "
      "cause of. Its points and records have their statuses all the same.");
  visit("what_if", c.what_if);
  visit("use", [](const ReportInput& in) {
    const auto& use = in.findings.recommended;
    return name_point(use ? std::optional(use->point) : std::nullopt)(in);
  });
  visit("holds_for", c.holds_for);
  visit("headroom", c.headroom);
  visit("headroom_of",
        name_point(c.headroom == Headroom::not_measured ? std::nullopt
                                                        : std::optional(c.headroom_of)));
  visit("least_headroom_of", name_point(c.least_headroom_of));
  visit("epoch_samples", [](const ReportInput& in) { return in.findings.epoch_samples; });
  visit("epoch_seconds", c.epoch_seconds);
  visit("epoch_seconds_after", c.epoch_seconds_after);
  visit("job", c.job);
  visit("next", c.next);
  visit("advice", [](const ReportInput& in) { return list_advice(in.findings, in.plan); });
  visit("lines", [](const ReportInput& in) { return conclusion_parts(in.findings, in.plan); });
}

}  // namespace benchbench
