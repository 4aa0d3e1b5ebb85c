// What two runs are compared by, and how a trial's record gives it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/core/words.h"
#include "harness/record/trial_record.h"

namespace benchbench {

enum class ComparedMetric : std::uint8_t {
  pipeline_rate,
  loader_rate,
  trainer_rate,
  exposed_wait,
  startup,
  first_batch,
  peak_memory,
};
template <>
inline constexpr auto kWordsOf<ComparedMetric> =
    std::to_array<std::string_view>({"pipeline_rate", "loader_rate", "trainer_rate", "exposed_wait",
                                     "startup", "first_batch", "peak_memory"});

// What a gate is of: rates together, the others each.
enum class MetricKind : std::uint8_t { rate, wait, startup, first_batch, memory };

struct MetricRow {
  ComparedMetric metric;
  MetricKind kind;
  // The mode of the trial; nullopt: the first of pipeline, loader and trainer that both sides have.
  std::optional<Mode> mode;
  std::string_view unit;                         // "samples/s", "ms", "bytes"
  std::optional<double> (*value)(const Facts&);  // in that unit
};
// By ComparedMetric, in its order.
std::span<const MetricRow> compared_metrics() noexcept;
const MetricRow& row_of(ComparedMetric metric) noexcept;
inline bool is_rate(ComparedMetric metric) noexcept {
  return row_of(metric).kind == MetricKind::rate;
}

}  // namespace benchbench
