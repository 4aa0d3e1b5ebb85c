// Facts of the records apart from the rates: stalls, probes, and the trainer while a loader runs.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/estimate.h"

namespace benchbench {

// Steps far beyond the usual, over all usable rounds of a point's pipeline.
struct StallFindings {
  std::uint64_t count = 0, steps = 0;  // stalls, of so many steps
  double share = 0;  // of the windows' time, beyond what usual steps would have taken
  double longest_ms = 0;
  std::optional<StallCause> cause;  // what cost most
  double period_steps = 0;          // they come every so many steps; 0: at no period
};

// The cores that were kept busy, on average over windows, and by whom. A program may use a core
// that no trial wants.
struct CoresUsed {
  double ours = 0, others = 0;  // of the process tree; of other programs
  double most = 0;              // of other programs, in one window
  double cpus = 0;              // that the trials may use
  // The share of the time in which a thread of ours was ready to run and had no core, since another
  // one of ours or another program had it: of the thread for which that is the largest.
  std::optional<double> no_core_share;
};

// The trainer alone, and while a loader runs whose batches are dropped, within rounds.
struct Interference {
  Measured ratio;  // its rate next to the loader over its rate alone; under 1, it is slowed
  Measured background_rate;  // samples/s of the trainer
  Measured loader_rate;      // samples/s of the loader, meanwhile
};

// The trainer with a batch that is on its device already, and with the copy of each batch, within
// rounds.
struct BatchOnDevice {
  Measured rate;   // samples/s without copies
  Measured ratio;  // over the trainer's rate with them; over 1, what they cost it
};

// nullopt where no record looked at its steps one by one.
std::optional<StallFindings> stalls_seen(JudgedRecords records);

// The least steady class of the usable ones; empty where none says.
SteadinessKind least_steady(JudgedRecords records);

// By name, over all usable records: the mean over their samples, the least and the most of all;
// "measured" where one of them is, with what was lost counted.
std::vector<ProbeFacts> probes_of(JudgedRecords records);

// Returns the mean over the records that know it, INVALID ones among them: a busy machine may have
// made them so. nullopt where none does, as in virtual time.
std::optional<CoresUsed> cores_used(JudgedRecords records);

// From the point's ablation "on_device" and its trainer's rounds; nullopt without a round of both.
std::optional<BatchOnDevice> batch_on_device_of(const Point& point, const JudgedTrials& trials);

// From the point's interference ablation and its trainer's rounds; nullopt without a round of both.
std::optional<Interference> interference_of(const Point& point, const JudgedTrials& trials);

// Returns the mean wait of a worker per step for a lock that all share, over all usable rounds of
// the pipeline; nullopt where its loader meters none.
std::optional<double> lock_wait_ms(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
