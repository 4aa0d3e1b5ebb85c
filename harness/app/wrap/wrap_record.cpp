#include "harness/app/wrap/wrap_record.h"

#include <fmt/format.h>

#include "harness/analysis/rates/window_rates.h"
#include "harness/app/wrap/wrap_words.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/record/setting_keys.h"
#include "harness/trial/external/external_trial_facts.h"

namespace benchbench {
namespace {

ExternalWay way_of(WrapKind kind) {
  const Mode mode = mode_of(kind);
  return mode == Mode::pipeline  ? ExternalWay::all_there
         : mode == Mode::trainer ? ExternalWay::replayed
                                 : ExternalWay::self_timed;
}

// A data set may say no length: its epochs are counted as they pass.
void add_epoch_length(ExternalResult& result, std::optional<std::uint64_t> batches) {
  if (!batches || result.facts.epoch_batches || result.steps == 0) return;
  result.facts.epoch_batches = batches;
  result.facts.epoch_samples = *batches * result.samples / result.steps;
}

// True if steps go on without the loader: none of its passes is an epoch of the training.
bool has_no_epochs(const ExternalFacts& process) {
  return contains(process.noticed, "batches without a fetch", &ExternalNoticed::kind);
}

// What is seen once a script holds for all its stretches.
void add_known_in_the_end(ExternalResult& result, WrapKind kind, const WrapEnd& end) {
  ExternalFacts& facts = result.facts;
  const ExternalFacts& process = end.served.facts;
  facts.cpu_count = process.cpu_count;
  facts.threads = process.threads;
  facts.shm_free_bytes = process.shm_free_bytes;
  facts.shm_bytes = process.shm_bytes;
  const bool has_epochs = !has_no_epochs(process);
  if (!has_epochs) facts.epoch_samples = facts.epoch_batches = std::nullopt;
  if (kind == WrapKind::trainer || (is_changed(kind) && !end.changed)) return;
  const WrapServed& served = is_changed(kind) ? *end.changed : end.served;
  const ExternalFacts& known = served.facts;
  facts.start_method = known.start_method;
  facts.workers_start_ns = known.workers_start_ns;
  facts.epoch_start_ns = known.epoch_start_ns;
  facts.direct_ns = known.direct_ns;
  facts.same_draws = known.same_draws;
  facts.noticed = known.noticed;
  if (kind == WrapKind::full) facts.ledger = known.ledger;
  if (has_epochs) add_epoch_length(result, known.epoch_batches);
  result.epochs = served.epochs;
  result.epoch_gap_ns = served.epoch_gap_ns;
  result.epoch_gap_batches = served.epoch_gap_batches;
  if (is_changed(kind)) {
    result.startup_ns = served.startup_ns;
    result.first_batch_ns = served.first_batch_ns;
  }
  result.notices.insert(result.notices.end(), end.notes.begin(), end.notes.end());
}

// Without what the loader did: it did nothing.
void drop_loader(ExternalFacts& facts) {
  facts.getitem = facts.collate = facts.handover = facts.pin = std::nullopt;
  facts.workers.clear();
}

// The script has the very tensors that are held for T, so that what it does to one in place is in
// it when it comes again. Without numbers: they differ from round to round.
constexpr const char* kChanged =
    "the script changes its batches in place: one that comes again in T is as the script left it, "
    "not as the loader made it";

ExternalTrial trial_seen(const SeenStretch& seen, const WrapEnd* end, const Trial& trial,
                         const WrapPlanned& planned) {
  ExternalTrial t;
  const WrapStretch& stretch = seen.stretch;
  t.way = way_of(stretch.kind);
  if (stretch.kind != WrapKind::trainer)
    t.num_workers = trial.settings.get_if(keys::loader.num_workers).value_or(0);
  t.run = stretch.result;
  if (end) add_known_in_the_end(*t.run, stretch.kind, *end);
  if (stretch.kind == WrapKind::trainer) drop_loader(t.run->facts);
  t.tree = seen.tree;
  if (mode_of(stretch.kind) == Mode::pipeline) t.memory = seen.memory;
  t.used = seen.used;
  t.probes = seen.probes;
  if (t.probes.gpu) t.probes.gpu->name = planned.device;
  t.notices = t.run->notices;
  if (stretch.kind == WrapKind::trainer && t.run->facts.changed > 0) t.notices.push_back(kChanged);
  if (stretch.kind == WrapKind::trainer && !stretch.idle)
    t.notices.push_back("the workers had not come to rest when this stretch began");
  return t;
}

// Of one stretch, the first of the script as it is: waits and steps, one after the other. Workers
// are not seen there.
bool is_traced(const Plan& plan, const WrapStretch& stretch) {
  return plan.scenario.base.get_if(keys::measure.trace) == true && stretch.kind == WrapKind::full &&
         stretch.round == 0;
}

}  // namespace

TrialRecord record_of(const Plan& plan, const SeenStretch& seen, const WrapPlanned& planned,
                      const WrapEnd* end, const Environment& environment) {
  const Trial& trial = trial_of(plan, seen.stretch.kind);
  return record_of(plan, {trial, {trial.index, seen.stretch.round, 0}}, seen, planned, end,
                   environment);
}

TrialRecord record_of(const Plan& plan, const StretchPlace& place, const SeenStretch& seen,
                      const WrapPlanned& planned, const WrapEnd* end,
                      const Environment& environment) {
  TrialRecord record;
  record.trial = place.trial;
  record.planned = place.run;
  record.took_ns = seen.took_ns;
  record.started_at = seen.started_at;
  record.environment = environment;
  if (!planned.device_name.empty())
    record.environment.cuda =
        fmt::format("{} ({}, as the script's torch says)", planned.device_name, planned.device);
  const auto runtime = make_real_runtime(Nanoseconds{0});
  const ExecutorContext executor{built_in_catalog(), environment, {}, {}, false, nullptr, {}};
  ResolvedSettings settings = resolve(record.trial.settings);
  settings.measure.trace = is_traced(plan, seen.stretch);
  const TrialContext context{record.trial, settings, executor, *runtime, {}, seen.stretch.round};
  ExternalTrial trial = trial_seen(seen, end, record.trial, planned);
  if (!planned.fewer.empty()) trial.notices.push_back(planned.fewer);
  if (planned.device != "cpu" && seen.stretch.kind != WrapKind::loader)
    trial.notices.push_back(fmt::format("steps ran on {}: {}", planned.device, kUntriedDevice));
  if (seen.stretch.kind == WrapKind::full) {
    if (planned.cycle > 1)
      trial.notices.push_back(fmt::format(
          "the optimizer steps once in {} batches, whose gradients are accumulated: a step here is "
          "one batch",
          planned.cycle));
    if (!planned.why.empty()) trial.notices.push_back(std::string(kOnlyF) + planned.why);
    for (const std::string& why : planned.dropped) trial.notices.push_back("--try: " + why);
  }
  record.facts = facts_of(context, trial);
  record.raw_series = series_of(context, trial);
  return record;
}

double measured_ns(const ExternalResult& result) noexcept {
  double ns = 0;
  for (const auto& [begin, end] : result.segments) ns += static_cast<double>(end - begin);
  return ns;
}

double rate_of(const ExternalResult& result) {
  return samples_per_second(static_cast<double>(result.samples), measured_ns(result));
}

}  // namespace benchbench
