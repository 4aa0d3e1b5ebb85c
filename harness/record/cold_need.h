// What a cold trial needs of its data set.
#pragma once
#include <cstdint>

namespace benchbench {

// Batches of each epoch that a cold trial cannot count: those made ahead of the eviction (max_jobs;
// 0 without workers), what is between the queue and the step (`trainer_holds`, and the one in
// hand), and the rest to the middle of a burst (measure_limits.h), where windows begin.
constexpr std::uint64_t cold_batches_uncounted(std::uint64_t ahead, std::uint64_t trainer_holds,
                                               std::uint64_t burst = 1) noexcept {
  const std::uint64_t behind = trainer_holds + 1, middle = (burst + 1) / 2;
  return ahead + behind + (middle + burst - behind % burst) % burst;
}
// Fewest batches of an epoch with which a cold trial measures anything: one burst of them.
constexpr std::uint64_t cold_batches_needed(std::uint64_t ahead, std::uint64_t trainer_holds,
                                            std::uint64_t burst) noexcept {
  return cold_batches_uncounted(ahead, trainer_holds, burst) + burst;
}

// A window of cold data is proven to be cold where at most so much was in memory before, of warm
// data to be warm where at least so much was.
inline constexpr double kMaxResidentCold = 0.01;
inline constexpr double kMinResidentWarm = 0.98;

}  // namespace benchbench
