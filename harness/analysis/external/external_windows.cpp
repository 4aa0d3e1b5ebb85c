#include "harness/analysis/external/external_windows.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// By samples, since the loader's own number of batches is of its own batch size.
std::optional<double> batches_of_epoch(const Facts& f) {
  const auto samples = f.external->epoch_samples ? f.external->epoch_samples : f.epochs.samples;
  if (samples && *samples > 0 && f.window.samples > 0 && f.window.steps > 0)
    return std::ceil(static_cast<double>(*samples) * window_steps(f) / window_samples(f) - 1e-6);
  if (f.external->epoch_batches && *f.external->epoch_batches > 0)
    return static_cast<double>(*f.external->epoch_batches);
  return std::nullopt;
}

// Then all of an epoch's are made at once, and more workers would make none sooner.
bool has_few_batches(const ExternalWindow& w) {
  return w.batches_an_epoch && *w.batches_an_epoch < w.workers;
}

// Whether every worker had its turn: batches are asked of one after the other.
bool all_were_asked(const ExternalWindow& w) {
  std::uint64_t batches = 0;
  for (const ExternalWorker& each : w.external.workers) batches += each.batches;
  return batches >= 2 * w.external.workers.size() && !has_few_batches(w);
}

}  // namespace

std::optional<std::uint32_t> ExternalWindow::workers_with_data() const {
  const auto delivered = [](const ExternalWorker& w) { return w.samples > 0 || w.batches > 0; };
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(external.workers, delivered));
  return count > 0 && all_were_asked(*this) ? std::optional(count) : std::nullopt;
}

double ExternalWindow::free_of_cores_ms() const noexcept {
  const CpuFacts& cpu = facts.cpu;
  if (!cpu.user_s || !cpu.system_s || !(cpu.cores_available > 0)) return step_ms;
  return std::max(0.0, step_ms - (*cpu.user_s + *cpu.system_s) * 1e3 / steps / cpu.cores_available);
}

std::optional<double> ExternalWindow::per_step_ms(const std::optional<std::int64_t>& ns) const {
  if (!ns || *ns < 0) return std::nullopt;
  return static_cast<double>(*ns) * 1e-6 / steps;
}

bool has_loader(const Facts& f) noexcept {
  if (!f.external) return false;
  const ExternalFacts& e = *f.external;
  const bool loads = e.way == ExternalWay::self_timed || e.way == ExternalWay::hand_over ||
                     e.way == ExternalWay::all_there;
  return loads && !(e.kind.empty() && e.loader_call.empty());
}

std::optional<ExternalWindow> external_window(const Facts& f, std::uint32_t workers_asked) {
  if (!has_loader(f) || f.window.steps == 0 || f.window.ns <= 0) return std::nullopt;
  const ExternalFacts& e = *f.external;
  ExternalWindow w{f, e, window_steps(f), *step_ms(f)};
  // The workers of an iterable are its own.
  w.workers = static_cast<std::uint32_t>(e.workers.size());
  if (w.workers == 0 && e.kind != "iterable") w.workers = workers_asked;
  w.wait_ms = e.way == ExternalWay::self_timed ? w.step_ms : part_of_step_ms(f, waited_share(f));
  w.batches_an_epoch = batches_of_epoch(f);
  return w;
}

std::uint32_t workers_asked(const Point& point) {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(0, point.settings.get_if(keys::loader.num_workers).value_or(0)));
}

ByRound LoaderTrials::by_round(const Number& number) const {
  return trials.by_round(trial, [&](const Facts& f) -> std::optional<double> {
    const auto window = external_window(f, workers_asked(point));
    return window ? number(*window) : std::nullopt;
  });
}

Measured LoaderTrials::mean(const Number& number) const {
  return estimate_mean(values_in(by_round(number)));
}

std::uint32_t LoaderTrials::count_rounds() const {
  const auto steps = [](const ExternalWindow& w) { return std::optional(w.steps); };
  return static_cast<std::uint32_t>(by_round(steps).size());
}

const Facts* LoaderTrials::last() const {
  const Facts* found = nullptr;
  for (const Facts* facts : usable_facts(trials.of(trial)))
    if (has_loader(*facts)) found = facts;
  return found;
}

ExternalWindow LoaderTrials::last_window() const {
  return *external_window(*last(), workers_asked(point));
}

const ExternalNoticed* find_noticed(const ExternalFacts& e, std::string_view kind) noexcept {
  return find_element(e.noticed, kind, &ExternalNoticed::kind);
}

std::optional<JobTime> job_time_in(const LoaderTrials& trial) {
  const ExternalFacts& e = *trial.last()->external;
  // Most of the job's time is the hang's, where it hung.
  if (!e.ledger || find_noticed(e, kHang)) return std::nullopt;
  const Measured samples = trial.mean(
      [](const ExternalWindow& w) { return std::optional(window_samples(w.facts) / w.steps); });
  if (!samples) return std::nullopt;
  return divide_job(*e.ledger, samples->value, trial.last_window().batches_an_epoch);
}

std::optional<LoaderTrials> loader_trials(const Point& point, const JudgedTrials& trials) {
  for (const Mode mode : {Mode::pipeline, Mode::loader})
    if (const auto trial = trial_of(point, mode)) {
      const LoaderTrials seen{point, *trial, mode, trials};
      if (seen.count_rounds() > 0) return seen;
    }
  return std::nullopt;
}

}  // namespace benchbench
