// What became of the alerts of a comparison when their points ran again.
#pragma once
#include <array>
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
inline constexpr auto kWordsOf<AlertState> =
    std::to_array<std::string_view>({"confirmed", "unconfirmed", "kept"});

// A comparison that is SLOWER.
struct SlowerAlert {
  std::size_t point = 0, metric = 0;  // of ComparisonFindings::points, and of its metrics
  AlertState state = AlertState::kept;
  Judged again = Judged::invalid;  // the second run's judgement
  Measured change = {};            // the second run's
};

struct Confirmation {
  bool interleaved = false;  // both sides ran again, in turn
  std::string why_alone;     // B alone ran again, against the stored A: why A did not
  std::string failure;  // why there was no second run, or none that can be used; empty otherwise
  std::vector<SlowerAlert> alerts;
};

std::vector<SlowerAlert> alerts_of(const ComparisonFindings& findings);
// Alerts of `first` by what `second`, a comparison of runs of the same plans, says of the same
// trials.
void settle(std::vector<SlowerAlert>& alerts, const ComparisonFindings& first,
            const ComparisonFindings& second);

}  // namespace benchbench
