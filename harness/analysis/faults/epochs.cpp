#include <algorithm>
#include <charconv>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
namespace {

bool epoch_ended(const ExternalWindow& w) {
  return w.external.epoch_start_ns && *w.external.epoch_start_ns >= 0;
}

// Workers that stay only hear of the new epoch in iter(), where the loader is the same. Of those of
// which it is not known, a later iter() says it.
bool starts_workers(const ExternalWindow& w) {
  return w.workers > 0 && (!w.external.persistent_workers.value_or(false) ||
                           find_remade(w.external, place_of_loader(w.external)));
}

std::optional<double> epoch_start_cost(const ExternalWindow& w) {
  const ExternalFacts& e = w.external;
  if (!starts_workers(w) || !w.batches_an_epoch) return std::nullopt;
  const auto ns = epoch_ended(w)         ? e.epoch_start_ns
                  : e.persistent_workers ? e.workers_start_ns
                                         : std::nullopt;
  if (!ns || *ns < 0) return std::nullopt;
  // Workers that start while others already make batches cost less.
  const auto& gap = w.facts.epochs.gap_ns;
  const std::int64_t costs = epoch_ended(w) && gap && *gap >= 0 ? std::min(*ns, *gap) : *ns;
  return static_cast<double>(costs) * 1e-6 / *w.batches_an_epoch;
}

std::optional<double> epoch_gap_cost(const ExternalWindow& w) {
  const auto& gap = w.facts.epochs.gap_ns;
  if (!gap || *gap < 0 || !w.batches_an_epoch) return std::nullopt;
  // Otherwise the start is no finding of its own.
  const std::int64_t start = starts_workers(w) && epoch_ended(w) ? *w.external.epoch_start_ns : 0;
  return std::max(0.0, static_cast<double>(*gap - start) * 1e-6) / *w.batches_an_epoch;
}

// All that begins an epoch.
std::optional<double> beginning_cost(const ExternalWindow& w) {
  const auto start = epoch_start_cost(w);
  const auto& gap = w.facts.epochs.gap_ns;
  if (!gap || *gap < 0 || !w.batches_an_epoch) return start;
  return std::max(start.value_or(0), static_cast<double>(*gap) * 1e-6 / *w.batches_an_epoch);
}

bool most_in_iter(const ExternalWindow& w) {
  return !starts_workers(w) && epoch_ended(w) &&
         *w.external.epoch_start_ns > w.facts.epochs.gap_ns.value_or(0) / 2;
}

// Of "Python 3.14.0, torch 2.9.0": 14; 0: not known.
int python_minor(std::string_view versions) {
  constexpr std::string_view kPython = "Python 3.";
  int minor = 0;
  if (versions.starts_with(kPython))
    std::from_chars(versions.data() + kPython.size(), versions.data() + versions.size(), minor);
  return minor;
}

// Adds the way in which workers are started.
void add_start(const ExternalFacts& e, ExternalFinding& found) {
  found.forked = e.start_method == "fork";
  if (!found.forked) found.started_by = e.start_method;
  found.default_start = e.start_method == "forkserver" && python_minor(e.versions) >= 14;
}

ExternalFinding at_epochs(ExternalFinding found, const ExternalScene& scene) {
  const ExternalWindow last = scene.trial.last_window();
  found.batches_an_epoch = last.batches_an_epoch.value_or(0);
  found.first_epoch = !epoch_ended(last);
  found.persistent = last.external.persistent_workers.value_or(false);
  if (const auto* remade = find_remade(last.external, place_of_loader(last.external)))
    found.numbers = remade->numbers;
  found.in_iter = most_in_iter(last);
  add_start(last.external, found);
  // A gap without workers to start is of what begins an epoch.
  found.where = found.workers > 0 ? place_of_loader(last.external) : last.external.getitem_where;
  return found;
}

std::optional<ExternalFinding> part_of_beginning(ExternalFault fault, const ExternalScene& scene,
                                                 const LoaderTrials::Number& part_ms) {
  const auto found = costing_once(fault, scene, part_ms);
  const Measured all = scene.trial.mean(beginning_cost);
  if (!found || !all || all->value < kFairPart * (found->step_ms->value + all->value))
    return std::nullopt;
  return at_epochs(*found, scene);
}

}  // namespace

std::optional<ExternalFinding> epoch_startup(const ExternalScene& scene) {
  return part_of_beginning(ExternalFault::epoch_startup, scene, epoch_start_cost);
}

std::optional<ExternalFinding> epoch_gap(const ExternalScene& scene) {
  return part_of_beginning(ExternalFault::epoch_gap, scene, epoch_gap_cost);
}

}  // namespace benchbench
