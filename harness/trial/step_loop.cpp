#include "harness/trial/step_loop.h"

#include <algorithm>
#include <utility>

namespace benchbench {
namespace {

// Room for the longest series kept, reserved and not touched: a page is faulted in every 512 steps,
// where growing would copy.
constexpr std::size_t kLongestSeries = std::size_t{1} << 22;

// A thread's CPU time is a system call: it costs as many readings of the clock (0.25 us against 25
// ns).
constexpr std::uint64_t kReadsOfCpuTime = 10;

}  // namespace

StepLoop::StepLoop(const Parts& parts, bool timed, bool cpu_of_gets)
    : parts_(parts), timed_(timed), cpu_of_gets_(timed && cpu_of_gets) {}

void StepLoop::begin_window(TimePoint now) {
  totals_ = {};
  last_end_ = window_begin_ = now;
  in_window_ = true;
  parts_.meter.count_from(next_step_);
  checkpoint_billed_ = {};
  series_.end.reserve(kLongestSeries);
  if (!timed_) return;
  for (auto* series : {&series_.get_blocked, &series_.core_wait, &series_.step, &series_.made})
    series->reserve(kLongestSeries);
}

void StepLoop::pause_window() noexcept {
  before_pause_ = totals_;
  paused_at_ = last_end_;
  in_window_ = false;
}

void StepLoop::resume_window(TimePoint now) noexcept {
  totals_ = before_pause_;
  window_begin_ += now - paused_at_;
  last_end_ = now;
  in_window_ = true;
  parts_.meter.count_from(next_step_);
  checkpoint_billed_ = {};
}

void StepLoop::cut_window(TimePoint at, const LoopTotals& until) {
  totals_ = before_pause_ = until;
  paused_at_ = at;
  in_window_ = false;
  for (auto* series : {&series_.get_blocked, &series_.core_wait, &series_.step, &series_.after,
                       &series_.checkpoint, &series_.made, &series_.end})
    series->resize(std::min<std::size_t>(series->size(), until.steps));
}

void StepLoop::reported_until(TimePoint now) noexcept {
  totals_.times.report_ns += (now - last_end_).count();
  last_end_ = now;
}

TimePoint StepLoop::finish() {
  parts_.trainer.finish();
  if (parts_.feed) parts_.feed->finish();
  const TimePoint ended = parts_.runtime.now();
  totals_.times.step_ns += (ended - last_end_).count();
  last_end_ = ended;
  return ended;
}

BatchLease StepLoop::get(const Interruption& interruption) {
  if (!cpu_of_gets_) return parts_.supply.get(interruption);
  const Nanoseconds before = parts_.runtime.thread_cpu_time();
  BatchLease batch = parts_.supply.get(interruption);
  totals_.get_cpu += parts_.runtime.thread_cpu_time() - before;
  totals_.reads += 2 * kReadsOfCpuTime;
  return batch;
}

void StepLoop::count(const BatchLease& batch) {
  parts_.accounting.delivered(batch.epoch(), batch.ids());
  totals_.samples += batch.samples().value;
  ++totals_.steps;
  if (batch.epoch() != epoch_) epoch_began_ = next_step_;
  epoch_ = batch.epoch();
  if (next_step_ == 0 && on_first_batch) on_first_batch(batch);
}

TimePoint StepLoop::step(const Interruption& interruption) {
  StepStamps read;
  read.asked = wait_for_buffer();
  BatchLease batch = get(interruption);
  if (timed_) read.got = parts_.runtime.now();
  count(batch);
  read.filled = batch.filled(), read.made_in = batch.made_in(), read.filling = batch.filling();
  if (timed_) read.counted = read.started = parts_.runtime.now();
  StepContext context{next_step_, parts_.meter, read.asked + batch.made_in(), batch.filled()};
  if (parts_.after && parts_.after->before(batch, next_step_))
    read.started = context.free = parts_.runtime.now();
  ++next_step_;
  take_step(std::move(batch), context, read);
  read.stepped = read.ended = parts_.runtime.now();
  if (parts_.after && parts_.after->after(context.step)) read.ended = parts_.runtime.now();
  if (timed_) bill(read);
  if (in_window_ && series_.end.size() < kLongestSeries)
    series_.end.push_back((read.ended - window_begin_).count());
  last_end_ = read.ended;
  return read.ended;
}

// Until the device has room for another batch; at once on the CPU.
TimePoint StepLoop::wait_for_buffer() {
  if (!parts_.feed) return last_end_;
  parts_.feed->wait_for_buffer(next_step_);
  return parts_.runtime.now();
}

void StepLoop::take_step(BatchLease batch, StepContext& context, const StepStamps& read) {
  if (!parts_.feed) return parts_.trainer.step(std::move(batch), context);
  context.free = context.filled = kNotKnown;  // the upload is no part of the step
  context.stream = &parts_.feed->stream();
  parts_.trainer.step(parts_.feed->upload(std::move(batch), context.step, read.asked,
                                          timed_ ? read.there() : kNotKnown),
                      context);
  parts_.feed->end_step(context.step);
}

void StepLoop::bill(const StepStamps& read) {
  totals_.times.get_ns += read.get().count();
  if (read.there_known())
    totals_.times.core_wait_ns = totals_.times.core_wait_ns.value_or(0) + read.core_wait().count();
  totals_.times.accounting_ns += (read.counted - read.got).count();
  totals_.times.step_ns += read.step(last_end_).count();
  totals_.times.after_ns += read.after().count();
  totals_.reads += std::uint64_t{3} + (read.started != read.counted) +
                   (read.ended != read.stepped) + (read.asked != last_end_);
  if (parts_.trace) trace(read);
  if (in_window_ && series_.size() < kLongestSeries) keep(read);
}

void StepLoop::trace(const StepStamps& read) {
  if (read.asked != last_end_) parts_.trace->span(kTraceStep, last_end_, read.asked);
  parts_.trace->span(static_cast<std::int64_t>(Stage::get_blocked), read.asked, read.there());
  parts_.trace->span(kTraceCoreWait, read.there(), read.got);
  parts_.trace->span(kTraceAfter, read.counted, read.started);
  parts_.trace->span(kTraceStep, read.started, read.stepped);
  parts_.trace->span(kTraceAfter, read.stepped, read.ended);
}

// A series begins with the first step that has some of it; those before it had nothing.
void StepLoop::keep(const StepStamps& read) {
  const std::size_t before = series_.size();
  const auto keep_some = [before](std::vector<std::int64_t>& series, Nanoseconds some) {
    if (some.count() == 0 && series.empty()) return;
    series.resize(before);
    series.push_back(some.count());
  };
  series_.get_blocked.push_back(read.get().count());
  series_.step.push_back(read.step(last_end_).count());
  keep_some(series_.made, read.filling);
  keep_some(series_.core_wait, read.core_wait());
  if (read.after().count() == 0 && series_.after.empty()) return;
  const Nanoseconds billed = parts_.meter.time_in(Stage::checkpoint);
  keep_some(series_.after, read.after());
  series_.checkpoint.resize(before);
  series_.checkpoint.push_back((billed - std::exchange(checkpoint_billed_, billed)).count());
}

}  // namespace benchbench
