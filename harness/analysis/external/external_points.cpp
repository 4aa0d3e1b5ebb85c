#include "harness/analysis/external/external_points.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/external/seen_batch.h"
#include "harness/analysis/rules/asked.h"
#include "harness/core/find.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::optional<double> value_of(const Measured& m) {
  return m ? std::optional(m->value) : std::nullopt;
}

std::optional<double> at_least_0(const std::optional<double>& x) {
  return x && std::isfinite(*x) && *x >= 0 ? x : std::nullopt;
}

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

class Seen {
 public:
  explicit Seen(const LoaderTrials& trial) : trial_(trial) {}

  std::optional<double> once(std::optional<std::int64_t> ExternalFacts::* ns) const {
    return value_of(trial_.mean([&](const ExternalWindow& w) { return in_ms(w.external.*ns); }));
  }
  std::optional<double> a_step(std::optional<std::int64_t> ExternalFacts::* ns) const {
    return value_of(
        trial_.mean([&](const ExternalWindow& w) { return w.per_step_ms(w.external.*ns); }));
  }
  // `of_samples`: each sample of a batch is counted.
  std::optional<double> a_batch(std::optional<ExternalTime> ExternalFacts::* time,
                                bool of_samples = false) const {
    return value_of(trial_.mean([&](const ExternalWindow& w) -> std::optional<double> {
      const auto& t = w.external.*time;
      if (!t || t->count == 0) return std::nullopt;
      const auto each = a_batch_ms(w, t->ns, t->count);
      return each && of_samples && w.external.way == ExternalWay::hand_over
                 ? *each * static_cast<double>(w.facts.window.samples) / w.steps
                 : each;
    }));
  }
  std::optional<double> hooks() const {
    return value_of(trial_.mean([](const ExternalWindow& w) {
      return a_batch_ms(w, w.external.hooks_ns, batches_counted(w));
    }));
  }
  std::optional<double> level(std::optional<double> ExternalFacts::* number) const {
    return value_of(
        trial_.mean([&](const ExternalWindow& w) { return at_least_0(w.external.*number); }));
  }
  std::optional<double> of_memory(double (*number)(const ExternalMemory&)) const {
    return value_of(trial_.mean([&](const ExternalWindow& w) -> std::optional<double> {
      const auto& m = w.external.memory;
      return m && m->samples > 0 ? std::optional(number(*m)) : std::nullopt;
    }));
  }

 private:
  const LoaderTrials& trial_;
};

void add_times(const Seen& seen, ExternalPoint& out) {
  out.spawn_ms = seen.once(&ExternalFacts::spawn_ns);
  out.import_ms = seen.once(&ExternalFacts::import_ns);
  out.call_ms = seen.once(&ExternalFacts::call_ns);
  out.workers_start_ms = seen.once(&ExternalFacts::workers_start_ns);
  out.epoch_start_ms = seen.once(&ExternalFacts::epoch_start_ns);
  out.direct_ms = seen.once(&ExternalFacts::direct_ns);
  out.getitem_ms = seen.a_batch(&ExternalFacts::getitem, true);
  out.collate_ms = seen.a_batch(&ExternalFacts::collate);
  out.handover_ms = seen.a_batch(&ExternalFacts::handover);
  out.pin_ms = seen.a_batch(&ExternalFacts::pin);
  out.hooks_ms = seen.hooks();
  out.core_wait_loader_ms = seen.a_step(&ExternalFacts::core_wait_loader_ns);
  out.core_wait_main_ms = seen.a_step(&ExternalFacts::core_wait_main_ns);
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

}  // namespace

ExternalPoint external_point(const LoaderTrials& trial) {
  ExternalPoint out;
  out.point = trial.point.index;
  out.mode = trial.mode;
  out.rounds = static_cast<std::uint32_t>(
      trial.by_round([](const ExternalWindow& w) { return std::optional(w.steps); }).size());
  const Facts& last = *trial.last();
  out.facts = *last.external;
  out.workers = trial.last_window().workers;
  out.cores = last.cpu.cores_available;
  const Seen seen(trial);
  add_times(seen, out);
  add_partners(trial, out);
  out.batch = seen_batch(trial);
  out.job = job_time_in(trial);
  out.first_batch_ms = value_of(
      trial.mean([](const ExternalWindow& w) { return in_ms(w.facts.start.first_batch_ns); }));
  out.epoch_gap_ms =
      value_of(trial.mean([](const ExternalWindow& w) { return in_ms(w.facts.epochs.gap_ns); }));
  out.runnable_mean = seen.level(&ExternalFacts::runnable_mean);
  out.runnable_max = seen.level(&ExternalFacts::runnable_max);
  out.runnable_workers = seen.level(&ExternalFacts::runnable_workers_mean);
  out.memory_bytes =
      seen.of_memory([](const ExternalMemory& m) { return static_cast<double>(m.pss); });
  out.growth_per_sample_bytes = seen.of_memory([](const ExternalMemory& m) {
    return static_cast<double>(m.pss_growth) / static_cast<double>(m.samples);
  });
  return out;
}

std::optional<ExternalPoint> point_without_window(const Point& point, const JudgedTrials& trials) {
  if (!rules::is_of_script(point.settings)) return std::nullopt;
  const auto records = trials.of(trial_of(point, Mode::pipeline));
  const auto at = std::ranges::find_if(records, [](const JudgedRecord& judged) {
    return judged.record->status == Status::aborted && judged.record->facts.external;
  });
  if (at == records.end()) return std::nullopt;
  ExternalPoint out;
  out.point = point.index;
  out.mode = Mode::pipeline;
  out.facts = *at->record->facts.external;
  out.workers = static_cast<std::uint32_t>(out.facts.workers.size());
  out.cores = at->record->facts.cpu.cores_available;
  const auto size = point.settings.get_if(keys::loader.batch_size);
  if (out.facts.ledger && size && *size > 0 && !find_noticed(out.facts, kHang))
    out.job = divide_job(*out.facts.ledger, static_cast<double>(*size));
  return out;
}

}  // namespace benchbench
