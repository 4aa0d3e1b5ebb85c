// What the trials of a run came to, while it goes on: a few numbers, however many they are. The
// records are in its journal.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

class SoFar {
 public:
  // `whole`: the records are needed between rounds, by a stopping rule.
  SoFar(bool whole, std::vector<TrialRecord> before) : whole_(whole) {
    for (TrialRecord& record : before) add(std::move(record));
  }
  void add(TrialRecord record) {
    ++counts_[static_cast<std::size_t>(record.status)];
    last_round_ = record.planned.round;
    if (whole_) records_.push_back(std::move(record));
  }
  // Every trial that ran failed: more rounds would show the same again.
  bool nothing_runs() const {
    const auto count = [this](Status status) { return counts_[static_cast<std::size_t>(status)]; };
    return count(Status::failed) > 0 &&
           count(Status::valid) + count(Status::noisy) + count(Status::invalid) == 0;
  }
  std::uint32_t last_round() const noexcept { return last_round_; }
  const std::vector<TrialRecord>& records() const noexcept { return records_; }

 private:
  const bool whole_;
  std::array<std::uint64_t, 8> counts_{};
  std::uint32_t last_round_ = 0;
  std::vector<TrialRecord> records_;
};

}  // namespace benchbench
