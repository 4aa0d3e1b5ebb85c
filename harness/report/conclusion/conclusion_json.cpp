#include "harness/report/conclusion/conclusion_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/report/conclusion/advice_json.h"
#include "harness/report/conclusion/conclusion_words.h"

namespace benchbench {
namespace {

using Values = nlohmann::ordered_json;

template <class T>
Values value_or_null(const std::optional<T>& value) {
  return value ? Values(*value) : Values(nullptr);
}

Values share_of_step(const Measured& part, const Measured& step) {
  if (!part || !step || !(step->value > 0)) return nullptr;
  return std::clamp(part->value / step->value, 0.0, 1.0);
}

Values name_or_null(const Findings& f, const std::optional<std::uint32_t>& point) {
  return point ? Values(f.points[*point].name) : Values(nullptr);
}

Values times_price(const std::optional<double>& hours, const std::optional<double>& price) {
  return hours && price ? Values(*hours * *price) : Values(nullptr);
}

Values values_of(const TrainingJob& job) {
  return {{"unit", name_of(job.unit)},
          {"amount", job.amount},
          {"samples", value_or_null(job.samples)},
          {"hours", value_or_null(job.hours)},
          {"hours_after", value_or_null(job.hours_after)},
          {"price", value_or_null(job.price)},
          {"sum", times_price(job.hours, job.price)},
          {"sum_after", times_price(job.hours_after, job.price)}};
}

Values values_of(const Next& next, const Findings& f) {
  Values out{{"kind", name_of(next.kind)},
             {"point", f.points.empty() ? Values(nullptr) : Values(f.points[next.at].name)}};
  const bool setting = next.advice && !next.advice->key.empty();
  out["component"] = next.kind == NextKind::change && next.advice
                         ? Values(name_of(next.advice->component))
                         : Values(nullptr);
  out["key"] = setting ? Values(next.advice->key) : Values(nullptr);
  out["from"] = setting ? Values(next.advice->from) : Values(nullptr);
  out["to"] = setting ? Values(next.advice->to) : Values(nullptr);
  out["workers_limit"] = next.workers ? Values(name_of(next.workers->limit)) : Values(nullptr);
  out["foretold_times"] = next.workers && next.workers->limit == WorkersLimit::workers
                              ? Values(next.workers->times)
                              : Values(nullptr);
  return out;
}

}  // namespace

nlohmann::ordered_json conclusion_values(const Findings& f, const Plan& plan) {
  const Conclusion& c = f.conclusion;
  const PointFindings none;
  const PointFindings& p = c.subject ? f.points[*c.subject] : none;
  const Side by_wait = !c.subject && c.fastest_pipeline && wraps_script(plan)
                           ? side_by_wait(f.points[*c.fastest_pipeline])
                           : Side::unknown;
  const Side side = by_wait == Side::unknown ? p.side : by_wait;
  Values out{{"binds", p.unclear ? "unclear" : name_of(side)},
             {"point", name_or_null(f, c.subject)}};
  out["takes_share"] = share_of_step(p.side_takes_ms, p.step_ms);
  out["costs_share"] = share_of_step(p.side_cost_ms, p.step_ms);
  const auto& s = f.substitutions;
  out["component"] = s && !s->bound_by.empty() && c.subject == s->point
                         ? Values(name_of(s->bound_by.front()))
                         : Values(nullptr);
  out["rounds"] = p.rounds;
  out["indicative"] = !is_firm(p);
  if (wraps_script(plan)) {
    out["doubt"] = c.doubt == Doubt::none ? Values(nullptr) : Values(name_of(c.doubt));
    out["open"] = name_of(open_part(f));
    out["settled"] = value_or_null(p.settled);
    out["within"] = value_or_null(p.within);
  }
  out["noisy"] =
      wraps_script(plan) ? part_open_by_noise(f) != OpenPart::none : p.status == Status::noisy;
  out["what_if"] = c.what_if;
  out["use"] = f.recommended ? Values(f.points[f.recommended->point].name) : Values(nullptr);
  out["holds_for"] = c.holds_for;
  out["headroom"] = name_of(c.headroom);
  out["headroom_of"] =
      c.headroom == Headroom::not_measured ? Values(nullptr) : Values(f.points[c.headroom_of].name);
  out["least_headroom_of"] = name_or_null(f, c.least_headroom_of);
  out["epoch_samples"] = value_or_null(f.epoch_samples);
  out["epoch_seconds"] = value_or_null(c.epoch_seconds);
  out["epoch_seconds_after"] = value_or_null(c.epoch_seconds_after);
  out["job"] = c.job ? values_of(*c.job) : Values(nullptr);
  out["next"] = values_of(c.next, f);
  out["advice"] = advice_values(f, plan);
  out["lines"] = Values::array();
  for (const ConclusionPart& part : conclusion_parts(f, plan))
    out["lines"].push_back({{"label", part.label}, {"text", part.text}});
  return out;
}

}  // namespace benchbench
