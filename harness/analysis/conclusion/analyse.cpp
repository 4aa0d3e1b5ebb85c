#include "harness/analysis/conclusion/analyse.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/analysis/choice/axis_effects.h"
#include "harness/analysis/choice/recommended.h"
#include "harness/analysis/components/advice.h"
#include "harness/analysis/components/recovered.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/depth/depth.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/metrics/metric.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/anchor_runs.h"
#include "harness/analysis/summary/beside_the_run.h"
#include "harness/analysis/summary/gain.h"
#include "harness/analysis/summary/gpu_seen.h"
#include "harness/analysis/summary/nearest_ceiling.h"
#include "harness/analysis/summary/page_faults.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/analysis/summary/problems.h"
#include "harness/analysis/summary/timelines.h"
#include "harness/analysis/summary/warnings.h"
#include "harness/core/contains.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Points without a side to look for (skipped, modes left out) do not count.
bool is_indicative(const std::vector<PointFindings>& points) {
  const auto judged = [](const PointFindings& p) { return p.rounds > 0; };
  return std::ranges::none_of(points, judged) ||
         std::ranges::any_of(points,
                             [&](const PointFindings& p) { return judged(p) && !is_firm(p); });
}

void add_note(std::vector<std::string>& notes, const std::string& note) {
  if (!note.empty() && !contains(notes, note)) notes.push_back(note);
}

void add_surroundings(const JudgedTrials& trials, Findings& out) {
  const JudgedRecord* shown = nullptr;
  for (const JudgedRecord& judged : trials.all()) {
    const Facts& f = judged.record->facts;
    if (judged.usable() && !judged.bound)
      out.overhead_share = std::max(out.overhead_share, f.instrument.overhead_share);
    out.simulated |= f.simulated;
    add_note(out.loader_notes, f.parts.loader_note);
    if (!shown || (!shown->usable() && judged.usable())) shown = &judged;
  }
  if (shown) out.environment = shown->record->environment;
}

// The best point, what axes gave, and the step of the best point or else of the base.
void add_choice(const Plan& plan, const JudgedTrials& trials, double floor, Findings& out) {
  const AgainstBase against = compare_with_base(plan, out.points, trials, floor, out.simulated);
  out.recommended = recommended_point(plan, out.points, against);
  out.best = best_of(out.recommended, plan.points.size());
  out.axes = axis_effects(plan, out.points, against);
  out.compared_mode = against.mode;
  out.over_base = over_base(against);
}

// Each point's step, and the one to be told by itself: of the best point or else of the base.
void add_steps(const Plan& plan, const JudgedTrials& trials, Findings& out) {
  for (const Point& point : plan.points) {
    auto step = step_identity(point, trials);
    if (!step) continue;
    if (point.index == out.best.value_or(0)) out.identity = *step;
    out.steps.push_back(std::move(*step));
  }
}

// Of the base's data set and trainer, from the first record that says it.
void add_subject(const Point& base, const JudgedTrials& trials, Findings& out) {
  for (const auto& [mode, trial] : base.trials)
    for (const JudgedRecord& judged : trials.of(trial)) {
      const Facts& f = judged.record->facts;
      if (!out.epoch_samples) out.epoch_samples = f.epochs.samples;
      if (mode != Mode::loader && out.trainer_parameters == 0)
        out.trainer_parameters = f.parts.trainer_parameters;
    }
  // Records of before they said it.
  const std::int64_t made = base.settings.integer_or("dataset.synthesize.samples", 0);
  if (!out.epoch_samples && made > 0 && !base.settings.given(keys::dataset.path))
    out.epoch_samples = static_cast<std::uint64_t>(made);
}

void add_base(const Point& base, const JudgedTrials& trials, Findings& out) {
  add_subject(base, trials, out);
  out.substitutions = substitutions_of(base, trials);
  out.timelines = timelines_of(base, trials);
  out.loader_work = loader_work_of(base, trials);
  out.interference = interference_of(base, trials);
  out.batch_on_device = batch_on_device_of(base, trials);
  out.gpu = see_gpu(base, trials);
  out.ceilings = nearest_ceilings(base, trials);
  const auto pipeline = trials.of(trial_of(base, Mode::pipeline));
  out.probes = probes_of(pipeline);
  out.cores = cores_used(pipeline);
}

void add_advice(const Point& base, const Catalog& catalog, double cores, Substitutions& out) {
  if (out.bound_by.empty()) return;
  out.advice = advise(out.bound_by.front(), {base.settings, catalog, cores},
                      contains(out.bound_by, Component::lock));
}

constexpr std::size_t kFaultsKept = 32;

