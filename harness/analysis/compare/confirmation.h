// What became of the alerts of a comparison when their points ran again.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/compare/comparison_findings.h"

namespace benchbench {

enum class AlertState : std::uint8_t {
  confirmed,    // SLOWER again
  unconfirmed,  // not SLOWER again
  kept,         // the second run could not say: the alert stays
};
template <>
inline constexpr auto kWordsOf<AlertState> = std::to_array<std::string_view>({"confirmed", "unconfirmed", "kept"});

// A comparison that is SLOWER.
struct SlowerAlert {
  std::size_t point = 0, metric = 0;  // of ComparisonFindings::points, and of its metrics
  AlertState state = AlertState::kept;
  Judged again = Judged::invalid;     // the second run's judgement
  Measured change;                    // the second run's
};

struct Confirmation {
  bool interleaved = true;  // else B ran again alone, against the stored A
  std::string why_alone;    // why A was not run again
  std::string failure;      // why the second run ended without records; empty: it did not
  std::vector<SlowerAlert> alerts;
};

std::vector<SlowerAlert> alerts_of(const ComparisonFindings& findings);
// Alerts of `first` by what `second`, a comparison of runs of the same plans, says of the same trials.
void settle(std::vector<SlowerAlert>& alerts, const ComparisonFindings& first, const ComparisonFindings& second);

}  // namespace benchbench
