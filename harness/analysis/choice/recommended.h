// Which point to use, with what certainty.
#pragma once
#include "harness/analysis/choice/against_base.h"

namespace benchbench {

// Two settings are equally good if the faster one is faster by less than kWorth, and the cheaper
// one is used then. Never a repeat of the base's settings. nullopt where the base has no usable
// rate.
std::optional<Recommended> recommended_point(const Plan& plan,
                                             const std::vector<PointFindings>& points,
                                             const AgainstBase& against);

// The point to use, which may not be the fastest (Recommended::over_next); nullopt where no
// difference is shown (Findings::best).
std::optional<std::uint32_t> best_of(const std::optional<Recommended>& recommended,
                                     std::size_t points) noexcept;

}  // namespace benchbench
