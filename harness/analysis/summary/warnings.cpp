#include "harness/analysis/summary/warnings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/analysis/summary/beside_the_run.h"
#include "harness/analysis/summary/page_faults.h"
#include "harness/analysis/summary/shared_process.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Axes whose point is how the data lies or is read. Not an emulated storage: it costs the same
// wherever the bytes come from.
bool is_storage_axis(std::string_view key) {
  constexpr std::array<std::string_view, 6> keys{"dataset",          keys::dataset.format,
                                                 keys::dataset.path, keys::loader.access,
                                                 "loader.shuffle",   "loader.io"};
  return contains(keys, key);
}

std::optional<Warnings::Storage> storage_not_compared(const Plan& plan,
                                                      const std::vector<PointFindings>& points) {
  Warnings::Storage storage;
  for (const Axis& axis : plan.scenario.axes)
    if (is_storage_axis(axis.key)) storage.axes.push_back(axis.key);
  for (const PointFindings& p : points)
    if (p.cache_share)
      storage.from_cache = std::min(storage.from_cache.value_or(1), *p.cache_share);
  if (storage.axes.empty() || storage.from_cache.value_or(1) < 1 - kFromDevice) return std::nullopt;
  return storage;
}

// Each text once, in the order first told.
std::vector<Warnings::Notice> notices_of(const JudgedTrials& trials) {
  std::vector<Warnings::Notice> told;
  std::set<std::uint32_t> ran;
  for (const JudgedRecord& judged : trials.all()) {
    const std::uint32_t trial = judged.record->planned.trial;
    ran.insert(trial);
    for (const std::string& text : judged.record->facts.notices) {
      auto at = std::ranges::find(told, text, &Warnings::Notice::text);
      if (at == told.end()) at = told.insert(told.end(), {text, {}});
      if (at->trials.empty() || at->trials.back() != trial) at->trials.push_back(trial);
    }
  }
  for (Warnings::Notice& n : told) n.all = n.trials.size() == ran.size() && n.trials.size() > 1;
  return told;
}

// Of stalls that come at a period their cause is known, and can be moved: less often, or off the
// trainer's thread.

std::optional<Warnings::PeriodicStalls> periodic_stalls(const std::vector<PointFindings>& points) {
  std::optional<Warnings::PeriodicStalls> found;
  double worst = 0;
  for (const PointFindings& p : points) {
    if (!p.pipeline_rate) continue;  // a loader by itself stalls no training
    if (!p.stalls || p.stalls->period_steps <= 0 || p.stalls->share < kNextToNothing) continue;
    if (!found) found = Warnings::PeriodicStalls{};
    ++found->points;
    if (p.stalls->share > worst) found->point = p.point, worst = p.stalls->share;
  }
  return found;
}

struct MockSums {
  std::int64_t asked_ns = 0, taken_ns = 0;
  std::uint64_t pieces = 0;
  double over() const noexcept {
    return static_cast<double>(taken_ns) / static_cast<double>(asked_ns);
  }
};

// By trial, over its usable rounds; without those that have none.
std::map<std::uint32_t, MockSums> mock_sums(const JudgedTrials& trials,
                                            MockFacts PartFacts::* side) {
  std::map<std::uint32_t, MockSums> sums;
  for (const JudgedRecord& judged : trials.all()) {
    const MockFacts& mock = judged.record->facts.parts.*side;
    if (!judged.usable() || mock.asked_ns <= 0 || mock.pieces == 0) continue;
    MockSums& sum = sums[judged.record->planned.trial];
    sum.asked_ns += mock.asked_ns;
    sum.taken_ns += mock.taken_ns;
    sum.pieces += mock.pieces;
  }
  return sums;
}

std::optional<Warnings::LateMock> late_mock(const JudgedTrials& trials, bool trainer) {
  std::optional<Warnings::LateMock> late;
  double worst = 0;
  for (const auto& [trial, sum] :
       mock_sums(trials, trainer ? &PartFacts::trainer_mock : &PartFacts::loader_mock)) {
    if (sum.over() <= 1 + kNextToNothing) continue;
    if (!late) late = Warnings::LateMock{.trainer = trainer};
    ++late->trials;
    if (sum.over() <= worst) continue;
    worst = sum.over();
    late->trial = trial;
    late->asked_ms = 1e-6 * static_cast<double>(sum.asked_ns) / static_cast<double>(sum.pieces);
    late->taken_ms = 1e-6 * static_cast<double>(sum.taken_ns) / static_cast<double>(sum.pieces);
  }
  return late;
}

std::vector<Warnings::LateMock> late_mocks(const JudgedTrials& trials) {
  std::vector<Warnings::LateMock> late;
  for (const bool trainer : {false, true})
    if (const auto found = late_mock(trials, trainer)) late.push_back(*found);
  return late;
}

}  // namespace

std::optional<CoresUsed> other_programs_seen(const JudgedTrials& trials) {
  const auto used = cores_used(trials.all());
  const bool some = used && used->others > std::min(kFairPart * used->cpus, kCoresOfDaemons);
  return some ? used : std::nullopt;
}

Warnings warnings_of(const Plan& plan, const JudgedTrials& trials,
                     const std::vector<PointFindings>& points) {
  return {storage_not_compared(plan, points),
          notices_of(trials),
          periodic_stalls(points),
          late_mocks(trials),
          unlike_repeats(trials),
          other_programs_seen(trials),
          static_cast<std::uint32_t>(trials.foreign()),
          unlike_in_shared_process(trials),
          is_shared_unchecked(trials)};
}

}  // namespace benchbench
