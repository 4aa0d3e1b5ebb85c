// A trial's facts from what its phases gave. Pure.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/trial/trial_end.h"
#include "harness/trial/warm_up.h"
#include "harness/trial/window.h"

namespace benchbench {

// What the parts say of themselves, once they are made.
struct PartsMade {
  std::int64_t startup_ns = 0;
  bool reads_dataset = false, mock_loader = false;
  bool own_workers = true;        // the harness's; else the loader has workers of its own
  bool elsewhere = false;         // loader or trainer are in a process of its own
  bool loader_elsewhere = false;  // it is the loader
  bool has_device = false;        // one with memory of its own
  std::string device, device_model;
  std::uint32_t slots = 0;
  std::uint32_t rows_short = 0;  // so many rows fewer has the last batch of an epoch
  std::uint64_t trainer_parameters = 0;
  std::uint64_t checkpoint_bytes = 0;  // of one
  std::string loader_note;
};

// What a trial gave, as far as it came: later phases are absent where an earlier one threw.
struct TrialResult {
  std::optional<PartsMade> made;
  CacheFacts cache;
  FirstBatch first_batch;
  std::optional<WarmUpResult> warm_up;
  std::optional<WindowResult> window;
  std::optional<TrialEnd> end;
  std::vector<std::string> notices;
};

PartsMade facts_of_parts(TrialParts& parts);

// Series are read, and stay with the result.
Facts facts_of(const TrialContext& context, const TrialResult& result);

// Series to be stored: moved out of the result.
std::map<std::string, std::vector<std::int64_t>> series_of(TrialResult& result);

}  // namespace benchbench
