// Nights on which the machine itself was another: its canaries moved.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace benchbench {

// With fewer nights before, nothing is said of a canary.
inline constexpr std::size_t kCanaryNights = 3;
// Nights that moved in a row: the machine stays so, and what follows begins anew.
inline constexpr std::size_t kNewMachineNights = 10;

// The canaries of one night: series' digest -> value.
using Canaries = std::map<std::string, double>;

struct CanaryNight {
  bool moved = false;
  // This night is the last of kNewMachineNights that moved: from here on the machine is what it is.
  bool new_machine = false;
  std::string series;  // that moved most; empty where none did
  double ratio = 1;    // of that one to its median before
};

// Nights in order. A canary is compared with its median over the last 30 nights that had not moved.
std::vector<CanaryNight> judge_canaries(const std::vector<Canaries>& nights);

}  // namespace benchbench
