// The end of a whole comparison, from which `compare`'s exit code follows. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/analysis/compare/comparison_findings.h"
#include "harness/analysis/compare/confirmation.h"
#include "harness/analysis/compare/gates.h"

namespace benchbench {

struct GatedComparison {
  ComparisonFindings found;
  std::vector<GateResult> gates;
  std::optional<Confirmation> confirmation;  // nullopt: nothing was run again
};

// The strongest first.
enum class CompareOutcome : std::uint8_t {
  nothing_usable,  // a side without a VALID or NOISY trial
  regression,      // a gate is broken, and not by an alert that a second run did not confirm
  inconclusive,    // not comparable, or some gate has nothing that could be judged
  passed,
};
template <>
inline constexpr auto kWordsOf<CompareOutcome> =
    std::to_array<std::string_view>({"nothing_usable", "regression", "inconclusive", "passed"});
CompareOutcome outcome_of(const GatedComparison& comparison);

// The alert that a gate is broken by, where --confirm has run it again; else null.
const SlowerAlert* alert_at(const GatedComparison& comparison, const BrokenGate& broken);
// No second run has taken it back.
bool stands(const GatedComparison& comparison, const BrokenGate& broken);

}  // namespace benchbench
