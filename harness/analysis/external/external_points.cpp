#include "harness/analysis/external/external_points.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/external/seen_batch.h"
#include "harness/analysis/rules/asked.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::optional<double> in_ms(const std::optional<std::int64_t>& ns) {
  return ns && *ns >= 0 ? std::optional(static_cast<double>(*ns) * 1e-6) : std::nullopt;
}

// Batches are counted until the process ends where they are handed over, which is longer than the
// window: by its own count then.
std::optional<double> a_batch_ms(const ExternalWindow& w, const std::optional<std::int64_t>& ns,
                                 std::uint64_t batches) {
  if (w.external.way != ExternalWay::hand_over) return w.per_step_ms(ns);
  const auto all = in_ms(ns);
  return all && batches > 0 ? std::optional(*all / static_cast<double>(batches)) : std::nullopt;
}

std::uint64_t batches_counted(const ExternalWindow& w) {
  return w.external.collate ? w.external.collate->count : 0;
}

using Number = LoaderTrials::Number;

Number once(std::optional<std::int64_t> ExternalFacts::* ns) {
  return [=](const ExternalWindow& w) { return in_ms(w.external.*ns); };
}
Number a_step(std::optional<std::int64_t> ExternalFacts::* ns) {
  return [=](const ExternalWindow& w) { return w.per_step_ms(w.external.*ns); };
}
// `of_samples`: each sample of a batch is counted.
Number a_batch(std::optional<ExternalTime> ExternalFacts::* time, bool of_samples = false) {
  return [=](const ExternalWindow& w) -> std::optional<double> {
    const auto& t = w.external.*time;
    if (!t || t->count == 0) return std::nullopt;
    const auto each = a_batch_ms(w, t->ns, t->count);
    return each && of_samples && w.external.way == ExternalWay::hand_over
               ? *each * window_samples(w.facts) / w.steps
               : each;
  };
}
Number level(std::optional<double> ExternalFacts::* number) {
  return [=](const ExternalWindow& w) {
    const auto& x = w.external.*number;
    return x && std::isfinite(*x) && *x >= 0 ? x : std::nullopt;
  };
}
Number of_memory(double (*number)(const ExternalMemory&)) {
  return [=](const ExternalWindow& w) {
    const auto& m = w.external.memory;
    return m && m->samples > 0 ? std::optional(number(*m)) : std::nullopt;
  };
}
std::optional<double> hooks_ms(const ExternalWindow& w) {
  return a_batch_ms(w, w.external.hooks_ns, batches_counted(w));
}
std::optional<double> first_batch_ms(const ExternalWindow& w) {
  return in_ms(w.facts.start.first_batch_ns);
}
std::optional<double> epoch_gap_ms(const ExternalWindow& w) { return in_ms(w.facts.epochs.gap_ns); }

void add_times(const LoaderTrials& trial, ExternalPoint& out) {
  out.spawn_ms = trial.mean_value(once(&ExternalFacts::spawn_ns));
  out.import_ms = trial.mean_value(once(&ExternalFacts::import_ns));
  out.call_ms = trial.mean_value(once(&ExternalFacts::call_ns));
  out.workers_start_ms = trial.mean_value(once(&ExternalFacts::workers_start_ns));
  out.first_batch_ms = trial.mean_value(first_batch_ms);
  out.epoch_gap_ms = trial.mean_value(epoch_gap_ms);
  out.epoch_start_ms = trial.mean_value(once(&ExternalFacts::epoch_start_ns));
  out.direct_ms = trial.mean_value(once(&ExternalFacts::direct_ns));
}
void add_batch_times(const LoaderTrials& trial, ExternalPoint& out) {
  out.getitem_ms = trial.mean_value(a_batch(&ExternalFacts::getitem, true));
  out.collate_ms = trial.mean_value(a_batch(&ExternalFacts::collate));
  out.handover_ms = trial.mean_value(a_batch(&ExternalFacts::handover));
  out.pin_ms = trial.mean_value(a_batch(&ExternalFacts::pin));
  out.hooks_ms = trial.mean_value(hooks_ms);
  out.core_wait_loader_ms = trial.mean_value(a_step(&ExternalFacts::core_wait_loader_ns));
  out.core_wait_main_ms = trial.mean_value(a_step(&ExternalFacts::core_wait_main_ns));
}
void add_levels(const LoaderTrials& trial, ExternalPoint& out) {
  out.runnable_mean = trial.mean_value(level(&ExternalFacts::runnable_mean));
  out.runnable_max = trial.mean_value(level(&ExternalFacts::runnable_max));
  out.runnable_workers = trial.mean_value(level(&ExternalFacts::runnable_workers_mean));
  out.memory_bytes = trial.mean_value(
      of_memory([](const ExternalMemory& m) { return static_cast<double>(m.pss); }));
  out.growth_per_sample_bytes = trial.mean_value(of_memory([](const ExternalMemory& m) {
    return static_cast<double>(m.pss_growth) / static_cast<double>(m.samples);
  }));
}

void add_partners(const LoaderTrials& trial, ExternalPoint& out) {
  for (const ExternalPartner& partner : out.facts.partners) {
    const auto waits = trial.mean([&](const ExternalWindow& w) -> std::optional<double> {
      const auto* here = find_element(w.external.partners, partner.name, &ExternalPartner::name);
      return here ? w.per_step_ms(here->wait_ns) : std::nullopt;
    });
    if (waits) out.partners.emplace_back(partner.name, waits->value);
  }
}

const Facts* find_ended(JudgedRecords records) {
  for (const JudgedRecord& judged : records)
    if (judged.record->status == Status::aborted && judged.record->facts.external)
      return &judged.record->facts;
  return nullptr;
}

}  // namespace

ExternalPoint external_point(const LoaderTrials& trial) {
  ExternalPoint out;
  out.point = trial.point.index;
  out.mode = trial.mode;
  out.rounds = trial.count_rounds();
  const Facts& last = *trial.last();
  out.facts = *last.external;
  out.workers = trial.last_window().workers;
  out.cores = last.cpu.cores_available;
  add_times(trial, out);
  add_batch_times(trial, out);
  add_levels(trial, out);
  add_partners(trial, out);
  out.batch = seen_batch(trial);
  out.job = job_time_in(trial);
  return out;
}

std::optional<ExternalPoint> point_without_window(const Point& point, const JudgedTrials& trials) {
  if (!rules::is_of_script(point.settings)) return std::nullopt;
  const Facts* ended = find_ended(trials.of(trial_of(point, Mode::pipeline)));
  if (!ended) return std::nullopt;
  ExternalPoint out;
  out.point = point.index;
  out.mode = Mode::pipeline;
  out.facts = *ended->external;
  out.workers = static_cast<std::uint32_t>(out.facts.workers.size());
  out.cores = ended->cpu.cores_available;
  const auto size = point.settings.get_if(keys::loader.batch_size);
  if (out.facts.ledger && size && *size > 0 && !find_noticed(out.facts, kHang))
    out.job = divide_job(*out.facts.ledger, static_cast<double>(*size));
  return out;
}

}  // namespace benchbench
