// What the records say beside the rates: stalls, probes, and the trainer with a loader beside it.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// nullopt where no record looked at its steps one by one.
std::optional<StallFindings> stalls_seen(std::span<const JudgedRecord> records);

// The least steady class of the usable ones; empty where none says.
SteadinessKind least_steady(std::span<const JudgedRecord> records);

// By name, over all usable records: the mean over their samples, the least and the most of all;
// "measured" where one of them is, with what was lost counted.
std::vector<ProbeFacts> probes_of(std::span<const JudgedRecord> records);

// Returns the mean over the records that know it, INVALID ones among them: a busy machine may have
// made them so. nullopt where none does, as in virtual time.
std::optional<CoresUsed> cores_used(std::span<const JudgedRecord> records);

// From the point's extra "on_device" and its trainer's rounds; nullopt without a round of both.
std::optional<BatchOnDevice> batch_on_device_of(const Point& point, const JudgedTrials& trials);

// From the point's extra "beside" and its trainer's rounds; nullopt without a round of both.
std::optional<Interference> interference_of(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
