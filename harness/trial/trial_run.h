// One trial from its settings to its facts.
#pragma once
#include <memory>

#include "harness/core/runtime.h"
#include "harness/trial/background_loader.h"
#include "harness/part/cache_control.h"
#include "harness/trial/executor.h"
#include "harness/trial/probes/sampler.h"
#include "harness/trial/prototype_batch.h"
#include "harness/trial/resources.h"
#include "harness/trial/warm_up.h"
#include "harness/trial/step_loop.h"
#include "harness/trial/trial_options.h"
#include "harness/trial/window_facts.h"
#include "harness/trial/window_sum.h"

namespace benchbench {

// Makes the parts, warms up, measures a window, closes the accounting. The same on both runtimes; under the
// simulated one all of it happens within its run().
//
// The window begins after a warm-up step, another one if reading the counters took time, and ends after the first step at which both its time and its batches
// are reached; the trainer finishes what it has in flight at both ends, so the samples in it are exactly
// those whose work lies in it. That finish empties the pipeline, which is why the first and the last step are
// left out of the distributions; the rate is all samples over all time. A window may be made of segments
// (cold data: an eviction between two of them); all that is read off at its ends is added up over them.
class TrialRun {
 public:
  TrialRun(const Trial& trial, const ExecutorContext& context, const TrialOptions& options, Runtime& runtime);
  ~TrialRun();

  // Fills the record's facts and series as far as it comes. Throws what a part threw, InterruptedError on a
  // stop, after the workers have ended.
  void run(TrialRecord& record);

 private:
  void make_parts();
  void make_loader();
  void make_trainer();
  void make_supply();
  void note_foreign_workers();
  void make_trace();
  void make_probes();
  void warm_up();
  void measure();
  void end();

  TimePoint step();
  void check_clock(bool moved);
  void report(Phase phase, double share);
  void note_first_batch(const BatchLease& batch);
  // Its dealings with the page cache: cache_of_run.cpp.
  void prepare_cache();
  void cache_stays_as_is(const std::string& why);
  void cache_is_not_asked();
  bool cache_was_seen();
  CacheControl::Alive alive();
  void warm_cache();
  void start_cold();
  void evict_and_prove();
  void evict_between(bool measuring = false);
  void steps_uncounted(std::uint64_t count);
  std::uint64_t steps_left_in_epoch() const;
  std::uint32_t batches_ahead() const;
  bool epoch_is_issued() const;
  void measure_cold();

  void read_slowly();
  void work_off(std::uint64_t ready);
  std::uint64_t batches_ready(TimePoint now) const;
  Readings begin_segment();
  void end_segment(const Readings& begin);
  void window_step();
  bool window_met() const;
  void note_facts();
  void note_window();
  void note_cpu(const ResourceUse& use, Nanoseconds loader_cpu);
  void note_workers(const WorkerTimes& times);
  void note_instrument(const WorkerTimes& times);
  void note_series();
  void note_trace();
  void note_accounting();
  void note_bytes(const MeterTotals& totals);
  void note_shuffle();
  void note_probes();
  void note_faults(const ThreadMeter& meter);
  void keep_values(bool keep);
  std::optional<double> last_loss();  // may synchronise: outside of the window

  const Trial& trial_;
  const ExecutorContext& context_;
  const TrialOptions& options_;
  Runtime& runtime_;
  TimePoint made_at_;
  Interruption interruption_;
  TrialRecord* record_ = nullptr;
  bool mock_loader_ = false;
  bool storage_ = false;
  bool cold_ = false;  // proven so far
  StepTrace window_steps_;
  TimePoint requests_at_{};
  ResourceCounters slowly_read_;  // before the present segment
  WindowSum window_;          // the segments that have ended
  WindowFacts window_facts_;  // likewise, as each thread's own clock has it
  TimePoint counted_from_{};  // of the samples of the loop's totals: the present segment's begin
  TimePoint last_step_{};     // its end; the segment's begin before the first
  TimePoint next_report_{};
  std::uint64_t standing_steps_ = 0;  // in a row, in which virtual time stood still
  // In the order they are made; ended in reverse.
  std::unique_ptr<Device> device_;
  std::unique_ptr<MadePrototype> prototype_;
  std::unique_ptr<PrefixedSettings> loader_settings_, trainer_settings_;
  std::unique_ptr<EmulatedStorage> store_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<TraceRecorder> trace_;  // null: no trace
  std::unique_ptr<Supply> supply_;
  std::unique_ptr<SampleAccounting> accounting_;
  std::unique_ptr<ThreadMeter> meter_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<AfterStep> after_;
  std::unique_ptr<StepLoop> loop_;
  std::unique_ptr<BackgroundLoader> background_;  // null but in the trial of the trainer with the loader beside it
  std::uint64_t background_before_ = 0, background_samples_ = 0;
  std::unique_ptr<ProbeContext> probe_context_;
  std::unique_ptr<ProbeSampler> probes_;  // null: off, or virtual time
};

}  // namespace benchbench
