#include "harness/trial/readings/clock_slew.h"

#include <ctime>
#include <limits>

namespace benchbench {
namespace {

// A thread may be interrupted between two readings; of so many tries one is not.
constexpr int kTries = 8;

std::optional<std::int64_t> read_clock(clockid_t clock) noexcept {
  timespec t{};
  if (clock_gettime(clock, &t) != 0) return std::nullopt;
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

std::optional<ClockPair> read_clock_pair() noexcept {
  ClockPair best;
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const auto before = read_clock(CLOCK_MONOTONIC);
    const auto raw = read_clock(CLOCK_MONOTONIC_RAW);
    const auto after = read_clock(CLOCK_MONOTONIC);
    if (!before || !raw || !after) return std::nullopt;
    if (*after - *before >= min) continue;
    min = *after - *before;
    best = {*before + min / 2, *raw};
  }
  return best;
}

std::optional<double> clock_slew_ppm(const ClockPair& before, const ClockPair& after) noexcept {
  const std::int64_t raw = after.raw - before.raw;
  if (raw <= 0) return std::nullopt;
  return static_cast<double>(after.monotonic - before.monotonic - raw) / static_cast<double>(raw) *
         1e6;
}

}  // namespace benchbench
