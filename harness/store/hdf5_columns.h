// Records as columns: one value a record.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

struct StoredColumn {
  std::string name;
  std::string unit;  // "ns", "s", "samples", "bytes", "share", "count", "1"
  std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>> values;
};

// /trials: who the record is, how it ended, and every scalar of its facts; NaN is "not measured".
std::vector<StoredColumn> trial_columns(std::span<const TrialRecord> records);
// /settings: the canonical text of each key any record has, empty where a record lacks it.
std::vector<StoredColumn> setting_columns(std::span<const TrialRecord> records);

}  // namespace benchbench
