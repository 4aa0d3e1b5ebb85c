// What kind of a window it was.
#pragma once
#include <cstdint>
#include <span>

#include "harness/core/words.h"

namespace benchbench {

// From the steadiest to the least steady; unknown: too short to say.
enum class SteadinessKind : std::uint8_t { unknown, steady, periodic, slope, unsteady };
template <>
inline constexpr auto kWordsOf<SteadinessKind> =
    std::to_array<std::string_view>({"", "steady", "periodic", "slope", "unsteady"});

struct Steadiness {
  SteadinessKind kind = SteadinessKind::unknown;
  double period_steps = 0;  // of periodic
};

// Fewer steps than these show nothing.
inline constexpr std::size_t kMinForSteadiness = 32;

// Of a window's steps, ns each, in the order they came. All tests are by ranks or medians at 3
// standard errors and more, on means of equally many steps (at most 64 of them), with single steps
// clipped that stand out: what scatters, however widely, is steady; what the machine stalled now
// and then too.
//
// - slope: a trend (Kendall) of at least `limit` across the window, share of its mean, that leaves
//   nothing systematic.
// - unsteady: values that hang together (Bartels' rank test) and wander by at least `limit`: a
//   change of level, a random walk.
// - periodic: neither, and either every k-th step stands out by a tenth of the usual one, or a
//   short cycle explains half of the variance.
// - steady: none of these.
Steadiness steadiness_of(std::span<const std::int64_t> steps, double limit);

}  // namespace benchbench
