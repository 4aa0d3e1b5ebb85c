#include "harness/analysis/external/costliest_part.h"

#include <algorithm>

#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

double waited_in_hand_over_ms(const ExternalPoint& seen) {
  const double hand_over = seen.handover_ms.value_or(0),
               made = seen.getitem_ms.value_or(0) + seen.collate_ms.value_or(0) + hand_over;
  if (!(hand_over > 0)) return 0;
  return std::min(hand_over, seen.core_wait_main_ms.value_or(0) +
                                 seen.core_wait_loader_ms.value_or(0) * hand_over / made);
}

}  // namespace

std::optional<CostliestPart> find_costliest_part(const ExternalPoint& seen) {
  std::optional<CostliestPart> most;
  const auto add = [&](std::string_view name, const std::optional<double>& ms, double waited) {
    if (ms && (!most || *ms - waited > most->ms)) most = {name, *ms - waited, waited > 0};
  };
  add("getitem", seen.getitem_ms, 0);
  add("collate", seen.collate_ms, 0);
  const double waited = waited_in_hand_over_ms(seen);
  if (seen.handover_ms.value_or(0) - waited > kSendingMs + kReceivingMs)
    add("handover", seen.handover_ms, waited);
  add("pin", seen.pin_ms, 0);
  if (most && most->ms < kMostOfIt * seen.handover_ms.value_or(0)) return std::nullopt;
  return most;
}

}  // namespace benchbench
