// A stretch, and what was seen of its processes meanwhile, as the record of a trial. Pure.
#pragma once
#include <optional>

#include "harness/app/wrap/wrap_plan.h"
#include "harness/record/trial_record.h"
#include "harness/trial/external/tree_watch.h"
#include "harness/trial/readings/resources.h"
#include "harness/trial/trial_probes.h"

namespace benchbench {

struct SeenStretch {
  WrapStretch stretch;
  std::string started_at;              // of its end
  std::optional<TreeSeen> tree;        // while it was measured
  std::optional<MemoryGrowth> memory;  // until its end
  std::optional<ResourceUse> used;
  ProbeResults probes;  // of the card that its steps ran on; none of the machine's
  std::optional<std::int64_t> took_ns = {};  // of --tune: with all since the stretch before
};

// The trial and the planned run that a record is of.
struct StretchPlace {
  const Trial& trial;
  PlannedRun run;
};

// `end`: of the process, null where it said none. The device that steps ran on is known to be
// there, whatever else is seen of it.
TrialRecord record_of(const Plan& plan, const SeenStretch& seen, const WrapPlanned& planned,
                      const WrapEnd* end, const Environment& environment);
// The same of any trial of the plan.
TrialRecord record_of(const Plan& plan, const StretchPlace& place, const SeenStretch& seen,
                      const WrapPlanned& planned, const WrapEnd* end,
                      const Environment& environment);

double measured_ns(const ExternalResult& result) noexcept;  // of its segments
double rate_of(const ExternalResult& result);  // samples/s over its segments, 0 without time

}  // namespace benchbench
