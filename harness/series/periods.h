// Do some steps of a series come at a period?
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace benchbench {

// Returns the value in the middle, the later one of two, and puts the values in another order. At
// least one.
double middle_of(std::span<double> values);

// The steps' usual length and how far it spreads. Of long series every so many steps are looked at.
struct Usual {
  double median = 0;
  double mad = 0;  // median distance from the median
};
Usual usual_of(std::span<const std::int64_t> series);

// Of the positions, ascending, of steps that stand out in a series of `length`: the period at which
// they come, in steps; 0 where they come at none. At least four at the exact period, of five
// chances four kept, most of the positions among them and over at least half of the series; or six
// where each may come 2 % early or late, as what goes by the clock does. Some positions that belong
// to nothing do no harm.
double period_of(std::span<const std::uint64_t> positions, std::uint64_t length);

// The same where no step stands out, as when every second one is slow: the period p from 2 to 32
// that explains, by the mean of each of its phases, at least half of what the series varies by. 0
// where none does.
double folded_period(std::span<const double> series);

}  // namespace benchbench
