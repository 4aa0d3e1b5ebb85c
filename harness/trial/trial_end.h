// The end of a trial: its workers stop, and what only then can be read is read.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/trial_record.h"
#include "harness/series/step_series.h"
#include "harness/trial/trial_parts.h"

namespace benchbench {

struct TrialEnd {
  QueueFacts queue;
  AccountingFacts accounting;
  EpochFacts epochs;
  ContentFacts content;
  std::optional<std::uint64_t> bytes_loaded, bytes_expected;
  ShuffleFacts shuffle;
  std::string loader_note;
  MockTime loader_mock, trainer_mock;
  std::optional<ExternalResult> external;  // of a loader or trainer in a process of its own
  bool timed = false;                      // observer level 1 or 2: there are series
  // The window's steps, also of one that was not finished; their ends alone at observer level 0.
  StepSeries series;
  std::map<std::string, std::vector<std::int64_t>> more_series;  // single values, trace
  ProbeResults probes;
  DeviceTraits device;
  std::optional<GpuFacts> gpu;  // of the window; nullopt where no process used a card
};

// The notice of a loader whose samples cannot be accounted for.
std::string not_accounted(const std::string& loader);

// After a trial of any outcome, once its parts are made; never inside a catch, since ending workers
// may park.
TrialEnd end_trial(const TrialContext& context, TrialParts& parts,
                   std::vector<std::string>& notices);

}  // namespace benchbench
