// Which point to use, with what certainty.
#pragma once
#include "harness/analysis/choice/against_base.h"

namespace benchbench {

// Two settings this close are equally good, and the cheaper one is used.
inline constexpr double kAsGood = 0.98;
// With as many workers as the base, a point is the cheaper one below this share of its memory.
inline constexpr double kLessMemory = 0.9;

// nullopt where the base has no usable rate.
std::optional<Recommended> recommended_point(const Plan& plan, const std::vector<PointFindings>& points,
                                             const AgainstBase& against);

// The point that may be called the best one; nullopt where no difference is shown (Findings::best).
std::optional<std::uint32_t> best_of(const std::optional<Recommended>& recommended, std::size_t points) noexcept;

}  // namespace benchbench
