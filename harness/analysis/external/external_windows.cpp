#include "harness/analysis/external/external_windows.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"
#include "harness/core/find.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// By samples, since the loader's own number of batches is of its own batch size.
std::optional<double> batches_of_epoch(const Facts& f) {
  const auto samples = f.external->epoch_samples ? f.external->epoch_samples : f.epochs.samples;
  if (samples && *samples > 0 && f.window.samples > 0 && f.window.steps > 0)
    return std::ceil(static_cast<double>(*samples) * static_cast<double>(f.window.steps) /
                         static_cast<double>(f.window.samples) -
                     1e-6);
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
  ExternalWindow w{f, *f.external};
  w.steps = static_cast<double>(f.window.steps);
  w.step_ms = *step_ms(f);
  // The workers of an iterable are its own.
  const std::uint32_t asked = w.external.kind == "iterable" ? 0 : workers_asked;
  w.workers =
      w.external.workers.empty() ? asked : static_cast<std::uint32_t>(w.external.workers.size());
  const auto share =
      w.external.way == ExternalWay::self_timed ? std::optional(1.0) : waited_share(f);
  if (share) w.wait_ms = *share * w.step_ms;
  w.batches_an_epoch = batches_of_epoch(f);
  return w;
}

std::uint32_t LoaderTrials::workers_asked() const {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(0, point.settings.get_if(keys::loader.num_workers).value_or(0)));
}

ByRound LoaderTrials::by_round(const Number& number) const {
  return trials.by_round(trial, [&](const Facts& f) -> std::optional<double> {
    const auto window = external_window(f, workers_asked());
    return window ? number(*window) : std::nullopt;
  });
}

Measured LoaderTrials::mean(const Number& number) const {
  return estimate_mean(values_in(by_round(number)));
}

const Facts* LoaderTrials::last() const {
  const Facts* found = nullptr;
  for (const Facts* facts : usable_facts(trials.of(trial)))
    if (has_loader(*facts)) found = facts;
  return found;
}

ExternalWindow LoaderTrials::last_window() const {
  return *external_window(*last(), workers_asked());
}

const ExternalNoticed* find_noticed(const ExternalFacts& e, std::string_view kind) noexcept {
  return find_element(e.noticed, kind, &ExternalNoticed::kind);
}

std::optional<JobTime> job_time_in(const LoaderTrials& trial) {
  const ExternalFacts& e = *trial.last()->external;
  // Most of the job's time is the hang's, where it hung.
  if (!e.ledger || find_noticed(e, kHang)) return std::nullopt;
  const Measured samples = trial.mean([](const ExternalWindow& w) {
    return std::optional(static_cast<double>(w.facts.window.samples) / w.steps);
  });
  if (!samples) return std::nullopt;
  return divide_job(*e.ledger, samples->value, trial.last_window().batches_an_epoch);
}

std::optional<LoaderTrials> loader_trials(const Point& point, const JudgedTrials& trials) {
  for (const Mode mode : {Mode::pipeline, Mode::loader})
    if (const auto trial = trial_of(point, mode)) {
      const LoaderTrials seen{point, *trial, mode, trials};
      if (!seen.by_round([](const ExternalWindow& w) { return std::optional(w.steps); }).empty())
        return seen;
    }
  return std::nullopt;
}

}  // namespace benchbench
