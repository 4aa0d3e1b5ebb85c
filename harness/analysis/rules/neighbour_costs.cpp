#include "harness/analysis/rules/neighbour_costs.h"

#include "harness/analysis/rules/by_others.h"

namespace benchbench::rules {

NeighbourCosts neighbour_costs(const TrialRecord& record) {
  const Facts& f = record.facts;
  const auto others = by_others(record);
  return {others ? others->lost_share : 0, f.cpu.steal_share.value_or(0),
          f.gpu && f.gpu->foreign.value_or(0) > 0};
}

}  // namespace benchbench::rules
