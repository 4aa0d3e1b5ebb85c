#include "harness/app/wrap/wrap_record.h"

#include <fmt/format.h>

#include "harness/app/wrap/wrap_words.h"
#include "harness/core/error.h"
#include "harness/trial/external/external_trial_facts.h"

namespace benchbench {
namespace {

ExternalWay way_of(WrapKind kind) {
  return kind == WrapKind::full ? ExternalWay::all_there : kind == WrapKind::trainer ? ExternalWay::replayed : ExternalWay::self_timed;
}

// What is seen once a script holds for all its stretches.
void add_known_in_the_end(ExternalResult& result, WrapKind kind, const WrapEnd& end) {
  ExternalFacts& facts = result.facts;
  const ExternalFacts& known = end.facts;
  facts.cpu_count = known.cpu_count;
  facts.threads = known.threads;
  facts.shm_free_bytes = known.shm_free_bytes;
  facts.shm_bytes = known.shm_bytes;
  if (kind == WrapKind::trainer) return;
  facts.start_method = known.start_method;
  facts.workers_start_ns = known.workers_start_ns;
  facts.epoch_start_ns = known.epoch_start_ns;
  facts.direct_ns = known.direct_ns;
  facts.same_draws = known.same_draws;
  result.epochs = end.epochs;
  result.epoch_gap_ns = end.epoch_gap_ns;
  result.notices.insert(result.notices.end(), end.notes.begin(), end.notes.end());
}

// Without what the loader did: it did nothing.
void drop_loader(ExternalFacts& facts) {
  facts.getitem = facts.collate = facts.handover = facts.pin = std::nullopt;
  facts.workers.clear();
}

std::uint32_t workers_of(const Plan& plan) {
  const SettingsMap& settings = plan.points.front().settings;
  return settings.has("loader.num_workers") ? static_cast<std::uint32_t>(settings.integer("loader.num_workers")) : 0;
}

ExternalTrial trial_seen(const SeenStretch& seen, const WrapEnd* end, const Plan& plan) {
  ExternalTrial t;
  const WrapStretch& stretch = seen.stretch;
  t.way = way_of(stretch.kind);
  t.num_workers = stretch.kind == WrapKind::trainer ? 0 : workers_of(plan);
  t.run = stretch.result;
  if (end) add_known_in_the_end(*t.run, stretch.kind, *end);
  if (stretch.kind == WrapKind::trainer) drop_loader(t.run->facts);
  t.tree = seen.tree;
  if (stretch.kind == WrapKind::full) t.memory = seen.memory;
  t.used = seen.used;
  t.notices = t.run->notices;
  if (stretch.kind == WrapKind::trainer && !stretch.idle) t.notices.push_back("the workers had not come to rest when this stretch began");
  return t;
}

}  // namespace

TrialRecord record_of(const Plan& plan, const SeenStretch& seen, const WrapPlanned& planned, const WrapEnd* end, const Environment& environment) {
  TrialRecord record;
  record.trial = trial_of(plan, seen.stretch.kind);
  record.planned = {record.trial.index, seen.stretch.round, 0};
  record.started_at = seen.started_at;
  record.environment = environment;
  if (!planned.device_name.empty()) record.environment.cuda = fmt::format("{} ({}, as the script's torch says)", planned.device_name, planned.device);
  const auto runtime = make_real_runtime(Nanoseconds{0});
  const ExecutorContext executor{built_in_catalog(), environment, {}, {}, false, nullptr, {}};
  const ResolvedSettings settings = resolve(record.trial.settings);
  const TrialContext context{record.trial, settings, executor, *runtime, {}, seen.stretch.round};
  ExternalTrial trial = trial_seen(seen, end, plan);
  if (planned.device != "cpu" && seen.stretch.kind != WrapKind::loader) trial.notices.push_back(fmt::format("steps ran on {}: {}", planned.device, kUntriedDevice));
  record.facts = facts_of(context, trial);
  record.raw_series = series_of(context, trial);
  return record;
}

}  // namespace benchbench