// Rounds that measure.stop_at made needless are not missed: those beyond `rounds` that never began.
std::uint32_t missing_slots(const Plan& plan, const JudgedTrials& trials) {
  std::set<PlannedRun> seen;
  std::uint32_t begun = plan.scenario.base.has(keys::measure.stop_at) ? plan.rounds : ~0u;
  for (const JudgedRecord& j : trials.all()) {
    seen.insert(j.record->planned);
    begun = std::max(begun, j.record->planned.round + 1);
  }
  return static_cast<std::uint32_t>(std::ranges::count_if(plan.order, [&](const PlannedRun& s) {
    return s.trial < plan.trials.size() && !plan.trials[s.trial].skip && s.round < begun &&
           !seen.contains(s);
  }));
}

// Counts trials by status, of those planned; `trials_missing` are those without a record.
void count_trials(const Plan& plan, const JudgedTrials& trials, Findings& out) {
  for (const JudgedRecord& judged : trials.all())
    ++out.trials[static_cast<std::size_t>(judged.status)];
  for (const Trial& trial : plan.trials)
    if (trial.skip && trials.of(trial.index).empty())
      ++out.trials[static_cast<std::size_t>(Status::skipped)];
  out.trials_recorded = static_cast<std::uint32_t>(trials.all().size());
  out.trials_missing = missing_slots(plan, trials);
}

// Distinct faulty samples by id, most kFaultsKept; warnings after errors.
std::map<std::uint64_t, FaultySample> faults_by_id(const JudgedTrials& trials) {
  std::map<std::uint64_t, FaultySample> by_id;
  for (const JudgedRecord& judged : trials.all())
    for (const FaultySample& sample : judged.record->facts.content.faults) {
      const auto [at, fresh] = by_id.try_emplace(sample.id, sample);
      if (!fresh && at->second.kind == FaultKind::warning) at->second = sample;
    }
  return by_id;
}

void collect_faults(const JudgedTrials& trials, Findings& out) {
  for (auto& [id, sample] : faults_by_id(trials)) {
    if (sample.kind != FaultKind::warning) ++out.faulty_samples;
    out.faults.push_back(std::move(sample));
  }
  std::ranges::stable_partition(out.faults,
                                [](const FaultySample& f) { return f.kind != FaultKind::warning; });
  if (out.faults.size() > kFaultsKept) out.faults.resize(kFaultsKept);
}

// Adds the findings of the points' trials, each point by itself and all together.
void add_points(const Plan& plan, const JudgedTrials& trials, Findings& out) {
  out.aa_floor = aa_floor(plan, trials);
  const double floor = out.aa_floor ? out.aa_floor->value : 0;
  for (const Point& point : plan.points) {
    out.points.push_back(summarise_point(plan, point, trials, floor));
    out.points.back().from_facts = numbers_from_facts(usable_facts(telling_records(point, trials)));
    if (auto depth = foretold_depth(point, trials)) out.depths.push_back(std::move(*depth));
  }
  out.indicative = is_indicative(out.points);
  add_gains(plan, trials, out.points);
  add_choice(plan, trials, floor, out);
  add_steps(plan, trials, out);
  out.anchor_runs = anchor_runs(plan, trials);
}

// Adds the notes that a reader of the run and of its trials needs.
void add_troubles(const Plan& plan, const JudgedTrials& trials, Findings& out) {
  out.page_faults = costly_page_faults(trials);
  out.alarms = alarms_of(plan, trials);
  out.warnings = warnings_of(plan, trials, out.points);
  out.problems = problems_of(trials);
  out.skips = planned_skips(plan, trials);
  collect_faults(trials, out);
  count_trials(plan, trials, out);
}

}  // namespace

Findings analyse(const Plan& plan, std::span<const TrialRecord> records, const Catalog* catalog) {
  Findings out;
  out.judged = std::make_shared<JudgedTrials>(plan, records);
  const JudgedTrials& trials = *out.judged;
  out.scenario = plan.scenario.name;
  out.question = plan.scenario.question;
  out.source = plan.scenario.source;
  out.rounds = trials.usable_rounds();
  add_surroundings(trials, out);
  add_points(plan, trials, out);
  if (!plan.points.empty()) add_base(plan.points.front(), trials, out);
  if (catalog && out.substitutions)
    add_advice(plan.points.front(), *catalog,
               cores_at(plan.points.front().settings, out.environment.cores_available),
               *out.substitutions);
  out.external = external_findings(plan, trials, out.points,
                                   static_cast<double>(out.environment.memory_bytes), catalog);
  add_troubles(plan, trials, out);
  out.conclusion = conclude(plan, out, catalog);
  return out;
}

}  // namespace benchbench
