// Which point to use, with what certainty.
#pragma once
#include "harness/analysis/choice/against_base.h"

namespace benchbench {

// Why a point is the one to use.
enum class Choice : std::uint8_t {
  only_one,  // no other point could be compared with the base
  // The base: none is shown to be faster, and some might be; `detectable` would have been shown.
  no_difference_shown,
  base_is_best,  // the base: every other is shown to be slower or the same
  faster,        // shown to be faster than the base
  cheaper,       // within 2 % of the base, as shown, with fewer workers or less memory
};
template <>
inline constexpr auto kWordsOf<Choice> = std::to_array<std::string_view>(
    {"only one", "no difference shown", "base is best", "faster", "cheaper"});

// The point to use: the cheapest (fewest workers, then least memory) within 2 % of the fastest that
// is shown to be faster than the base or equal to the fastest. The largest of many ratios is larger
// than its point's true one: from five rounds on the intervals that decide are those of all
// comparisons together (paired.h).
struct Recommended {
  std::uint32_t point = 0;
  Choice choice = Choice::only_one;
  // Mode of the rates that were compared: the pipeline's, else the loader's, else the trainer's.
  Mode mode = Mode::pipeline;
  // Points other than the base, of the same job (choice/another_job.h).
  std::uint32_t compared = 0;
  // Points of another job than the base's, whatever their rates.
  std::uint32_t other_jobs = 0;
  std::uint32_t fastest = 0;          // the point that `point` may be the cheaper one of
  Paired over_base;                   // of `point`
  std::optional<std::uint32_t> next;  // the fastest of the others
  Paired over_next;  // of `fastest` over it: not_shown means that it is no winner over that one
  // For no_difference_shown alone; nullopt where a setting ran in one round only.
  std::optional<double> detectable;
  Paired fastest_over;  // of `fastest` over `point`, where they are two
};

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
