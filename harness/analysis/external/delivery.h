// How torch's DataLoader hands batches over, recomputed from what its workers' batches took.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/part/external_facts.h"

namespace benchbench {

// In ms. `all`: in the order in which they were handed out; of a stream each worker has its own.
struct MadeTimes {
  std::vector<std::vector<double>> of_each;
  std::vector<double> all;
  bool streams = false;
};
// nullopt: fewer than 32, or a worker that has none though it is no stream's.
std::optional<MadeTimes> made_times(const ExternalFacts& facts);

struct DeliverySettings {
  std::uint32_t workers = 1;   // of a stream as many as were recorded
  std::uint32_t prefetch = 2;  // batches asked for ahead of each
  bool in_order = true;
};
// The mean step, in ms, of a trainer that takes `trainer_ms` for each batch. Each worker is asked for `prefetch` batches ahead, and for
// one more with each that is delivered; in order, the workers take turns, else the one that delivered gets the next:
// ready[k] = p[k] + max(ready[its last], asked[k]), got[k] = max(got[k-1] + c, ready[k]). A batch takes what it took when it was
// recorded, whatever number of workers there are.
double delivered_step_ms(const MadeTimes& made, const DeliverySettings& settings, double trainer_ms);

}  // namespace benchbench
