// Findings of a loader in the user's Python, from the records.
#pragma once
#include "harness/analysis/external/external_windows.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/part/catalog.h"

namespace benchbench {

// What a fault is looked for in.
struct ExternalScene {
  LoaderTrials trial;
  const PointFindings& point;
  double memory_bytes = 0;  // of the machine; 0: not known
};

// Looks for one fault; nullopt where nothing is wrong, or where it was not measured.
using FaultLook = std::optional<ExternalFinding>(const ExternalScene& scene);
FaultLook idle_workers, copy_on_write, epoch_startup, epoch_gap, in_memory, same_draws,
    uneven_samples;
FaultLook waits_for_cores;  // threads or cpu_limit
// Of a wrapped script, as its own side noticed.
FaultLook snapshots, fork_beside_threads, workers_stay, made_on_device, host_copies, pin_thread,
    outside_steps, iterator_each_step, without_fetch, lock_at_fork;

// The same of a script without a stretch that can be used: those that cost no time.
std::vector<ExternalFinding> findings_without_window(const ExternalPoint& seen);

// Returns what was noticed of a loader, made at this place, whose epochs are of a DataLoader each,
// so that no worker of it can stay. Null: it is none.
const ExternalNoticed* find_remade(const ExternalFacts& e, std::string_view made);

// A finding at its point and mode, with as many workers as were seen.
ExternalFinding finding_of(ExternalFault fault, const ExternalScene& scene);

// A finding with its place, step and cost; nullopt where the cost is not clear of 0 or under
// kWorth.
std::optional<ExternalFinding> costing(ExternalFault fault, const ExternalScene& scene,
                                       const LoaderTrials::Number& ms);

// The same where its number is one of the whole run, as of a wrapped script: rounds do not show how
// far it is certain.
std::optional<ExternalFinding> costing_once(ExternalFault fault, const ExternalScene& scene,
                                            const LoaderTrials::Number& ms);

// `points`: as summarised; of a catalogue, if there is one, also which parts live in a process of
// their own.
ExternalFindings external_findings(const Plan& plan, const JudgedTrials& trials,
                                   const std::vector<PointFindings>& points, double memory_bytes,
                                   const Catalog* catalog);

// Whether the point's loader, or trainer, is over there.
bool loads_over_there(const Point& point, const ExternalFindings& external);
bool trains_over_there(const Point& point, const ExternalFindings& external);

}  // namespace benchbench
