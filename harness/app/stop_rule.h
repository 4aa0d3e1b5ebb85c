// When a run with measure.stop_at has seen enough.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/record/trial_record.h"

namespace benchbench {

// Asked as `complete` rounds are done (from plan.rounds on): a line saying why no more are needed, once the 95 % interval
// of every pipeline's rate (of every trial's, where no pipeline is measured) is within measure.stop_at to either side;
// nullopt to go on, and always where the scenario has no stop_at. Only rounds below `complete` count, so that a resumed
// run answers as the first one did. A trial that failed in all but one round is not waited for.
std::optional<std::string> enough_rounds(const Plan& plan, std::span<const TrialRecord> records, std::uint32_t complete);

}  // namespace benchbench
