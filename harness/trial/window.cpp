#include "harness/trial/window.h"

#include <algorithm>
#include <cmath>

#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"
#include "harness/series/step_trace.h"
#include "harness/trial/warm_up.h"

namespace benchbench {
namespace {

class Window {
 public:
  Window(const TrialContext& context, TrialParts& parts, WatchedSteps& steps, DataCache& cache)
      : context_(context),
        settings_(context.settings),
        runtime_(context.runtime),
        parts_(parts),
        steps_(steps),
        cache_(cache),
        burst_(parts.own_epochs ? parts.own_epochs->group() : burst_size(settings_.loader)),
        repeat_(Repeat{burst_, periods_in(context.trial.settings, runtime_.simulated()).empty()}),
        least_batches_(whole_bursts(settings_.measure.window_batches, burst_,
                                    settings_.measure.probe ? 1 : kLeastBursts)) {}

  WindowResult measure() {
    if (cache_.cold()) {
      measure_cold();
    } else if (parts_.own_epochs) {
      measure_own_epochs();
    } else {
      read_slowly();
      come_to_an_arrival();
      mean_before_ = mean_step();
      repeat_.reset();
      segment([] { return false; });
    }
    return result();
  }

 private:
  // Until the window's end, or until `ends_here`.
  template <class EndsHere>
  void segment(EndsHere ends_here) {
    const SegmentEdge begin = begin_segment();
    do step();
    while (!met() && !ends_here());
    end_segment(begin);
  }

  // A rest of an epoch that is mostly uncounted is not worth an eviction, and what an epoch has
  // beyond whole bursts is not counted. After an eviction bursts begin anew, and the steps that are
  // lost then end in the middle of one.
  void measure_cold() {
    const std::uint64_t batches = parts_.supply->stream().batches_per_epoch();
    const std::uint64_t lost = cache_.steps_lost();
    do {
      if (const auto left = cache_.steps_left_in_epoch();
          left < lost + std::max(burst_, (batches - lost) / 4))
        steps_.steps_uncounted(left);
      cache_.evict_between([this] { read_slowly(); });
      const std::uint64_t whole = cache_.steps_left_in_epoch() / burst_ * burst_;
      const StepNumber last = parts_.loop->next_step() + whole;
      segment([this, last] { return parts_.loop->next_step() == last; });
    } while (!met());
  }

  // A segment ends with its epoch: the pause before the next one is no part of the rate, nor of
  // anything that is read.
  void measure_own_epochs() {
    do {
      read_after_pause();
      segment_of_epoch();
    } while (!met());
  }

  // Right after the pause, before the batches that are left out: what the workers make ahead while
  // this is read is among them.
  void read_after_pause() {
    while (parts_.own_epochs->rests()) steps_.step();
    if (parts_.own_epochs->just_began())
      read_files();
    else
      read_slowly();
    while (parts_.own_epochs->left() > 0) steps_.step();
  }

  // Of whole groups: what the epoch's end leaves over is not counted, or taken back where the end
  // came early.
  void segment_of_epoch() {
    const SegmentEdge begin = begin_segment();
    Mark mark{begin.at, parts_.loop->totals(), {}};
    do {
      step();
      if (parts_.own_epochs->just_began()) return cut_segment(begin, mark);
      if (!whole_bursts_counted()) continue;
      mark = {parts_.loop->last_end(), parts_.loop->totals(), parts_.meter->totals()};
    } while (!met() && !(whole_bursts_counted() && parts_.own_epochs->rests()));
    end_segment(begin);
  }

  // Where a segment could have ended.
  struct Mark {
    TimePoint at{};
    LoopTotals loop;
    MeterTotals trained;
  };

  // Files and clock pairs, some 2 ms in which the trainer stands and the workers go on. Counted
  // from there, a window of 50 ms would get 4 % of its batches for nothing; so steps that nobody
  // counts lie between this and begin_segment().
  void read_slowly() {
    const TimePoint stands = runtime_.now();
    const std::uint64_t ready = batches_ready(stands);
    read_files();
    if (settings_.loader.num_workers > 0 && !cache_.cold() && runtime_.now() > stands)
      work_off(ready);
  }

  void read_files() {
    if (parts_.watched_elsewhere) parts_.watched_elsewhere->begin_segment();
    if (parts_.probes) parts_.probes->begin_segment();
    slowly_read_ = resources();
    add_elsewhere(slowly_read_);
    clocks_.read_clocks();
  }

  // Counts what processes of the trial's own had of the CPUs as ours.
  void add_elsewhere(ResourceCounters& read) const {
    if (read.shared && parts_.watched_elsewhere)
      read.shared->own_s += 1e-9 * static_cast<double>(parts_.watched_elsewhere->seen().cpu_ns);
  }

  // In virtual time they say nothing of the trial, and reading them is a good part of its cost.
  ResourceCounters resources() const noexcept {
    return runtime_.simulated() ? ResourceCounters{} : read_resources();
  }

