#include "harness/app/compare/turns.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/analysis/compare/clean_pairs.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

bool are_alike(std::span<const PlannedRun> a, std::span<const PlannedRun> b) {
  return std::ranges::equal(a, b, [](const PlannedRun& x, const PlannedRun& y) {
    return x.trial == y.trial && x.repeat == y.repeat;
  });
}

void add_pair(std::vector<Turn>& turns, std::vector<PlannedRun> a, std::vector<PlannedRun> b,
              bool b_first) {
  turns.push_back({b_first, b_first ? b : a});
  turns.push_back({!b_first, b_first ? std::move(a) : std::move(b)});
}

// Returns how many pairs of a run need not run again. A pair that another doubt spoilt is among
// them: it would spoil the next one, too.
std::uint32_t settled_pairs(const PlannedRun& run, std::span<const JudgedRecord> a,
                            std::span<const JudgedRecord> b) {
  std::uint32_t settled = 0;
  for (const JudgedRecord& of_a : a)
    for (const JudgedRecord& of_b : b)
      settled += of_a.record->planned.repeat == run.repeat &&
                 of_b.record->planned.repeat == run.repeat &&
                 of_a.record->planned.round == of_b.record->planned.round &&
                 !is_disturbed_pair(of_a, of_b);
  return settled;
}

bool is_open(const MetricComparison& c, std::span<const Gate> gates) {
  return c.judgement == Judged::unsure && (c.why == Unsure::wide || c.why == Unsure::noisy) &&
         std::ranges::any_of(gates, [&](const Gate& g) { return is_gated_by(g.of, *c.metric); });
}

// Returns the trials of A that give a metric: all of the point where several modes do.
std::set<std::uint32_t> trials_with(const Point& point, const Metric& metric) {
  std::set<std::uint32_t> trials;
  for (const Mode mode : {Mode::pipeline, Mode::loader, Mode::trainer})
    if (const auto trial = trial_of(point, mode); trial && metric.mode().value_or(mode) == mode)
      trials.insert(*trial);
  return trials;
}

// Returns the runs of the first round in their order; none where B has others.
std::vector<PlannedRun> shared_runs(const Plan& a, const Plan& b) {
  std::vector<PlannedRun> runs = runs_of_round(a, 0);
  return are_alike(runs, runs_of_round(b, 0)) ? runs : std::vector<PlannedRun>{};
}

}  // namespace

std::vector<Turn> turns_of(std::span<const PlannedRun> a, std::span<const PlannedRun> b,
                           std::uint64_t seed, std::uint32_t round, bool by_pairs) {
  std::vector<Turn> turns;
  if (!by_pairs || !are_alike(a, b)) {
    add_pair(turns, {a.begin(), a.end()}, {b.begin(), b.end()}, mix_seed(seed, round) % 2 == 1);
    return turns;
  }
  for (std::size_t i = 0; i < a.size(); ++i)
    add_pair(turns, {a[i]}, {b[i]}, mix_seed(seed, round, i) % 2 == 1);
  return turns;
}

std::vector<PlannedRun> runs_of_round(const Plan& plan, std::uint32_t round) {
  std::vector<PlannedRun> out;
  std::ranges::copy_if(plan.order, std::back_inserter(out),
                       [round](const PlannedRun& run) { return run.round == round; });
  return out;
}

std::vector<PlannedRun> runs_again(const ComparedRun& a, const ComparedRun& b,
                                   std::uint32_t round) {
  const JudgedTrials of_a(a.plan, a.records), of_b(b.plan, b.records);
  std::vector<PlannedRun> again = shared_runs(a.plan, b.plan);
  std::erase_if(again, [&](const PlannedRun& run) {
    return settled_pairs(run, of_a.of(run.trial), of_b.of(run.trial)) >= a.plan.rounds;
  });
  for (PlannedRun& run : again) run.round = round;
  return again;
}

std::vector<PlannedRun> open_runs(const ComparedRun& a, const ComparedRun& b,
                                  std::span<const Gate> gates, std::uint32_t round) {
  std::vector<PlannedRun> open = shared_runs(a.plan, b.plan);
  if (open.empty()) return open;
  CompareAsked asked;
  asked.relation = Relation::interleaved;
  const ComparisonFindings found = compare_runs(a, b, asked);
  std::set<std::uint32_t> trials;
  for (const PointComparison& p : found.points)
    for (const MetricComparison& c : p.metrics)
      if (is_open(c, gates)) trials.merge(trials_with(a.plan.points[p.a], *c.metric));
  std::erase_if(open, [&](const PlannedRun& run) { return !trials.contains(run.trial); });
  for (PlannedRun& run : open) run.round = round;
  return open;
}

}  // namespace benchbench
