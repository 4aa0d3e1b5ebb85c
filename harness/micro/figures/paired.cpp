#include "harness/micro/figures/paired.h"

namespace benchbench::micro {

std::vector<std::vector<double>> in_rounds(int rounds, std::span<const Side> sides) {
  std::vector<std::vector<double>> times(sides.size());
  for (const Side& side : sides) side();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t turn = 0; turn < sides.size(); ++turn) {
      const std::size_t side = (turn + static_cast<std::size_t>(round)) % sides.size();
      times[side].push_back(sides[side]());
    }
  return times;
}

std::vector<double> ratios_of(std::span<const double> over, std::span<const double> under) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < over.size(); ++i) ratios.push_back(over[i] / under[i]);
  return ratios;
}

}  // namespace benchbench::micro