  // Until no more is ready than before the trainer stood, and then a burst more: where the loader
  // is the slower side it ends as a batch is handed over, in the same phase as the window's last
  // one.
  void work_off(std::uint64_t ready) {
    std::uint64_t left = settings_.loader.max_jobs;
    while (left > 0 && batches_ready(runtime_.now()) > ready) steps_.step(), --left;
    steps_.steps_uncounted(parts_.own_epochs ? 1 : burst_);
  }

  // Past the first fill of the queue and the burst behind it, to the middle of a burst. Workers
  // begin together and drift apart, so that the first and the last of a burst move away from each
  // other and the middle stays: begun at a last one, the 95 % intervals of 3,000 simulated trials
  // held 91 % of the rates, here 95 %. Nobody counts these steps.
  void come_to_an_arrival() {
    const std::uint64_t first = steps_before_window();
    while (parts_.loop->next_step() < first) steps_.step();
    const TimePoint from = parts_.loop->last_end() + time_before_window();
    while (parts_.loop->last_end() < from ||
           parts_.loop->next_step() % burst_ != (burst_ + 1) / 2 % burst_)
      steps_.step();
  }

  // A window that ends by its time ends at the first burst past it, which is more often a long one
  // than a short one, and in order a long burst is followed by short ones: begun after a number of
  // steps, rates were up to 7 % too low. So it begins past a time, too, of a burst on average. One
  // whose batches take half as long again as its time ends by them, and begins so.
  Nanoseconds time_before_window() const {
    const bool by_batches =
        mean_step() >= settings_.measure.window * 3 / 2 / static_cast<std::int64_t>(least_batches_);
    if (burst_ < 2 || by_batches || settings_.measure.probe) return Nanoseconds{0};
    return mean_step() * static_cast<std::int64_t>(burst_);
  }

  // Past the first burst, and past the end of the first step: on a device that one may take
  // seconds.
  Nanoseconds mean_step() const {
    const std::uint64_t steps = parts_.loop->next_step();
    const Nanoseconds since = parts_.loop->last_end() - parts_.first_batch->stepped;
    return since / static_cast<std::int64_t>(std::max(burst_ + 1, steps) - burst_);
  }

  std::uint64_t steps_before_window() const noexcept {
    const bool none = settings_.loader.num_workers == 0 || settings_.measure.probe;
    return none ? 0 : settings_.loader.max_jobs + burst_;
  }

  std::uint64_t batches_ready(TimePoint now) const {
    const std::uint64_t made = parts_.supply->times(now).batches, got = parts_.loop->next_step();
    return made > got ? made - got : 0;
  }

  // What both ends of a segment read off alike.
  void read_counts(SegmentEdge& edge) const {
    edge.checkpoints = parts_.after->checkpoints();
    edge.loader_cpu = parts_.supply->cpu_time().value_or(Nanoseconds{0});
  }

  // The device has just run dry.
  void read_device(SegmentEdge& edge) const {
    if (!parts_.feed) return;
    parts_.feed->edge(edge.at);
    edge.device = parts_.feed->totals();
  }

  // The clock is read last, and at the end first: what reading the rest costs lies outside. What
  // the steps before left in flight is finished before it, as it is at the end.
  SegmentEdge begin_segment() {
    parts_.loop->finish();
    SegmentEdge begin;
    begin.resources = slowly_read_;
    read_cpu_times(begin.resources);
    keep_values(true);
    read_counts(begin);
    if (parts_.background) begin.background_samples = parts_.background->delivered();
    begin.at = runtime_.now();
    read_device(begin);
    clocks_.begin_segment(*parts_.supply, begin.at);
    if (parts_.trace) parts_.trace->start(begin.at);
    begin.workers = parts_.supply->times(begin.at);
    begin.loaded = parts_.supply->totals();
    if (sum_.segments == 0)
      parts_.loop->begin_window(begin.at);
    else
      parts_.loop->resume_window(begin.at);
    counted_from_ = last_step_ = burst_from_ = begin.at;
    return begin;
  }

  void end_segment(const SegmentEdge& begin) {
    const TimePoint at = parts_.loop->finish();
    SegmentEdge dry;
    dry.at = at;
    read_device(dry);
    SegmentEdge end = end_at(at);
    end.device = dry.device;
    if (parts_.watched_elsewhere) parts_.watched_elsewhere->end_segment();
    add_elsewhere(end.resources);
    close_segment(begin, end, parts_.meter->totals());
    parts_.loop->pause_window();
  }

  // At `mark`, what came since then belongs to no window. What the machine did until now is of the
  // pause too, and so left out as a whole.
  void cut_segment(const SegmentEdge& begin, const Mark& mark) {
    SegmentEdge end = end_at(mark.at);
    end.resources = begin.resources;
    end.device = begin.device;  // what it did until the mark is not known by itself
    sum_.device_known = false;
    close_segment(begin, end, mark.trained);
    parts_.loop->cut_window(mark.at, mark.loop);
  }

