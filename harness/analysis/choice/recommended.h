// Which point to use, with what certainty.
#pragma once
#include "harness/analysis/choice/against_base.h"

namespace benchbench {

// Where the faster of two settings is faster by less than 2 % they are equally good, and the
// cheaper one is used.
inline constexpr double kAsGood = 1 / 1.02;
// Of those that are as cheap and slower by no more, the one that differs from the base on the
// fewest axes is used, then the one that holds the fewest batches.
inline constexpr double kNoMatter = 0.005;
// With as many workers as another, a point is the cheaper one below this share of its memory.
inline constexpr double kLessMemory = 0.9;

// Never a repeat of the base's settings. nullopt where the base has no usable rate.
std::optional<Recommended> recommended_point(const Plan& plan,
                                             const std::vector<PointFindings>& points,
                                             const AgainstBase& against);

// The point to use, which may not be the fastest (Recommended::over_next); nullopt where no
// difference is shown (Findings::best).
std::optional<std::uint32_t> best_of(const std::optional<Recommended>& recommended,
                                     std::size_t points) noexcept;

}  // namespace benchbench
