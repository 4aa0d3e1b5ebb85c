// The faults that are put in on purpose, and the scenarios they are put into: data.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/part/component.h"
#include "harness/selftest/mock_scenario.h"

namespace benchbench::selftest {

// A scenario in which what a mock can take costs something, and whose binding side is known, before
// and after any one component is made free: so that a fault on that side costs what it is made to
// cost, and none is bounded.
enum class Ground : std::uint8_t {
  // Two workers, in order, round robin; a step of 1 ms waits for them, the trainer needs 0.35 ms.
  loader,
  // A step of 1 ms is the trainer's, the loader needs 0.3 ms.
  trainer,
  // A step of 1 ms is an emulated accelerator's: a copy of 0.2 ms, then 20 kernels; the loader
  // needs 0.08 ms.
  device,
};
inline constexpr std::size_t kGrounds = 3;
std::string_view name_of(Ground ground) noexcept;

// `noise`: the sigma of the logarithm of every time of every sample, batch and step; 0 for exact
// times.
Given ground_settings(Ground ground, double noise);

// How one setting says how large a fault is.
// slowdown: its value at rest, a bandwidth, over 1 + size.
enum class Dial : std::uint8_t { milliseconds, factor, slowdown };

struct InjectedFault {
  std::string_view name;  // a row of the confusion matrix
  std::string_view told;  // what is done, in words
  Component component;    // what is to be named
  Ground ground;
  std::string_view key;  // set to at_rest + size, or as the dial says
  double at_rest;        // its value in the ground
  Dial dial = Dial::milliseconds;
  std::pair<std::string_view, std::string_view> also = {};  // a second setting; empty key for none
};

// Those of the self-test, in the order of the matrix.
std::span<const InjectedFault> injected_faults() noexcept;
const InjectedFault* find_fault(std::string_view name) noexcept;

// What a fault of this size sets.
Given fault_settings(const InjectedFault& fault, double size);

}  // namespace benchbench::selftest