  SegmentEdge end_at(TimePoint at) {
    SegmentEdge end;
    end.at = at;
    if (parts_.background) end.background_samples = parts_.background->delivered();
    end.workers = parts_.supply->times(end.at);
    if (parts_.trace) parts_.trace->stop();
    if (parts_.trace) parts_.supply->trace_unfinished(*parts_.trace, end.at);
    clocks_.end_segment(*parts_.supply, end.at);
    clocks_.read_clocks();
    end.loaded = parts_.supply->totals();
    end.resources = resources();
    read_counts(end);
    return end;
  }

  void close_segment(const SegmentEdge& begin, const SegmentEdge& end, const MeterTotals& trained) {
    if (parts_.probes) parts_.probes->end_segment();
    keep_values(false);
    if (end.at > begin.at) sum_.add(begin, end, trained);
    counted_from_ = last_step_ = end.at;
  }

  // Reports whole bursts too: a rate that is seen meanwhile may end the trial.
  void step() {
    const TimePoint end = steps_.step();
    if (parts_.own_epochs && !parts_.own_epochs->just_began()) trace_.add(end - last_step_);
    last_step_ = end;
    if (!whole_bursts_counted()) return;
    if (!parts_.own_epochs) trace_.add(end - burst_from_);
    burst_from_ = end;
    steps_.report(Phase::measuring,
                  std::min(1.0, to_seconds(counted()) / to_seconds(settings_.measure.window)),
                  counted());
  }

  // Time of the window so far.
  Nanoseconds counted() const noexcept { return sum_.time + (last_step_ - counted_from_); }

  // Batches of several workers come in bursts, and part of one would be counted for nothing; so
  // would part of a period.
  bool met() {
    const std::uint64_t steps = parts_.loop->totals().steps;
    if (!whole_bursts_counted() || counted() < settings_.measure.window || steps < least_batches_)
      return false;
    if (!repeat_) repeat_ = find_repeat(counted() / static_cast<std::int64_t>(steps));
    if (steps % repeat_->steps == 0) return true;
    if (!out_of_room(steps)) return false;
    repeat_ = Repeat{burst_, false};
    return true;
  }

  // Called where the window could end. A large period in its first steps makes them seem longer
  // than they are, so the steps before it count too. Where those had none of it, and periods take
  // longer than this makes them, out_of_room() ends the window.
  Repeat find_repeat(Nanoseconds mean_in_window) const {
    const bool known = mean_before_.count() > 0;
    return steps_to_repeat(context_.trial.settings, burst_,
                           known ? std::min(mean_before_, mean_in_window) : mean_in_window,
                           runtime_.simulated());
  }

  // Periods may take longer than the steps before them made it seem. Those that the window's
  // batches hold are waited for all the same: they were asked for.
  bool out_of_room(std::uint64_t steps) const {
    const bool asked = repeat_->steps <= least_batches_ && steps < least_batches_ + repeat_->steps;
    return !asked && counted() >= room_for_periods(context_.trial.settings);
  }

  bool whole_bursts_counted() const { return parts_.loop->totals().steps % burst_ == 0; }

  void keep_values(bool keep) {
    parts_.supply->keep_values(keep);
    parts_.meter->keep_values(keep);
  }

  WindowResult result() {
    WindowResult r;
    r.sum = sum_;
    r.loop = parts_.loop->totals();
    r.burst = burst_;
    r.slope_share = trace_.slope_share(Certainty::sure);
    r.repeat = repeat_.value_or(Repeat{burst_, false});
    r.each_worker = clocks_.each_worker();
    if (!runtime_.simulated()) {
      r.clock_slew_ppm = clocks_.slew_ppm();
      r.peak_memory_bytes = peak_memory();
    }
    if (parts_.watched_elsewhere) r.elsewhere = parts_.watched_elsewhere->seen();
    r.loader_cpu_known = parts_.supply->cpu_time().has_value();
    r.has_background = parts_.background != nullptr;
    r.checkpoint_failed = parts_.after->checkpoint_failed();
    return r;
  }

  const TrialContext& context_;
  const ResolvedSettings& settings_;
  Runtime& runtime_;
  TrialParts& parts_;
  WatchedSteps& steps_;
  DataCache& cache_;
  const std::uint64_t burst_;          // batches that arrive together
  std::optional<Repeat> repeat_;       // nullopt: not known yet
  const std::uint64_t least_batches_;  // whole bursts of them
  ResourceCounters slowly_read_;       // before the present segment
  WindowSum sum_;                      // the segments that have ended
  ThreadClocks clocks_;                // likewise
  StepTrace trace_;
  TimePoint counted_from_{};    // of the samples of the loop's totals: the present segment's begin
  TimePoint last_step_{};       // its end; the segment's begin before the first
  Nanoseconds mean_before_{0};  // of a step before the window; 0 where there was the first alone
  TimePoint burst_from_{};      // where the burst that is being counted begins
};

}  // namespace

WindowResult measure_window(const TrialContext& context, TrialParts& parts, WatchedSteps& steps,
                            DataCache& cache) {
  return Window(context, parts, steps, cache).measure();
}

}  // namespace benchbench
