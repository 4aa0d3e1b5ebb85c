#include "harness/trial/step_loop.h"

namespace benchbench {
namespace {

// Room for the longest series kept, reserved and not touched: a page is faulted in every 512 steps, where
// growing would copy.
constexpr std::size_t kLongestSeries = std::size_t{1} << 22;

}  // namespace

StepLoop::StepLoop(const Parts& parts, bool timed, bool cpu_of_gets)
    : parts_(parts), timed_(timed), cpu_of_gets_(timed && cpu_of_gets) {}

void StepLoop::begin_window(TimePoint now) {
  totals_ = {};
  last_end_ = now;
  in_window_ = true;
  parts_.meter.count_from(next_step_);
  if (!timed_) return;
  get_blocked_.reserve(kLongestSeries);
  step_.reserve(kLongestSeries);
}

void StepLoop::pause_window() noexcept {
  before_pause_ = totals_;
  in_window_ = false;
}

void StepLoop::resume_window(TimePoint now) noexcept {
  totals_ = before_pause_;
  last_end_ = now;
  in_window_ = true;
  parts_.meter.count_from(next_step_);
}

BatchLease StepLoop::get(const Interruption& interruption) {
  if (!cpu_of_gets_) return parts_.supply.get(interruption);
  const Nanoseconds before = parts_.runtime.thread_cpu_time();
  BatchLease batch = parts_.supply.get(interruption);
  totals_.get_cpu += parts_.runtime.thread_cpu_time() - before;
  return batch;
}

TimePoint StepLoop::step(const Interruption& interruption) {
  BatchLease batch = get(interruption);
  const TimePoint got = timed_ ? parts_.runtime.now() : TimePoint{};
  parts_.books.delivered(batch.epoch(), batch.ids());
  totals_.samples += batch.samples().value;
  ++totals_.steps;
  if (next_step_ == 0 && on_first_batch) on_first_batch(batch);
  const TimePoint started = timed_ ? parts_.runtime.now() : TimePoint{};
  StepContext context{next_step_++, parts_.meter};
  parts_.trainer.step(parts_.device.upload(std::move(batch), parts_.meter, context.step), context);
  const TimePoint ended = parts_.runtime.now();
  if (timed_) {
    totals_.get_blocked += got - last_end_;
    totals_.step += ended - started;
    if (in_window_ && step_.size() < kLongestSeries) {
      get_blocked_.push_back((got - last_end_).count());
      step_.push_back((ended - started).count());
    }
  }
  last_end_ = ended;
  return ended;
}

}  // namespace benchbench
