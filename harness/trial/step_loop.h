// One training step after another, and where the trainer's thread spent its time.
#pragma once
#include <functional>
#include <vector>

#include "harness/part/trainer.h"
#include "harness/pipeline/sample_accounting.h"
#include "harness/pipeline/supply.h"
#include "harness/record/trial_record.h"
#include "harness/series/step_series.h"
#include "harness/trial/after/after_step.h"
#include "harness/trial/device_feed/device_feed.h"
#include "harness/trial/readings/step_stamps.h"

namespace benchbench {

// Sums over the window, of the trainer's thread.
struct LoopTotals {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
  LoopTimes times;
  Nanoseconds get_cpu{0};   // CPU time within get(), where asked for
  std::uint64_t reads = 0;  // of the clock, for the instrument's own cost
};

// Get, upload, step, what follows it; before the get, on a device, the wait for a buffer. A get has
// two terms: until the batch was there, and from then on, when the thread waited for a core. Each
// term is the time between two readings of the clock, and where one ends the next begins, so that
// get + core wait + accounting + step + after + report are the time from begin_window() to
// finish(): each from the readings at its own ends, none as what the others leave. At observer
// level 0 the clock is read once a step, and only steps and samples are counted.
class StepLoop {
 public:
  struct Parts {
    Runtime& runtime;
    Supply& supply;
    Trainer& trainer;
    SampleAccounting& accounting;
    ThreadMeter& meter;
    AfterStep* after = nullptr;   // where something follows a step
    TraceTrack* trace = nullptr;  // where the window is traced
    DeviceFeed* feed = nullptr;   // where the device has memory of its own
  };
  StepLoop(const Parts& parts, bool timed, bool cpu_of_gets);

  // Called with the first batch, before its step.
  std::function<void(const BatchLease&)> on_first_batch;

  // One step; returns when it ended. Throws what the parts throw and what the interruption asks
  // for.
  TimePoint step(const Interruption& interruption);
  // Trainer::finish() and what is under way on the device: waiting for it counts as the steps'
  // time. Returns when it ended.
  TimePoint finish();
  // A progress report took from the last step's end until `now`, where the next get begins.
  void reported_until(TimePoint now) noexcept;
  // Totals and series start again at `now`, which is where the next get begins.
  void begin_window(TimePoint now);
  // Steps from here on belong to nobody: neither totals nor series see them, until the window goes
  // on at `now`.
  void pause_window() noexcept;
  void resume_window(TimePoint now) noexcept;
  // As pause_window(), where the window had these totals: what came after that belongs to no window
  // either.
  void cut_window(TimePoint at, const LoopTotals& until);

  const LoopTotals& totals() const noexcept { return totals_; }
  StepNumber next_step() const noexcept { return next_step_; }
  TimePoint last_end() const noexcept { return last_end_; }
  // The first step of the epoch that the last batch was of.
  StepNumber epoch_began() const noexcept { return epoch_began_; }
  // Returns the series of the window's steps, at observer level 0 their ends alone. Once, after the
  // window.
  StepSeries take_series() noexcept { return std::move(series_); }

 private:
  TimePoint wait_for_buffer();
  BatchLease get(const Interruption& interruption);
  void take_step(BatchLease batch, StepContext& context, const StepStamps& read);
  void count(const BatchLease& batch);
  void bill(const StepStamps& read);
  void trace(const StepStamps& read);
  void keep(const StepStamps& read);

  Parts parts_;
  bool timed_;
  bool cpu_of_gets_;
  bool in_window_ = false;
  StepNumber next_step_ = 0, epoch_began_ = 0;
  Epoch epoch_ = 0;
  TimePoint last_end_{};
  TimePoint window_begin_{};  // moved on by what is nobody's
  TimePoint paused_at_{};
  Nanoseconds checkpoint_billed_{0};  // by the meter, up to the last step
  LoopTotals totals_;
  LoopTotals before_pause_;
  StepSeries series_;
};

}  // namespace benchbench
