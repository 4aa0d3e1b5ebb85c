// What a cold trial needs of its data set.
#pragma once
#include <cstdint>

namespace benchbench {

// Batches of each epoch that a cold trial cannot count: those made ahead of the eviction (max_jobs;
// 0 without workers), and what lies between the queue and the step (`trainer_holds`, and the one in
// hand).
constexpr std::uint64_t cold_batches_uncounted(std::uint64_t ahead,
                                               std::uint64_t trainer_holds) noexcept {
  return ahead + trainer_holds + 1;
}
// Fewest batches of an epoch with which a cold trial measures anything: one burst of them
// (measure_limits.h).
constexpr std::uint64_t cold_batches_needed(std::uint64_t ahead, std::uint64_t trainer_holds,
                                            std::uint64_t burst) noexcept {
  return cold_batches_uncounted(ahead, trainer_holds) + burst;
}

// A window of cold data is proven to be cold where at most so much was in memory before, of warm
// data to be warm where at least so much was.
inline constexpr double kMaxResidentCold = 0.01;
inline constexpr double kMinResidentWarm = 0.98;

}  // namespace benchbench
