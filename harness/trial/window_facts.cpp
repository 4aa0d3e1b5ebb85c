#include "harness/trial/window_facts.h"

#include "harness/series/log_histogram.h"
#include "harness/series/stalls.h"
#include "harness/series/steadiness.h"

namespace benchbench {
namespace {

Bins bins_of(const std::vector<std::int64_t>& values) {
  LogHistogram histogram;
  histogram.add(values);
  return histogram.bins();
}

}  // namespace

void WindowFacts::read_clocks() noexcept {
  last_ = read_clock_pair();
  if (!first_) first_ = last_;
}

void WindowFacts::begin_segment(const Supply& supply, TimePoint now) { began_ = supply.each_times(now); }

void WindowFacts::end_segment(const Supply& supply, TimePoint now) {
  const std::vector<WorkerTimes> ended = supply.each_times(now);
  sum_.resize(ended.size());
  for (std::size_t w = 0; w < ended.size(); ++w) sum_[w] += ended[w] - began_[w];
}

void WindowFacts::note(Facts& facts, const LoopTotals& loop, bool simulated) const {
  facts.loop = {.get_ns = loop.get_blocked.count(),
                .accounting_ns = loop.accounting.count(),
                .step_ns = loop.step.count(),
                .after_ns = loop.after.count(),
                .report_ns = loop.report.count()};
  facts.each_worker.clear();
  for (const WorkerTimes& times : sum_)
    facts.each_worker.push_back({.fill_ns = times.filling.count(),
                                 .slot_wait_ns = times.waiting.count(),
                                 .queue_ns = times.handing_over.count(),
                                 .batches = times.batches});
  if (!simulated && first_ && last_) facts.clock_slew_ppm = clock_slew_ppm(*first_, *last_);
}

void note_shape(Facts& facts, const StepSeries& series, double slope_limit) {
  const Steadiness steadiness = steadiness_of(whole_steps(series), slope_limit);
  facts.steadiness = steadiness.kind;
  facts.period_steps = steadiness.period_steps;
  facts.stalls = stalls_of(series);
  facts.get_blocked_bins = bins_of(series.get_blocked);
  facts.step_bins = bins_of(series.step);
}

}  // namespace benchbench
