// How a DataLoader's workers hand batches over, recomputed from what their batches took.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/part/external_facts.h"
#include "harness/record/resolved_settings.h"

namespace benchbench {

// In ms. `all`: in the order in which they were handed out; of a stream each worker has its own.
struct MadeTimes {
  std::vector<std::vector<double>> of_each;
  std::vector<double> all;
  bool streams = false;
};
inline constexpr std::size_t kLeastMadeTimes = 32;
// Returns times in ms, each longer by `more`, and none below 0.
std::vector<double> times_in_ms(const std::vector<std::int64_t>& ns, double more = 0);
// nullopt: fewer than kLeastMadeTimes, or a worker that has none though it is no stream's.
std::optional<MadeTimes> made_times(const ExternalFacts& facts);

struct DeliverySettings {
  std::uint32_t workers = 1;   // of a stream as many as were recorded
  std::uint32_t prefetch = 2;  // batches asked for ahead of each
  bool in_order = true;
  // PyTorch's: in order workers take turns, else the one with the fewest batches outstanding gets
  // the next.
  std::optional<Dispatch> dispatch = {};
  // Batches asked for and not got, of all workers together; 0: workers x prefetch.
  std::uint32_t max_jobs = 0;
};
// The mean step, in ms, of a trainer that takes `trainer_ms` for one batch after another, from the
// first again after the last. At most max_jobs batches are asked for and not got; each that is got
// asks for one more: ready[k] = p[k] + max(ready[its worker's last], asked[k]), got[k] =
// max(got[k-1] + c[k-1], ready[k]). A batch takes what it took when it was recorded, whatever
// number of workers there are. A request that all workers share goes to the one that is free first.
double delivered_step_ms(const MadeTimes& made, const DeliverySettings& settings,
                         std::span<const double> trainer_ms);
inline double delivered_step_ms(const MadeTimes& made, const DeliverySettings& settings,
                                double trainer_ms) {
  return delivered_step_ms(made, settings, std::span(&trainer_ms, 1));
}

}  // namespace benchbench
