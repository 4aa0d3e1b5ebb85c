#include <algorithm>
#include <set>

#include "harness/analysis/advice.h"
#include "harness/analysis/beside_the_run.h"
#include "harness/analysis/conclusion.h"
#include "harness/analysis/findings.h"
#include "harness/analysis/gain.h"
#include "harness/analysis/judged_trials.h"
#include "harness/analysis/point_summary.h"
#include "harness/analysis/recovered.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/timelines.h"
#include "harness/analysis/problems.h"
#include "harness/analysis/warnings.h"

namespace benchbench {
namespace {

constexpr double kAsGood = 0.98;  // of the best rate: the cheapest setting within 2 % is the best one

std::uint32_t usable_rounds(const JudgedTrials& trials) {
  std::set<std::uint32_t> rounds;
  for (const JudgedRecord& judged : trials.all())
    if (judged.usable()) rounds.insert(judged.record->planned.round);
  return static_cast<std::uint32_t>(rounds.size());
}

bool has_usable_pipeline(const Point& point, const JudgedTrials& trials) {
  const auto trial = trial_of(point, Mode::pipeline);
  return trial && trials.has_usable(*trial);
}

// The cheapest of those within 2 % of the fastest: fewest workers, then least memory, then the faster.
std::optional<std::uint32_t> best_point(const Plan& plan, const JudgedTrials& trials,
                                        const std::vector<PointFindings>& points) {
  double fastest = 0;
  std::vector<std::size_t> able;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].pipeline_rate || !has_usable_pipeline(plan.points[i], trials)) continue;
    able.push_back(i);
    fastest = std::max(fastest, points[i].pipeline_rate->value);
  }
  std::erase_if(able, [&](std::size_t i) { return points[i].pipeline_rate->value < kAsGood * fastest; });
  const auto cost = [&](std::size_t i) {
    return std::tuple(integer_setting(plan.points[i].settings, "loader.num_workers").value_or(0),
                      points[i].peak_memory_bytes.value_or(~std::uint64_t{0}),
                      -points[i].pipeline_rate->value);
  };
  const auto best =
      std::min_element(able.begin(), able.end(), [&](auto a, auto b) { return cost(a) < cost(b); });
  return best == able.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(*best));
}

// Points whose side nobody could look for (skipped, modes left out) do not count.
bool is_indicative(const std::vector<PointFindings>& points) {
  std::uint32_t fewest = 0;
  for (const PointFindings& p : points)
    if (p.rounds > 0 && (fewest == 0 || p.rounds < fewest)) fewest = p.rounds;
  return fewest < kFirmRounds;
}

void add_surroundings(const JudgedTrials& trials, Findings& out) {
  const JudgedRecord* shown = nullptr;
  for (const JudgedRecord& judged : trials.all()) {
    out.overhead_share = std::max(out.overhead_share, judged.record->facts.instrument.overhead_share);
    out.simulated = out.simulated || judged.record->facts.simulated;
    const std::string& note = judged.record->facts.parts.loader_note;
    if (!note.empty() && std::ranges::find(out.loader_notes, note) == out.loader_notes.end()) out.loader_notes.push_back(note);
    if (!shown || (!shown->usable() && judged.usable())) shown = &judged;
  }
  if (shown) out.environment = shown->record->environment;
}

void add_base(const Point& base, const JudgedTrials& trials, Findings& out) {
  out.substitutions = substitutions_of(base, trials);
  out.timelines = timelines_of(base, trials);
  out.loader_work = loader_work_of(base, trials);
  out.interference = interference_of(base, trials);
  if (const auto pipeline = trial_of(base, Mode::pipeline)) out.probes = probes_of(trials.of(*pipeline));
}

void add_advice(const Point& base, const Catalog& catalog, double cores, Substitutions& out) {
  if (out.bound_by.empty()) return;
  const bool locked = std::ranges::find(out.bound_by, Component::lock) != out.bound_by.end();
  out.advice = advise(out.bound_by.front(), {base.settings, catalog, cores}, locked);
}

}  // namespace

Findings analyse(const Plan& plan, std::span<const TrialRecord> records, const Catalog* catalog) {
  const JudgedTrials trials(plan, records);
  Findings out;
  out.scenario = plan.scenario.name;
  out.question = plan.scenario.question;
  out.source = plan.scenario.source;
  out.rounds = usable_rounds(trials);
  add_surroundings(trials, out);
  for (const Point& point : plan.points)
    out.points.push_back(summarise_point(plan, point, trials));
  out.indicative = is_indicative(out.points);
  add_gains(plan, trials, out.points);
  out.best = best_point(plan, trials, out.points);
  if (out.best) out.identity = step_identity(plan.points[*out.best], trials);
  if (!plan.points.empty()) add_base(plan.points.front(), trials, out);
  if (catalog && out.substitutions) add_advice(plan.points.front(), *catalog, out.environment.cores_available, *out.substitutions);
  if (plan.anchor != kNoAnchor) out.aa_floor = repeat_difference(trials.log_rate_repeats(plan.anchor));
  out.warnings = warnings_of(plan, trials, out.points);
  out.problems = problems_of(trials);
  out.skips = planned_skips(plan, trials);
  collect_faults(trials, out);
  count_trials(plan, trials, out);
  out.conclusion = conclude(plan, trials, out);
  return out;
}

}  // namespace benchbench
