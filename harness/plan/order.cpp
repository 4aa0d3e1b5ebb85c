#include "harness/plan/order.h"

#include <algorithm>

#include "harness/core/random.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::uint64_t kOrder = 0x6f72646572;  // apart from every other use of the seed

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

using Group = std::vector<std::uint32_t>;  // trials that run side by side

Group list_trials(const Point& point) {
  Group group;
  for (const auto& [mode, trial] : point.trials) group.push_back(trial);
  for (const auto& [ablation, trial] : point.ablations) group.push_back(trial);
  return group;
}

// One group a point that has something left to run.
std::vector<Group> groups_of_round(const std::vector<Point>& points,
                                   const std::vector<Trial>& trials, std::uint32_t anchor,
                                   Random& random) {
  std::vector<const Point*> order;
  for (const Point& point : points) order.push_back(&point);
  shuffle(order, random);
  std::vector<bool> done(trials.size(), false);
  if (anchor != kNoAnchor) done[anchor] = true;
  const auto is_left = [&](std::uint32_t trial) {
    const bool left = !done[trial] && !trials[trial].skip;
    done[trial] = true;
    return left;
  };
  std::vector<Group> groups;
  for (const Point* point : order) {
    Group group = list_trials(*point);
    std::erase_if(group, [&](std::uint32_t trial) { return !is_left(trial); });
    shuffle(group, random);
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

// The gap between groups that is nearest to the middle of the round's trials.
std::size_t middle_gap(const std::vector<Group>& groups) {
  std::size_t all = 0;
  for (const Group& g : groups) all += g.size();
  std::size_t before = 0, best = 0, best_off = all;
  for (std::size_t gap = 0; gap <= groups.size(); ++gap) {
    const std::size_t off = 2 * before > all ? 2 * before - all : all - 2 * before;
    if (off < best_off) best = gap, best_off = off;
    if (gap < groups.size()) before += groups[gap].size();
  }
  return best;
}

}  // namespace

std::uint32_t choose_anchor(const std::vector<Point>& points, const std::vector<Trial>& trials) {
  const auto& of_base = points.front().trials;
  const auto runs = [&](const auto& t) { return !trials[t.second].skip; };
  auto found = std::ranges::find_if(
      of_base, [&](const auto& t) { return t.first == Mode::trainer && runs(t); });
  if (found == of_base.end()) found = std::ranges::find_if(of_base, runs);
  return found == of_base.end() ? kNoAnchor : found->second;
}

namespace {

// Adds the groups, with the anchor before, in the middle of and behind them.
void add_round(const std::vector<Group>& groups, std::uint32_t anchor, std::uint32_t round,
               std::vector<PlannedRun>& runs) {
  const std::size_t middle = middle_gap(groups);
  const auto put_anchor = [&](std::uint32_t repeat) {
    if (anchor != kNoAnchor) runs.push_back({anchor, round, repeat});
  };
  put_anchor(0);
  for (std::size_t g = 0; g <= groups.size(); ++g) {
    if (g == middle) put_anchor(1);
    if (g < groups.size())
      for (const std::uint32_t trial : groups[g]) runs.push_back({trial, round, 0});
  }
  put_anchor(2);
}

}  // namespace

std::vector<PlannedRun> make_order(const std::vector<Point>& points,
                                   const std::vector<Trial>& trials, std::uint32_t anchor,
                                   std::uint32_t rounds, std::uint64_t seed) {
  std::vector<PlannedRun> runs;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    Random random(mix_seed(seed, kOrder, round));
    add_round(groups_of_round(points, trials, anchor, random), anchor, round, runs);
  }
  return runs;
}

TrialCount trial_count_of(const Plan& plan) {
  TrialCount count;
  for (const Trial& trial : plan.trials) {
    count.skipped += trial.skip.has_value();
    if (!trial.skip) count.runs_a_round += trial.index == plan.anchor ? kAnchorRuns : 1;
  }
  return count;
}

std::uint32_t max_rounds(const Plan& plan) {
  const SettingsMap& base = plan.scenario.base;
  if (!base.has(keys::measure.stop_at) || !base.has(keys::measure.max_rounds)) return plan.rounds;
  return std::max(plan.rounds, base.get(keys::measure.max_rounds));
}

}  // namespace benchbench
