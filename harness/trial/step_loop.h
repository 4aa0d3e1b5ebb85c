// One training step after another, and where the trainer's thread spent its time.
#pragma once
#include <functional>
#include <vector>

#include "harness/part/trainer.h"
#include "harness/trial/conservation.h"
#include "harness/trial/supply.h"

namespace benchbench {

// Sums over the window, of the trainer's thread.
struct LoopTotals {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  Nanoseconds get_blocked{0};  // in Supply::get(): time the loader costs
  Nanoseconds step{0};         // in upload and Trainer::step()
  Nanoseconds get_cpu{0};      // CPU time within get(), where asked for
};

// Get, upload, step. Between get and step lie the books; between a step and the next get lies nothing but
// what resume_at() was told of, so that get_blocked + step + books + that are the whole time. At observer
// level 0 the clock is read once a step, and only steps and samples are counted.
class StepLoop {
 public:
  struct Parts {
    Runtime& runtime;
    Device& device;
    Supply& supply;
    Trainer& trainer;
    Conservation& books;
    ThreadMeter& meter;
  };
  StepLoop(const Parts& parts, bool timed, bool cpu_of_gets);

  // Called with the first batch, before its step.
  std::function<void(const BatchLease&)> on_first_batch;

  // One step; returns when it ended. Throws what the parts throw and what the interruption asks for.
  TimePoint step(const Interruption& interruption);
  // The next get begins at `now` and not where the last step ended: what lay between was neither's.
  void resume_at(TimePoint now) noexcept { last_end_ = now; }
  // Totals and series start again at `now`, which is where the next get begins.
  void begin_window(TimePoint now);
  // Steps from here on belong to nobody: neither totals nor series see them, until the window goes on at `now`.
  void pause_window() noexcept;
  void resume_window(TimePoint now) noexcept;

  const LoopTotals& totals() const noexcept { return totals_; }
  StepNumber next_step() const noexcept { return next_step_; }
  TimePoint last_end() const noexcept { return last_end_; }
  // Per step of the window: the first 4,194,304, and what is made of them (percentiles) knows no later ones.
  std::vector<std::int64_t>& get_blocked_series() noexcept { return get_blocked_; }
  std::vector<std::int64_t>& step_series() noexcept { return step_; }

 private:
  BatchLease get(const Interruption& interruption);

  Parts parts_;
  bool timed_;
  bool cpu_of_gets_;
  bool in_window_ = false;
  StepNumber next_step_ = 0;
  TimePoint last_end_{};
  LoopTotals totals_;
  LoopTotals before_pause_;
  std::vector<std::int64_t> get_blocked_, step_;
};

}  // namespace benchbench
