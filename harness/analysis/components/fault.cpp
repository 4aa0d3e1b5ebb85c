#include "harness/analysis/components/fault.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/statistics/difference.h"

namespace benchbench {
namespace {

constexpr double kWholeOfTiny = 4.0 / 3.0;  // four times the batch leaves a quarter
// Exact times have intervals of no width: the last digit tells nothing apart.
constexpr double kRounding = 1e-9;

// How two runs are compared.
struct Comparing {
  Rounds rounds = Rounds::apart;
  double scale = 1;        // of the suspect's times
  double comparisons = 1;  // intervals that share the errors

  // nullopt where they have no round in common, or one no round at all. Without `earlier` that is 0
  // in every round.
  Measured growth(const ByRound& later, const ByRound* earlier) const {
    const Shift shift = shift_over(later, earlier);
    return shift.n > 0 ? Measured(shift.interval(kErrors / comparisons)) : std::nullopt;
  }

 private:
  Shift shift_over(const ByRound& later, const ByRound* earlier) const {
    ByRound own = later;
    for (auto& [round, ms] : own) ms *= scale;
    if (!earlier) return shift_of_pairs(values_in(own));
    return rounds == Rounds::shared ? shift_of_pairs(differences_within(*earlier, own))
                                    : shift_of_sets(values_in(*earlier), values_in(own));
  }
};

const Recovered* find(const Substitutions& s, Component c) {
  for (const Recovered& r : s.components)
    if (r.component == c && r.planned) return &r;
  return nullptr;
}

bool is_general(const Recovered& r) {
  return r.derived || r.component == Component::tiny_batch || r.component == Component::order;
}

// Four thirds of it, but no more than the step grew by.
void extend_tiny(Estimate& ms, double step_growth) {
  const double most = std::max(ms.value, step_growth);
  const double factor = ms.value > 0 ? std::min(kWholeOfTiny, most / ms.value) : 1;
  ms = scaled(ms, factor);
}

// Work done once a batch that has a component of its own: four times the batch thins it out as
// well.
bool once_a_batch(Component c) {
  return c == Component::lock || c == Component::sync || c == Component::postprocess ||
         c == Component::checkpoint || c == Component::launch;
}

void leave_to_its_own(std::vector<Growth>& growths) {
  double others = 0;
  for (const Growth& g : growths)
    if (once_a_batch(g.component)) others += std::max(0.0, g.ms.value);
  for (Growth& g : growths)
    if (g.component == Component::tiny_batch)
      g.ms = {g.ms.value - others, g.ms.low - others, g.ms.high - others, g.ms.n};
}

std::vector<Growth> growths_of(const Substitutions& base, const Substitutions& suspect,
                               Comparing comparing, double step_growth) {
  comparing.comparisons = static_cast<double>(std::max<std::ptrdiff_t>(
      1, std::ranges::count_if(suspect.components,
                               [](const Recovered& r) { return r.ms.has_value(); })));
  std::vector<Growth> growths;
  for (const Recovered& later : suspect.components) {
    const Recovered* earlier = find(base, later.component);
    const Measured ms =
        comparing.growth(later.ms_by_round, earlier ? &earlier->ms_by_round : nullptr);
    if (!ms) continue;
    Growth g;
    g.component = later.component;
    g.ms = *ms;
    if (g.component == Component::tiny_batch) extend_tiny(g.ms, step_growth);
    g.bounded = later.bounded;
    g.general = is_general(later);
    growths.push_back(g);
  }
  leave_to_its_own(growths);
  for (Growth& g : growths) g.share = g.ms.value / (suspect.step_ms->value * comparing.scale);
  std::ranges::stable_sort(
      growths, [](const Growth& a, const Growth& b) { return a.ms.value > b.ms.value; });
  return growths;
}

bool has_grown(const Growth& g) {
  return decide(g.ms, g.share, min_share(g.ms.n)) == Difference::faster;
}

// Those that satisfy `better` alone, where there are any.
template <class Better>
void prefer(std::vector<const Growth*>& growths, Better better) {
  if (std::ranges::none_of(growths, [&](const Growth* g) { return better(*g); })) return;
  std::erase_if(growths, [&](const Growth* g) { return !better(*g); });
}

// The largest that has grown enough and those it cannot be told from, by what they say.
std::vector<const Growth*> suspects(const std::vector<Growth>& growths) {
  std::vector<const Growth*> alike;
  for (const Growth& g : growths)
    if (has_grown(g) && (alike.empty() || g.ms.high >= alike.front()->ms.low * (1 - kRounding)))
      alike.push_back(&g);
  prefer(alike, [](const Growth& g) { return !g.bounded; });
  prefer(alike, [](const Growth& g) { return !g.bounded && !g.general; });
  return alike;
}

}  // namespace

Fault name_fault(const Substitutions& base, const Substitutions& suspect, Rounds rounds) {
  Fault fault;
  if (!base.step_ms || !suspect.step_ms) return fault;
  const double scale = base.batch > 0 && suspect.batch > 0 ? base.batch / suspect.batch : 1;
  const Comparing comparing{rounds, scale, 1};
  const Measured step = comparing.growth(suspect.step_ms_by_round, &base.step_ms_by_round);
  if (!step || step->n < 2) return fault;
  fault.step_growth_ms = step;
  fault.growths = growths_of(base, suspect, comparing, step->value);
  if (fault.growths.empty()) return fault;
  const auto alike = suspects(fault.growths);
  fault.naming = alike.empty() ? Naming::none : alike.size() > 1 ? Naming::tie : Naming::one;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, alike.size()); ++i)
    fault.named.push_back(alike[i]->component);
  return fault;
}

}  // namespace benchbench
