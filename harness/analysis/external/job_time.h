// The time of a wrapped script's job, divided: within training steps, and outside of them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/part/external_facts.h"

namespace benchbench {

// A part that is outside of the training steps.
struct JobPart : ExternalSpent {
  double seconds = 0;
  double share = 0;  // of the job's time
  // It came twice and more since the training's first step, all of the job was seen, or it begins
  // an epoch whose length is known: then it is known how often it comes.
  bool comes_again = false;
};

// The time that comes again and again: what comes once, before the training's first step, is apart.
// Shares are of `seconds`.
struct JobTime {
  double seconds = 0, once_seconds = 0;
  double step_share = 0, wait_share = 0;  // within training steps: the waits for their batches
  double outside_share = 0;
  double rate = 0;                 // samples/s over `seconds`
  double rate_with_start = 0;      // and over all, as the script itself would print it
  double seconds_a_sample = 0;     // outside of the steps
  double rate_of_steps = 0;        // samples/s over the steps and their waits alone
  std::vector<JobPart> outside;    // largest first
  std::vector<ExternalSpent> all;  // everything that was seen, in the order in which it was said
};

// The beginning or the end of a pass over a loader.
bool is_at_edge(const ExternalSpent& spent);

// nullopt where no batch was counted, or no time passed. `samples_a_batch` > 0. Of a job that was
// seen in parts, epochs begin by chance more or less often: where it is known how many batches one
// has, as often as that many say.
std::optional<JobTime> divide_job(const ExternalLedger& ledger, double samples_a_batch,
                                  std::optional<double> batches_an_epoch = {});

// The share outside of the steps that comes again: how often what came once will come is unknown.
double share_again(const JobTime& job);
// True if more of the job's time is lost outside of its steps, again and again, than they wait for
// batches. Each epoch has a beginning, and jobs save: under a twentieth is as usual.
bool loses_outside(const JobTime& job);
// The share that comes again and is not of the beginnings of the training's own epochs.
double share_beside_epochs(const JobTime& job);
// The largest part of that. There is one where the share is above 0.
const JobPart& largest_beside_epochs(const JobTime& job);

// The cost of starting, preparing and ending the workers of a loader that does not train, for each
// pass over it, in one part: persistent_workers saves it. nullopt where other parts cost more, or
// where there was one pass alone.
std::optional<JobPart> find_started_workers(const JobTime& job);

}  // namespace benchbench
