#include "harness/app/compare/turns.h"

#include <algorithm>
#include <iterator>

#include "harness/analysis/compare/clean_pairs.h"
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
  std::vector<PlannedRun> again = runs_of_round(a.plan, 0);
  if (!are_alike(again, runs_of_round(b.plan, 0))) return {};
  std::erase_if(again, [&](const PlannedRun& run) {
    return settled_pairs(run, of_a.of(run.trial), of_b.of(run.trial)) >= a.plan.rounds;
  });
  for (PlannedRun& run : again) run.round = round;
  return again;
}

}  // namespace benchbench
