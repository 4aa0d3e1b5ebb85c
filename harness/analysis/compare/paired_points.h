// Which point of one plan is which of the other.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

struct PointPair {
  std::uint32_t a = 0, b = 0;  // indices
};
struct PairedPoints {
  std::vector<PointPair> pairs;  // in A's order
  std::vector<std::uint32_t> only_a, only_b;
};

// By equal settings, but for how they were measured (measure.*), for digests of the user's code,
// which are software, and for the keys of `across`, which may differ. A point with several partners
// has the first that is left.
PairedPoints pair_by_settings(const Plan& a, const Plan& b,
                              std::span<const std::string> across = {});
// Throws UsageError for a key of `across` that no point of either plan has, with the nearest one.
void check_across(const Plan& a, const Plan& b, std::span<const std::string> across);
// By their values on the swept axes: of two plans of one scenario file.
PairedPoints pair_by_labels(const Plan& a, const Plan& b);

}  // namespace benchbench
