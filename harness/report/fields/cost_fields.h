// The members of a report that say where a step's time goes and what the machine did meanwhile.
#pragma once
#include "harness/report/fields/alarm_fields.h"
#include "harness/report/fields/point_fields.h"
#include "harness/report/tables/substitution_table.h"
#include "harness/report/words/alarm_words.h"

namespace benchbench {

// One of the parts that add up to a time.
struct TimePart {
  std::string name;
  double ms = 0;
};
template <>
inline constexpr SchemaName kSchemaName<TimePart>{"part"};
template <>
inline constexpr SchemaName kSchemaName<Recovered>{"component"};
template <>
inline constexpr SchemaName kSchemaName<ForetoldStep>{"foretold_step"};

void visit_fields(const TimePart& p, auto&& visit) {
  visit("name", p.name);
  visit("ms", p.ms);
}
inline std::vector<TimePart> parts_of_time(const NamedTimes& all) {
  std::vector<TimePart> parts;
  for (const auto& [name, ms] : all) parts.push_back({name, ms});
  return parts;
}

void visit_fields(const StepIdentity& step, auto&& visit) {
  visit("point", name_point(step.point));
  visit("step_ms", step.step_ms);
  visit("parts_ms", parts_of_time(step.parts));
  visit("device_parts_ms", if_any(parts_of_time(step.device_parts)));
}

void visit_fields(const Recovered& r, auto&& visit) {
  visit("component", r.component);
  visit("ms", r.ms);
  visit("share", r.ms ? std::optional(r.share) : std::nullopt);
  visit("severity", r.severity);
  visit("derived", r.derived);
  visit("bounded", r.bounded);
}

void visit_fields(const Advice& a, auto&& visit) {
  visit("key", a.key);
  visit("from", a.from);
  visit("to", a.to);
}

void visit_fields(const Substitutions& s, auto&& visit) {
  visit("point", name_point(s.point));
  visit("step_ms", s.step_ms);
  visit("loader_ms", s.loader_ms);
  visit("trainer_ms", s.trainer_ms);
  visit("binding", naming_word(s.binding, s.bound_by, "balanced"));
  visit("bound_by", s.bound_by);
  visit("rounds", s.rounds);
  visit("lock_wait_ms", s.lock_wait_ms);
  visit("next", [&] { return next_step(s); });
  visit("change", s.advice && !s.advice->key.empty() ? s.advice : std::nullopt);
  visit("components", s.components);
}

void visit_fields(const Timeline& t, auto&& visit) {
  constexpr std::string_view kNotApart =
      "steps are not enqueued: the device's work is on the host's timeline";
  visit("name", t.name);
  visit("why", t.measured ? "" : kNotApart);
  visit("step_ms", t.step_ms);
  visit("parts_ms", parts_of_time(t.parts));
  visit("residual_ms", t.residual_ms);
  visit("residual_share", t.residual_share);
}

void visit_fields(const LoaderWork& w, auto&& visit) {
  visit("workers", w.workers);
  visit("parts_ms", parts_of_time(w.parts));
  visit("residual_ms", w.residual_ms);
}

void visit_fields(const Interference& i, auto&& visit) {
  visit("ratio", i.ratio);
  visit("trainer_samples_per_second", i.background_rate);
  visit("loader_samples_per_second", i.loader_rate);
}

void visit_fields(const BatchOnDevice& d, auto&& visit) {
  visit("samples_per_second", d.rate);
  visit("ratio", d.ratio);
}

void visit_figures(const GpuSeen& g, auto&& visit) {
  visit("clock_hertz", g.clock_hertz);
  visit("clock_share", g.clock_share, "Of the clock in machine.yaml.");
  visit("power_capped_share", g.power_capped_share);
  visit("power_limit_watts", g.power_limit_watts);
  visit("joules_per_sample", g.joules_per_sample);
  visit("pcie_generation", g.pcie_generation);
  visit("pcie_width", g.pcie_width);
}
void visit_fields(const GpuSeen& g, auto&& visit) {
  visit("name", g.name);
  visit("model", g.model);
  visit("uuid", g.uuid);
  visit("divided", g.divided);
  visit("nvml", g.absent, "Why NVML was not asked; empty if it was.");
  visit("known", Fields{[&](auto&& known) {
          known("other_processes", g.users_known);
          known("slowed_down", g.slowing_known);
          known("uncorrected_memory_errors", g.errors_known);
        }});
  visit_figures(g, visit);
}

void visit_fields(const NearestCeiling& c, auto&& visit) {
  visit("mode", c.mode);
  visit("ceiling", c.ceiling);
  visit("bytes_per_second", c.rate);
  visit("ceiling_bytes_per_second", c.ceiling_rate);
  visit("share", c.share());
}

void visit_fields(const Alarm& a, auto&& visit) {
  visit_alarm(a, visit);
  visit(
      "points",
      [&](const ReportInput& in) {
        std::vector<std::string> names;
        for (const std::uint32_t point : a.points) names.push_back(in.findings.points[point].name);
        return names;
      },
      "Those where it is raised.");
  visit("text", [&](const ReportInput& in) { return alarm_words(a, in.plan); });
}

void visit_fields(const ForetoldStep& s, auto&& visit) {
  visit("num_workers", s.workers);
  visit("prefetch_factor", s.prefetch > 0 ? std::optional(s.prefetch) : std::nullopt);
  visit("in_order", s.in_order);
  visit("step_ms", s.step_ms);
  visit("constant_step_ms", s.constant_ms);
  visit("exponential_step_ms", s.exponential_ms);
}
void visit_fields(const DepthForetold& d, auto&& visit) {
  visit("point", name_point(d.point));
  visit("measured_step_ms", d.measured_ms);
  visit("foretold", d.measured);
  visit("off_share", d.off());
  visit("trainer_ms", d.trainer_ms);
  visit("steps", d.steps);
}

}  // namespace benchbench
