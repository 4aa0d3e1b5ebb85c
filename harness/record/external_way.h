// Which trials have their loader, or their step, in a process of its own, and which of those the
// harness does not schedule.
#pragma once
#include "harness/part/catalog.h"
#include "harness/part/external_facts.h"
#include "harness/record/value.h"

namespace benchbench {

// Of a trial's settings, after substitution; looks the parts up in the catalogue and nothing else.
//
//   loader external x discard                                              self_timed
//   loader external x trainer external                                     all_there
//   cached_batch or rate_limited, made of an external loader's batches
//   (loader.of.use), x trainer external                             replayed
//   any other pair with an external part                                   hand_over
//   no external part                                                       none
//
// A loader that runs beside the trainer (measure.interference) leaves the way as it is.
ExternalWay external_way(const SettingsMap& settings, const Catalog& catalog);

// All that costs time is over there, so that the external executor runs it. Parts that hand batches
// over are loaders and trainers as any other to the threaded one.
constexpr bool runs_externally(ExternalWay way) noexcept {
  return way == ExternalWay::self_timed || way == ExternalWay::all_there ||
         way == ExternalWay::replayed;
}

// Whether a step of such a trial runs in the user's own process, whose threads it has.
bool steps_in_users_process(const SettingsMap& settings, const Catalog& catalog);

}  // namespace benchbench
