// Whether the instrument itself is biased: over months changes for the worse and for the better
// should both come.
#pragma once
#include <cstddef>
#include <span>
#include <utility>

namespace benchbench {

inline constexpr std::size_t kSelfCheckNights = 60;
// One in 1,000 such histories of an unbiased instrument.
inline constexpr double kSelfCheckP = 0.001;

struct SelfCheck {
  std::size_t worse = 0, better = 0;
  double p = 1;  // two-sided sign test
  // True if p is under kSelfCheckP over at least kSelfCheckNights: ten of ten in one direction are
  // the first.
  bool biased = false;
};

// Of one machine's changes, not of series: several series that change in one night for one reason
// are one change, so that `worse` and `better` count nights with changes in one direction only.
SelfCheck self_check(std::span<const std::pair<std::size_t, bool>> first_night_and_worse,
                     std::size_t nights);

}  // namespace benchbench
