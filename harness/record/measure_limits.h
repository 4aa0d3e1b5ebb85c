// Limits that a measured window must reach: the one place for those who plan, run and judge.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

#include "harness/core/units.h"

namespace benchbench {

// Least window of a class of measure.class.
struct WindowClass {
  std::string_view name;
  Nanoseconds window;
  std::int64_t batches;
};
inline constexpr std::array kWindowClasses{
    WindowClass{"normal", std::chrono::seconds{1}, 5},
    WindowClass{"gate", std::chrono::seconds{10}, 100},
    WindowClass{"selftest", std::chrono::milliseconds{200}, 100},
    WindowClass{"stretch", std::chrono::milliseconds{100}, 4}};

// "normal" where `name` is none of them.
constexpr const WindowClass& window_class(std::string_view name) noexcept {
  for (const WindowClass& c : kWindowClasses)
    if (c.name == name) return c;
  return kWindowClasses.front();
}

// Batches that arrive together, one of each worker that can be at work. `shared_rows`: those of a
// batch that all workers fill, 0 where each fills whole batches. Arrivals of constant times are
// alike after so many, whatever the dispatch, so that a window of a multiple of them has the rate
// itself.
constexpr std::uint64_t burst_size(std::uint64_t workers, std::uint64_t max_jobs,
                                   std::uint64_t shared_rows = 0) noexcept {
  if (workers < 2) return 1;
  if (shared_rows > 0) return max_jobs * shared_rows < workers ? max_jobs : workers;
  return std::max<std::uint64_t>(1, std::min(workers, max_jobs));
}

// Fewest bursts of a window.
inline constexpr std::uint64_t kLeastBursts = 2;

// Fewest batches of a window that asks for `batches`, of which `burst` arrive together.
constexpr std::uint64_t whole_bursts(std::uint64_t batches, std::uint64_t burst,
                                     std::uint64_t least = kLeastBursts) noexcept {
  if (burst < 2) return batches;
  return (std::max(batches, least * burst) + burst - 1) / burst * burst;
}

// Most batches that measure.window_batches may ask for.
inline constexpr std::uint64_t kMostWindowBatches = 1'000'000'000;

// How soon bursts and what comes once in a number of steps repeat together.
struct Repeat {
  std::uint64_t steps = 1;  // a multiple of the burst
  bool whole = true;        // false: a period was left out, and a window may hold a part of it
};

// Returns the fewest steps after which bursts of `burst` and what comes once in each of `periods`
// steps repeat together: a window of a multiple of them holds each as often as it should, wherever
// it begins. The periods are taken in their order, and one that would make the steps more than
// `most` is left out.
constexpr Repeat steps_to_repeat(std::uint64_t burst, std::span<const std::uint64_t> periods,
                                 std::uint64_t most) noexcept {
  Repeat repeat{std::max<std::uint64_t>(1, burst)};
  for (const std::uint64_t period : periods) {
    const std::uint64_t times = period / std::gcd(repeat.steps, period);
    if (times == 1 || times <= most / repeat.steps)
      repeat.steps *= times;
    else
      repeat.whole = false;
  }
  return repeat;
}

// Returns the time that a window may take so as to end with whole periods: ten windows, but at most
// half the time limit, and at least a window and a quarter, so that a long one can end with a short
// period too.
constexpr Nanoseconds room_for_periods(Nanoseconds window, Nanoseconds timeout) noexcept {
  constexpr std::int64_t kWindows = 10;
  const Nanoseconds most = timeout / 2;
  return std::max(window + window / 4, window > most / kWindows ? most : window * kWindows);
}

// How much the step time may change across a steady window, as a share of its mean. Storage drifts
// more than arithmetic, and a trial whose loader reads a data set is one of storage until shown
// otherwise.
constexpr double slope_limit(bool reads_dataset) noexcept { return reads_dataset ? 0.10 : 0.05; }

}  // namespace benchbench
