// The warm-up, and when it ends.
#pragma once
#include <cstdint>
#include <optional>

#include "harness/series/step_trace.h"
#include "harness/trial/data_cache.h"

namespace benchbench {

struct WarmUpLimits {
  std::optional<Nanoseconds> fixed = std::nullopt;  // this long, whatever the steps do
  Nanoseconds window{0};
  // From the first step; else the largest of 2 windows, 10 steps and 3 bursts past those
  // prefetched, which are few enough to need no cap of their own.
  std::optional<Nanoseconds> cap = std::nullopt;
  std::uint64_t prefetched = 1;  // steps that may run on batches made before the first step
  std::uint64_t least = 0;       // steps, whatever the other limits say
  std::uint64_t burst = 1;       // batches that arrive together
  double slope = 0.05;           // the largest share that counts as steady
};

// Decides when the warm-up ends. The steps that the first fill of the queue feeds are never looked
// at: they show the trainer alone. After them, blocks of a quarter of a window and at least 3
// bursts, until one has no slope.
class WarmUp {
 public:
  explicit WarmUp(const WarmUpLimits& limits) noexcept : limits_(limits) {}
  // After each step. True: the window may begin. `shows`: it was fed by a batch that was made when
  // it was asked for.
  bool done_after(Nanoseconds step, bool shows = true) noexcept;
  bool steady() const noexcept { return steady_; }
  std::uint64_t steps() const noexcept { return steps_; }
  Nanoseconds time() const noexcept { return time_; }

 private:
  bool is_steady_after(Nanoseconds step) noexcept;
  bool capped() const noexcept;
  bool may_end_after(Nanoseconds step, bool shows) noexcept;

  WarmUpLimits limits_;
  StepTrace block_;
  std::uint64_t looked_at_ = 0;  // steps past the prefetched ones, and how long they took
  Nanoseconds looked_at_time_{0};
  Nanoseconds burst_time_{0};  // of the burst that is being looked at
  std::uint64_t steps_ = 0;
  Nanoseconds time_{0};
  bool steady_ = false;
};

// Whether batches come from workers in a process of its own, as in PyTorch: one of each in turn,
// often in bursts.
bool in_groups(const TrialParts& parts) noexcept;

struct WarmUpResult {
  std::int64_t ns = 0;  // from the first request on
  std::uint64_t steps = 0;
  bool steady = true;
};

// Starts the supply and steps until the trainer is steady; what it has in flight is finished then.
// Fills parts.first_batch. Throws what a step throws.
WarmUpResult warm_up(const TrialContext& context, TrialParts& parts, WatchedSteps& steps,
                     DataCache& cache);

}  // namespace benchbench
