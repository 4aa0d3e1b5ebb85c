// TrialRun's window and what is read off at its ends.
#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "harness/record/measure_limits.h"
#include "harness/series/distribution.h"
#include "harness/pipeline/sampling/shuffle_quality.h"
#include "harness/trial/trial_run.h"

namespace benchbench {
namespace {

// The first and the last step touch the window's ends, where the trainer finishes what it has in flight.
Distribution inner_steps(const std::vector<std::int64_t>& series) {
  if (series.size() < 3) return distribution_of(series);
  return distribution_of({series.begin() + 1, series.end() - 1});
}

StageTotal& stage(Facts& facts, Stage stage) { return facts.stages[static_cast<std::size_t>(stage)]; }

}  // namespace

void TrialRun::measure() {
  if (cold_) {
    measure_cold();
  } else {
    read_slowly();
    const Readings begin = begin_segment();
    do window_step();
    while (!window_met());
    end_segment(begin);
  }
  note_facts();
  report(Phase::finishing, 1);
}

// --- segments
// ------------------------------------------------------------------------------------------------------

// Files and clock pairs, some 2 ms in which the trainer stands and the workers go on. Counted from there, a
// window of 50 ms would get 4 % of its batches for nothing; so steps that nobody counts lie between this and
// begin_segment().
void TrialRun::read_slowly() {
  const TimePoint stands = runtime_.now();
  const std::uint64_t ready = batches_ready(stands);
  if (probes_) probes_->begin_segment();
  slowly_read_ = read_resources();
  window_facts_.read_clocks();
  if (options_.num_workers > 0 && !cold_ && runtime_.now() > stands) work_off(ready);
}

// Until no more is ready than before the trainer stood, and then one step more: where the loader is the
// slower side it ends as a batch is handed over, in the same phase as the window's last one.
void TrialRun::work_off(std::uint64_t ready) {
  std::uint64_t left = options_.max_jobs;
  while (left > 0 && batches_ready(runtime_.now()) > ready) step(), --left;
  step();
}

std::uint64_t TrialRun::batches_ready(TimePoint now) const {
  const std::uint64_t made = supply_->times(now).batches, got = loop_->next_step();
  return made > got ? made - got : 0;
}

// The clock is read last, and at the end first: what reading the rest costs lies outside. What the steps
// before left in flight is finished before it, as it is at the end.
Readings TrialRun::begin_segment() {
  loop_->finish();
  Readings begin;
  begin.resources = slowly_read_;
  read_cpu_times(begin.resources);
  keep_values(true);
  begin.checkpoints = after_->checkpoints();
  begin.loader_cpu = supply_->cpu_time().value_or(Nanoseconds{0});
  if (background_) background_before_ = background_->delivered();
  begin.at = runtime_.now();
  window_facts_.begin_segment(*supply_, begin.at);
  if (trace_) trace_->start(begin.at);
  begin.workers = supply_->times(begin.at);
  begin.loaded = supply_->totals();
  if (window_.segments == 0)
    loop_->begin_window(begin.at);
  else
    loop_->resume_window(begin.at);
  counted_from_ = last_step_ = begin.at;
  return begin;
}

void TrialRun::end_segment(const Readings& begin) {
  Readings end;
  end.at = loop_->finish();
  if (background_) background_samples_ += background_->delivered() - background_before_;
  end.workers = supply_->times(end.at);
  if (trace_) trace_->stop();
  if (trace_) supply_->trace_unfinished(*trace_, end.at);
  window_facts_.end_segment(*supply_, end.at);
  window_facts_.read_clocks();
  end.loaded = supply_->totals();
  end.resources = read_resources();
  end.checkpoints = after_->checkpoints();
  end.loader_cpu = supply_->cpu_time().value_or(Nanoseconds{0});
  if (probes_) probes_->end_segment();
  keep_values(false);
  loop_->pause_window();
  window_.add(begin, end, meter_->totals());
  counted_from_ = last_step_ = end.at;
}

void TrialRun::window_step() {
  const TimePoint end = step();
  window_steps_.add(end - last_step_);
  last_step_ = end;
  const Nanoseconds time = window_.time + (end - counted_from_);
  report(Phase::measuring, std::min(1.0, to_seconds(time) / to_seconds(options_.window)));
}

bool TrialRun::window_met() const {
  return window_.time + (last_step_ - counted_from_) >= options_.window &&
         loop_->totals().steps >= options_.window_batches;
}

// --- what they add up to
// -------------------------------------------------------------------------------------------

void TrialRun::note_facts() {
  Facts& facts = record_->facts;
  const MeterTotals& loaded = window_.loaded;
  for (std::size_t i = 0; i < kStages; ++i) facts.stages[i] = loaded.stages[i];
  facts.bytes_payload = loaded.payloads > 0 ? std::optional(loaded.payload_bytes) : std::nullopt;
  facts.bytes_read = loaded.read_bytes > 0 ? std::optional(loaded.read_bytes) : std::nullopt;
  if (loaded.elements + loaded.padding > 0) {
    facts.elements = loaded.elements;
    facts.elements_padding = loaded.padding;
  }
  note_window();
  if (background_) facts.background_rate = static_cast<double>(background_samples_) / to_seconds(window_.time);
  note_workers(window_.workers);
  note_instrument(window_.workers);
  if (!runtime_.simulated()) note_cpu(window_.used, window_.loader_cpu);
  facts.checkpoints = window_.checkpoints;
  facts.checkpoint_bytes = window_.checkpoints * after_->bytes_of_checkpoint();
  // A step measured without its checkpoint is not the step that was asked for.
  if (after_->checkpoint_failed())
    record_->reasons.push_back(
        {"", false, "a checkpoint could not be written: the steps after it are without one"});
  facts.loss_last = last_loss();
  if (const double fidelity = trainer_->fidelity(); std::isfinite(fidelity)) facts.mock_fidelity = fidelity;
}

void TrialRun::note_window() {
  Facts& facts = record_->facts;
  const LoopTotals& totals = loop_->totals();
  facts.window_ns = window_.time.count();
  facts.samples = totals.samples;
  facts.steps = totals.steps;
  facts.slope_share = window_steps_.slope_share();
  if (options_.observer == 0) return;
  const MeterTotals& metered = window_.trained;
  for (std::size_t i = static_cast<std::size_t>(Stage::get_blocked); i < kStages; ++i) {
    facts.stages[i].ns += metered.stages[i].ns;
    facts.stages[i].count += metered.stages[i].count;
  }
  window_facts_.note(facts, totals, runtime_.simulated());
  stage(facts, Stage::get_blocked) = {totals.get_blocked.count(), totals.steps};
  facts.get_blocked = inner_steps(loop_->get_blocked_series());
  facts.step = inner_steps(loop_->step_series());
  note_shape(facts, loop_->series(), slope_limit(storage_));
}

// The wall time is the window's own, read by the trainer's thread; what the workers' clocks add up to is to
// be compared with it. With no workers there is nothing to compare; of a loader's own nobody knows.
void TrialRun::note_workers(const WorkerTimes& times) {
  if (options_.observer == 0 || supply_->foreign()) return;
  Facts& facts = record_->facts;
  facts.worker_wall_ns =
      options_.num_workers > 0 ? facts.window_ns * options_.num_workers : times.wall().count();
  facts.worker_fill_ns = times.filling.count();
  facts.worker_slot_wait_ns = times.waiting.count();
  facts.worker_queue_ns = times.handing_over.count();
  stage(facts, Stage::slot_wait) = {times.waiting.count(), facts.steps};
}

// A scope is two readings of the clock and a record, so that a single reading counts as half of one: the workers', the
// loop's and, of each batch, the queue's two, the trainer's stamp and the request's. At level 0 there are the loop's one
// and the two that tell a part when its request was issued and when a batch was filled.
void TrialRun::note_instrument(const WorkerTimes& times) {
  Facts& facts = record_->facts;
  std::uint64_t reads = times.reads + loop_->totals().reads;
  reads += facts.steps * (options_.observer > 0 ? 4 : 3);
  std::uint64_t scopes = reads / 2;
  for (std::size_t i = 0; i < kStages; ++i)
    if (i != static_cast<std::size_t>(Stage::get_blocked) && i != static_cast<std::size_t>(Stage::slot_wait))
      scopes += facts.stages[i].count;
  facts.scopes = scopes;
  const double thread_time = static_cast<double>(facts.window_ns) * (options_.num_workers + 1);
  if (thread_time > 0 && !runtime_.simulated())
    facts.overhead_share = static_cast<double>(scopes) * context_.environment.stage_scope_ns / thread_time;
}

// What is not the loader's is the trainer's: its intra-op threads are in the process's time, not in its own
// thread's.
void TrialRun::note_cpu(const ResourceUse& use, Nanoseconds loader_cpu) {
  Facts& facts = record_->facts;
  facts.cpu_user_s = use.cpu_user_s;
  facts.cpu_system_s = use.cpu_system_s;
  facts.bytes_device = use.device_bytes;
  facts.throttled_s = use.throttled_s;
  facts.steal_share = use.steal_share;
  facts.peak_memory_bytes = peak_memory();
  if (options_.num_workers == 0) {
    if (mock_loader_ || options_.observer == 0)
      return;  // one thread does both, and telling them apart costs more than a mock
    loader_cpu = loop_->totals().get_cpu;
  } else if (!supply_->cpu_time()) {
    return;
  }
  facts.cpu_loader_s = to_seconds(loader_cpu);
  facts.cpu_trainer_s = std::max(0.0, use.cpu_user_s + use.cpu_system_s - to_seconds(loader_cpu));
}

void TrialRun::keep_values(bool keep) {
  supply_->keep_values(keep);
  meter_->keep_values(keep);
}

// --- after the workers' end
// ----------------------------------------------------------------------------------------

void TrialRun::note_series() {
  if (!loop_ || options_.observer == 0) return;
  auto& series = record_->raw_series;
  series["step"] = std::move(loop_->step_series());
  series["get_blocked"] = std::move(loop_->get_blocked_series());
  if (trace_) note_trace();
  if (options_.observer < 2) return;
  for (std::size_t i = 0; i < kStages; ++i) {
    const auto stage = static_cast<Stage>(i);
    std::vector<std::int64_t> values = meter_->values(stage);
    for (std::uint32_t m = 0; m < supply_->meters(); ++m) {
      const auto& more = supply_->meter(m).values(stage);
      values.insert(values.end(), more.begin(), more.end());
    }
    if (!values.empty()) series["value_" + std::string(name_of(stage))] = std::move(values);
  }
}

void TrialRun::note_trace() {
  record_->raw_series["trace"] = trace_series(trace_->events());
  if (trace_->dropped() > 0)
    record_->facts.notices.push_back(fmt::format("the trace holds the window's first {} events; {} more came after them",
                                                 kMaxTraceEvents, trace_->dropped()));
}

void TrialRun::note_accounting() {
  Facts& facts = record_->facts;
  facts.queue = supply_->queue_facts();
  if (accounting_->measured()) {
    const RequestCounts requests = supply_->counts();
    facts.issued = requests.issued;
    facts.dropped = requests.dropped;
    facts.in_flight = supply_->in_flight().value;
    facts.delivered = accounting_->delivered();
    facts.duplicated = accounting_->duplicated();
    facts.missing = accounting_->missing();
    facts.epochs_completed = accounting_->epochs_completed();
  } else {
    facts.notices.push_back(fmt::format(
        "conservation (R01) was not measured: loader {} does not say which samples its batches hold", options_.loader));
  }
  const MeterTotals totals = supply_->totals();
  facts.content_checked = totals.content_checked;
  facts.content_wrong = totals.content_wrong;
  facts.decode_errors = totals.decode_errors;
  facts.decode_warnings = totals.decode_warnings;
  note_bytes(totals);
}

// The workers' own count of what they were given, and the manifest's sizes of what the trainer got and what still waits
// for it: two ways to one number. Batches made by halves, where a worker died, belong to neither. What a loader's own
// workers had made and nobody got is not known.
void TrialRun::note_bytes(const MeterTotals& totals) {
  if (totals.payloads == 0 || supply_->foreign() || supply_->half_filled()) return;
  supply_->for_each_ready([this](std::span<const SampleId> ids) { accounting_->add_undelivered(ids); });
  record_->facts.bytes_expected = accounting_->bytes();
  if (record_->facts.bytes_expected) record_->facts.bytes_loaded = totals.payload_bytes;
}

// Off the measured path: the order is drawn again. A trial that repeats one batch reads nothing in any order.
// Where there is no memory left for it, it is not measured, and the rest is kept.
void TrialRun::note_shuffle() try {
  if (prototype_) return;
  std::vector<SampleId> order(sampler_->samples_per_epoch());
  sampler_->begin(0, order);
  const auto quality = quality_of(order, loader_->layout().samples);
  if (!quality) return;
  record_->facts.shuffle_displacement = quality->displacement;
  record_->facts.shuffle_together = quality->together;
} catch (const std::bad_alloc&) {
}

void TrialRun::note_faults(const ThreadMeter& meter) {
  for (const FaultySample& fault : meter.faults()) keep_fault(record_->facts.faults, fault);
}

}  // namespace benchbench
