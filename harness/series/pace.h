// How evenly steps follow one another.
#pragma once
#include <cstdint>
#include <span>

namespace benchbench {

// How a stretch of steps begins and ends.
struct Stretch {
  std::uint64_t group = 1;  // steps come in groups of so many
  // The number of first steps that may end before the pace is reached; the last group never does.
  std::uint64_t ahead = 0;
  std::int64_t drained_ns = 0;  // from the last step's end to the stretch's own
};

// Returns how far the ends of steps stray from an even pace, ns. `ends`: of each step, from where
// the first one began. An end is compared only with those at its place in other groups: what they
// are off the pace has a range, and the widest of all places counts; so does what the stretch as a
// whole is longer than its pace makes it. 0 where one group after the other takes the same, however
// uneven the steps within it are; else a stretch that begins or ends elsewhere may take up to so
// much more or less, but never more than all of it. What follows the last whole group is not looked
// at.
std::int64_t pace_range(std::span<const std::int64_t> ends, const Stretch& stretch) noexcept;

}  // namespace benchbench
