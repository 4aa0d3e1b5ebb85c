// The part of making a batch in the user's own code that takes most.
#pragma once
#include <optional>
#include <string_view>

#include "harness/analysis/external/external.h"

namespace benchbench {

struct CostliestPart {
  std::string_view name;       // "getitem", "collate", "handover" or "pin"
  double ms = 0;               // a batch
  bool without_waits = false;  // `ms` leaves out waits for a core
};

// Returns the costliest part. A hand-over is billed without what waited for a core meanwhile: all
// of the main process's wait, and its part of the workers'. It is no candidate at kSendingMs and
// kReceivingMs together, as fewer bytes would change nothing. nullopt where nothing was measured,
// or where no part is half of the hand-over with its waits.
std::optional<CostliestPart> find_costliest_part(const ExternalPoint& seen);

}  // namespace benchbench
