#include "harness/pipeline/sampling/shuffle_quality.h"

#include <cmath>

namespace benchbench {
namespace {

constexpr std::size_t kMaxPlaces = 1'000'000;

}  // namespace

std::optional<ShuffleQuality> quality_of(std::span<const SampleId> order, std::uint64_t all) {
  if (order.size() < 2 || all < 2) return std::nullopt;
  const double places = static_cast<double>(order.size()), samples = static_cast<double>(all);
  const std::size_t stride = (order.size() + kMaxPlaces - 1) / kMaxPlaces;
  double away = 0;  // in shares of an epoch
  std::size_t looked = 0, pairs = 0, together = 0;
  for (std::size_t i = 0; i < order.size(); i += stride, ++looked) {
    away += std::abs((static_cast<double>(i) + 0.5) / places -
                     (static_cast<double>(order[i]) + 0.5) / samples);
    if (i + 1 == order.size()) continue;
    ++pairs;
    together += order[i + 1] == order[i] + 1;
  }
  // The mean of |i - j| over all pairs of n places is (n² - 1) / 3n.
  const double random = (1 - 1 / (samples * samples)) / 3;
  return ShuffleQuality{.displacement = away / static_cast<double>(looked) / random,
                        .together = static_cast<double>(together) / static_cast<double>(pairs)};
}

}  // namespace benchbench
