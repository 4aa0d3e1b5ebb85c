// The clock that all times are read from against one that nothing adjusts.
#pragma once
#include <cstdint>
#include <optional>

namespace benchbench {

// CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW at one instant, ns.
struct ClockPair {
  std::int64_t monotonic = 0;
  std::int64_t raw = 0;
};

// The tightest of a few tries, within some 50 ns, about 1 us; nullopt where the machine has no raw
// clock.
std::optional<ClockPair> read_clock_pair() noexcept;

// By how much the monotonic clock ran faster than the raw one between two instants, parts per
// million: a clock that is being set (NTP slews by up to 500) makes every time as wrong. nullopt
// where no time passed.
std::optional<double> clock_slew_ppm(const ClockPair& before, const ClockPair& after) noexcept;

}  // namespace benchbench
