// The members of a report about loaders and steps in the user's Python. results/README.md,
// "external", says what they mean.
#pragma once
#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/step_parts.h"
#include "harness/report/external/external_fields.h"
#include "harness/report/external/external_words.h"
#include "harness/report/external/job_words.h"
#include "harness/report/external/rank_table.h"
#include "harness/report/fields/point_fields.h"

namespace benchbench {

template <>
inline constexpr SchemaName kSchemaName<ExternalPoint>{"external_point"};
template <>
inline constexpr SchemaName kSchemaName<ExternalFinding>{"external_finding"};

// A number that is 0 where it does not apply.
template <class T>
std::optional<T> above_0(T value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

void visit_shown(const ExternalSameDraws& d, auto&& visit) {
  visit("what", d.what);
  visit("where", text_or_null(d.where));
  visit("workers", d.workers);
  visit("every_epoch", d.every_epoch);
}

void visit_fields(const ExternalFinding& f, auto&& visit) {
  visit("kind", f.fault);
  visit("point", name_point(f.point));
  visit("mode", f.mode);
  visit("cost_ms_per_step", f.ms);
  visit("step_ms", f.step_ms);
  visit("cost_bytes", f.bytes);
  visit("cost_bytes_per_epoch", f.bytes_an_epoch);
  visit("cost_share", f.share);
  visit("where", text_or_null(f.where));
  visit("num_workers", f.workers);
  visit("workers_without_data",
        f.fault == ExternalFault::idle_workers ? std::optional(f.idle) : std::nullopt);
  visit("batches_per_epoch", above_0(f.batches_an_epoch));
  visit("cores_available", above_0(f.cores));
  visit("cpu_count", above_0(f.cpu_count));
  visit("torch_threads", above_0(f.threads));
  visit("runnable_threads_mean", above_0(f.runnable));
  visit("runnable_worker_threads_mean", above_0(f.runnable_workers));
  visit("throttled_ms_per_step", above_0(f.throttled_ms));
  visit("direct_ms", above_0(f.direct_ms));
  visit("same_draws", f.draws);
  visit("what", text_or_null(f.what));
  visit("count", above_0(f.count));
  visit("arguments", Members<std::int64_t>{f.numbers});
  visit("text", [&](const ReportInput& in) {
    return finding_words(f, 0, is_change_certain(f, in.findings));
  });
}

void visit_shown(const ExternalSpent& s, auto&& visit) {
  visit("state", s.state);
  visit("loader", text_or_null(s.loader));
  visit("made", text_or_null(s.made));
  visit("saver", text_or_null(s.saver));
  visit("where", text_or_null(s.where));
  visit("trains", s.trains);
  visit("workers", s.workers);
  visit("ns", s.ns);
  visit("count", s.count);
  visit("before_ns", s.before_ns);
  visit("before", s.before);
}
void visit_fields(const JobTime& job, auto&& visit) {
  visit("samples_per_second", job.rate);
  visit("samples_per_second_with_start", job.rate_with_start);
  visit("seconds", job.seconds);
  visit("once_seconds", job.once_seconds);
  visit("step_share", job.step_share);
  visit("wait_share", job.wait_share);
  visit("outside_share", job.outside_share);
  visit("rows", job.all);
}

void visit_shown(const ExternalWorker& w, auto&& visit) {
  visit("samples", w.samples);
  visit("batches", w.batches);
}
// The facts of the user's process that the report has before its numbers.
void visit_process(const ExternalFacts& e, auto&& visit) {
  visit("interpreter", text_or_null(e.interpreter));
  visit("versions", text_or_null(e.versions));
  visit("loader_call", text_or_null(e.loader_call));
  visit("trainer_call", text_or_null(e.trainer_call));
  visit("kind", text_or_null(e.kind));
  visit("where", text_or_null(e.where));
  visit("getitem_where", text_or_null(e.getitem_where));
  visit("start_method", text_or_null(e.start_method));
  visit("device", text_or_null(e.device));
}
void visit_fields(const ExternalPoint& p, auto&& visit) {
  const ExternalFacts& e = p.facts;
  visit("point", name_point(p.point));
  visit("mode", p.mode);
  visit("way", e.way);
  visit("rounds", p.rounds);
  visit_process(e, visit);
  visit("num_workers", p.workers);
  visit("persistent_workers", e.persistent_workers);
  visit("epoch_samples", e.epoch_samples);
  for (const ExternalField& field : external_fields())
    visit(field.name, p.*field.value, field.text);
  visit("cores_available", above_0(p.cores));
  visit("cpu_count", e.cpu_count);
  visit("torch_threads", e.threads);
  visit("shm_free_bytes", e.shm_free_bytes);
  visit("shm_bytes", e.shm_bytes);
  visit("each_worker", e.workers);
  visit("unexplained_ms_per_step",
        [&](const ReportInput& in) { return unexplained_ms(in.findings.points[p.point]); });
  visit("job_time", p.job);
}

void visit_fields(const ExternalFindings& e, auto&& visit) {
  visit("ways", Fields{[&](auto&& way) {
          for (const Mode mode : kModes) way(name_of(mode), e.ways[static_cast<std::size_t>(mode)]);
        }});
  visit("interpreter", e.any ? text_or_null(e.any->interpreter) : std::nullopt);
  visit("versions", e.any ? text_or_null(e.any->versions) : std::nullopt);
  visit("points", e.points);
  visit("findings", e.findings);
}

void visit_shown(const RankRates& r, auto&& visit) {
  visit("rank", r.rank);
  visit("reported", r.reported);
  visit(rate_metric(Mode::loader).field(), rate_over_rounds(r.loader));
  visit(rate_metric(Mode::trainer).field(), rate_over_rounds(r.trainer));
  visit(rate_metric(Mode::pipeline).field(), rate_over_rounds(r.pipeline));
  visit("waited_share", r.waited_share);
}

// The processes that train together; nullopt: there is one.
struct ComparedRanks {
  std::optional<RankSpread> spread;  // of two that differ
  std::optional<RankBy> by;
  std::vector<RankRates> rates;
};
inline std::optional<ComparedRanks> compare_ranks(const Plan& plan) {
  if (plan.ranks.size() < 2) return std::nullopt;
  ComparedRanks ranks{rank_spread(plan), std::nullopt, plan.ranks};
  if (ranks.spread) ranks.by = ranks.spread->by;
  if (ranks.spread && ranks.spread->slowest == ranks.spread->quickest) ranks.spread.reset();
  return ranks;
}
void visit_fields(const ComparedRanks& r, auto&& visit) {
  const auto rank = [&](std::uint32_t RankSpread::* which) {
    return r.spread ? std::optional(r.rates[*r.spread.*which].rank) : std::nullopt;
  };
  visit("by", r.by);
  visit("slowest", rank(&RankSpread::slowest));
  visit("quickest", rank(&RankSpread::quickest));
  visit("ratio", r.spread ? r.spread->ratio : std::nullopt,
        "The loader's rate of the quickest over that of the slowest.");
  visit("rates", r.rates);
}

}  // namespace benchbench
