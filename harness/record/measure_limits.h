// What a measured window must reach: the one table for those who plan, run and judge.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
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

// How much the step time may change across a steady window, as a share of its mean. Storage drifts
// more than arithmetic, and a trial whose loader reads a data set is one of storage until shown
// otherwise.
constexpr double slope_limit(bool reads_dataset) noexcept { return reads_dataset ? 0.10 : 0.05; }

}  // namespace benchbench
