#include "harness/trial/trial_facts.h"

#include <algorithm>
#include <cmath>

#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"
#include "harness/series/pace.h"
#include "harness/trial/step_shape.h"

namespace benchbench {
namespace {

StageTotal& stage_of(WindowFacts& window, Stage stage) {
  return window.stages[static_cast<std::size_t>(stage)];
}

void add(StageTotal& sum, const StageTotal& more) {
  sum.ns += more.ns;
  sum.count += more.count;
}

// Only what is to take some time keeps to it or does not.
MockFacts mock_facts(const MockTime& time) {
  if (time.asked.count() == 0) return {};
  return {time.asked.count(), time.taken.count(), time.pieces};
}

// Returns when steps would have ended had nothing followed any of them.
std::vector<std::int64_t> ends_without_work_after(const StepSeries& series) {
  std::vector<std::int64_t> ends = series.end;
  std::int64_t after = 0;
  for (std::size_t i = 0; i < std::min(ends.size(), series.after.size()); ++i)
    ends[i] -= after += series.after[i];
  return ends;
}

// Positive counts only: of what was never met, nothing was measured.
std::optional<std::uint64_t> if_any(std::uint64_t count, std::uint64_t value) {
  return count > 0 ? std::optional(value) : std::nullopt;
}

class FactsMaker {
 public:
  FactsMaker(const TrialContext& context, const TrialResult& result)
      : s_(context.settings),
        mode_(context.trial.mode),
        environment_(context.executor.environment),
        cores_(cores_at(context.trial.settings, environment_.cores_available)),
        simulated_(context.runtime.simulated()),
        r_(result) {}

  Facts make() {
    facts_.cache = r_.cache;
    facts_.parts.batch_digest = r_.first_batch.digest;
    if (!r_.first_batch.digest.empty()) facts_.parts.batch_bytes = r_.first_batch.bytes;
    facts_.parts.loss_first = r_.first_batch.loss;
    facts_.start.first_batch_ns = r_.first_batch.ns;
    facts_.notices = r_.notices;
    if (r_.made) note_parts();
    if (r_.warm_up) note_warm_up();
    if (r_.window) note_window();
    if (r_.end) note_end();
    return std::move(facts_);
  }

 private:
  bool timed() const noexcept { return s_.measure.observer > 0; }

  void note_parts() {
    facts_.start.startup_ns = r_.made->startup_ns;
    facts_.workers.count = s_.loader.num_workers;
    facts_.parts.max_jobs = s_.loader.max_jobs;
    facts_.parts.slots = r_.made->slots;
    facts_.parts.intra_op_threads = s_.trainer.intra_op_threads;
    facts_.parts.trainer_parameters = r_.made->trainer_parameters;
    facts_.parts.loader_note = r_.made->loader_note;
    facts_.cpu.cores_available = cores_;
    facts_.simulated = simulated_;
  }

  void note_warm_up() {
    facts_.start.warmup_ns = r_.warm_up->ns;
    facts_.start.warmup_steps = r_.warm_up->steps;
    facts_.start.steady = r_.warm_up->steady;
  }

  void note_window() {
    const WindowResult& w = *r_.window;
    note_size(w);
    note_loaded(w.sum.loaded);
    if (timed()) note_times(w);
    note_background(w);
    if (timed() && r_.made->has_device)
      note_device(w.sum.device_known ? w.sum.device : DeviceTotals{});
    if (timed() && r_.made->own_workers) note_workers(w.sum.workers);
    note_instrument(w);
    if (!simulated_) note_cpu(w);
    facts_.checkpoints = {w.sum.checkpoints, w.sum.checkpoints * r_.made->checkpoint_bytes};
    facts_.parts.loss_last = w.loss;
  }

  void note_size(const WindowResult& w) {
    WindowFacts& window = facts_.window;
    window.ns = w.sum.time.count();
    window.samples = w.loop.samples;
    window.steps = w.loop.steps;
    window.burst = w.burst;
    window.slope_share = w.slope_share;
    if (r_.end) note_pace(r_.end->series, w, window);
  }
  void note_loaded(const MeterTotals& loaded) {
    facts_.window.stages = loaded.stages;
    facts_.bytes.payload = if_any(loaded.payloads, loaded.payload_bytes);
    facts_.bytes.read = if_any(loaded.read_bytes, loaded.read_bytes);
    facts_.bytes.reads = if_any(loaded.reads, loaded.reads);
    facts_.elements.count = if_any(loaded.elements + loaded.padding, loaded.elements);
    facts_.elements.padding = if_any(loaded.elements + loaded.padding, loaded.padding);
  }

  void note_times(const WindowResult& w) {
    WindowFacts& window = facts_.window;
    const auto& trained = w.sum.trained.stages;
    for (std::size_t i = static_cast<std::size_t>(Stage::get_blocked); i < kStages; ++i)
      add(window.stages[i], trained[i]);
    window.loop = w.loop.times;
    facts_.workers.each = w.each_worker;
    facts_.instrument.clock_slew_ppm = w.clock_slew_ppm;
    stage_of(window, Stage::get_blocked) = {w.loop.times.get_ns, w.loop.steps};
    if (r_.end) note_shape_of(r_.end->series, slope_limit(r_.made->reads_dataset), window);
  }

  // A window that holds all periods twice or more is compared repeat by repeat. One that holds them
  // once would be compared with itself: it has what follows its steps as often as it should, and
  // the rest of it is compared burst by burst. Where a period was left out, all of it is. Steps on
  // a device end for the host as they are enqueued, and the last of them are waited for at the
  // window's end.
  void note_pace(const StepSeries& series, const WindowResult& w, WindowFacts& window) const {
    const bool twice = w.repeat.whole && series.end.size() >= 2 * w.repeat.steps;
    Stretch stretch{.group = twice ? w.repeat.steps : w.burst};
    if (r_.made->has_device) stretch.ahead = s_.trainer.upload.in_flight + 1;
    if (!series.end.empty() && series.end.size() == window.steps)
      stretch.drained_ns = window.ns - series.end.back();
    const bool once = w.repeat.whole && !twice;
    const std::int64_t range =
        pace_range(once ? ends_without_work_after(series) : series.end, stretch);
    window.pace_range_ns = std::min(window.ns, range + time_of_short_batch(window));
  }

  // A window that began elsewhere may hold one of them more, or one less.
  std::int64_t time_of_short_batch(const WindowFacts& window) const {
    if (window.samples == 0) return 0;
    return std::llround(static_cast<double>(window.ns) * r_.made->rows_short /
                        static_cast<double>(window.samples));
  }

  void note_device(const DeviceTotals& d) {
    facts_.device = {.steps = d.steps,
                     .copies = d.copies,
                     .copied_bytes = d.bytes,
                     .copy_ns = d.copying.count(),
                     .copy_exposed_ns = d.copy_exposed.count(),
                     .idle_for_data_ns = d.idle_for_data.count(),
                     .span_ns = d.span.count(),
                     .gaps_ns = d.gaps.count(),
                     .calls = d.calls,
                     .name = r_.made->device,
                     .model = r_.made->device_model};
    if (!r_.end) return;
    facts_.device->uuid = r_.end->device.uuid;
    facts_.device->kernel_deviation_share = r_.end->device.kernel_deviation_share;
  }

  void note_background(const WindowResult& w) {
    if (w.has_background)
      facts_.background_rate =
          static_cast<double>(w.sum.background_samples) / to_seconds(w.sum.time);
  }

  // The wall time is the window's own, read by the trainer's thread; what the workers' clocks add
  // up to is to be compared with it. With no workers there is nothing to compare; of a loader's own
  // nobody knows.
  void note_workers(const WorkerTimes& times) {
    facts_.workers.wall_ns =
        s_.loader.num_workers > 0 ? facts_.window.ns * s_.loader.num_workers : times.wall_ns();
    facts_.workers.fill_ns = times.fill_ns;
    facts_.workers.slot_wait_ns = times.slot_wait_ns;
    facts_.workers.queue_ns = times.queue_ns;
    stage_of(facts_.window, Stage::slot_wait) = {times.slot_wait_ns, facts_.window.steps};
  }

  // Time of the trainer's thread and the workers' together.
  double thread_time() const {
    return static_cast<double>(facts_.window.ns) * (s_.loader.num_workers + 1);
  }

  // A scope is two readings of the clock and a record, so that a single reading counts as half of
  // one: the workers', the loop's and, of each batch, the queue's two and the request's. At level 0
  // there are the loop's one and the two that tell a part when its request was issued and when a
  // batch could be got.
  void note_instrument(const WindowResult& w) {
    std::uint64_t reads = w.sum.workers.reads + w.loop.reads;
    reads += 3 * facts_.window.steps;
    std::uint64_t scopes = reads / 2;
    for (std::size_t i = 0; i < kStages; ++i)
      if (i != static_cast<std::size_t>(Stage::get_blocked) &&
          i != static_cast<std::size_t>(Stage::slot_wait))
        scopes += facts_.window.stages[i].count;
    facts_.instrument.scopes = scopes;
    if (thread_time() > 0 && !simulated_)
      facts_.instrument.overhead_share =
          static_cast<double>(scopes) * environment_.stage_scope_ns / thread_time();
  }

  // What is not the loader's is the trainer's: its intra-op threads are in the process's time, not
  // in its own thread's. Without workers one thread does both, and telling them apart costs more
  // than a mock.
  void note_cpu(const WindowResult& w) {
    const ResourceUse& use = w.sum.used;
    facts_.cpu.throttled_s = use.throttled_s;
    facts_.cpu.steal_share = use.steal_share();
    note_shared(w);
    if (r_.made->elsewhere) return note_elsewhere(w);
    facts_.cpu.user_s = use.cpu_user_s;
    facts_.cpu.system_s = use.cpu_system_s;
    facts_.cpu.page_faults = use.page_faults;
    facts_.bytes.device = use.device_bytes;
    facts_.peak_memory_bytes = w.peak_memory_bytes;
    const auto loader = loader_cpu(w);
    if (!loader) return;
    facts_.cpu.loader_s = loader;
    facts_.cpu.trainer_s = std::max(0.0, use.cpu_user_s + use.cpu_system_s - *loader);
  }
  std::optional<double> loader_cpu(const WindowResult& w) const {
    const bool inline_load = s_.loader.num_workers == 0;
    const bool known = inline_load ? timed() && !r_.made->mock_loader : w.loader_cpu_known;
    if (!known) return std::nullopt;
    return to_seconds(inline_load ? w.loop.get_cpu : w.sum.loader_cpu);
  }

  void note_shared(const WindowResult& w) {
    if (!w.sum.used.shared) return;
    const SharedUse in_window = scaled_to(*w.sum.used.shared, to_seconds(w.sum.time));
    facts_.cpu.others_s = in_window.others_s;
    facts_.cpu.run_delay_most_s = in_window.run_delay_most_s;
    facts_.cpu.run_delay_trainer_s = in_window.run_delay_reader_s;
  }

  // One role is this process's, the other that of the process that it has of its own, with all that
  // it started. The readings lie near the segments' ends, not at them: of the time between them the
  // window has its share.
  void note_elsewhere(const WindowResult& w) {
    if (!w.elsewhere || w.elsewhere->observed.count() <= 0) return;
    const SeenElsewhere& seen = *w.elsewhere;
    const double scale =
        1e-9 * static_cast<double>(w.sum.time.count()) / static_cast<double>(seen.observed.count());
    const double theirs = scale * static_cast<double>(seen.cpu_ns),
                 ours = scale * static_cast<double>(seen.own_cpu_ns);
    facts_.cpu.loader_s = r_.made->loader_elsewhere ? theirs : ours;
    facts_.cpu.trainer_s = r_.made->loader_elsewhere ? ours : theirs;
    const double own_user = share_of_user(w.sum.used.cpu_user_s, w.sum.used.cpu_system_s);
    const double their_user =
        share_of_user(static_cast<double>(seen.user_ticks), static_cast<double>(seen.system_ticks));
    facts_.cpu.user_s = ours * own_user + theirs * their_user;
    facts_.cpu.system_s = ours * (1 - own_user) + theirs * (1 - their_user);
    add_run_delay(seen);
    facts_.bytes.device = seen.device_bytes;
    if (seen.peak_memory_bytes > 0)
      facts_.peak_memory_bytes = std::max(seen.peak_memory_bytes, w.peak_memory_bytes.value_or(0));
  }
  // Theirs is unknown on some kernels, and who waited longest of all is then, too.
  void add_run_delay(const SeenElsewhere& seen) {
    auto& most = facts_.cpu.run_delay_most_s;
    if (!seen.run_delay_s) most.reset();
    const double scale =
        static_cast<double>(facts_.window.ns) / static_cast<double>(seen.observed.count());
    if (most) *most = std::max(*most, scale * *seen.run_delay_s);
  }
  static double share_of_user(double user, double system) {
    return user + system > 0 ? user / (user + system) : 1;
  }

  void note_end() {
    const TrialEnd& end = *r_.end;
    facts_.queue = end.queue;
    facts_.accounting = end.accounting;
    facts_.epochs = end.epochs;
    facts_.content = end.content;
    facts_.bytes.loaded = end.bytes_loaded;
    facts_.bytes.expected = end.bytes_expected;
    facts_.shuffle = end.shuffle;
    note_parts_at_end(end);
    if (r_.made && r_.made->own_workers && mode_ == Mode::pipeline)
      note_line_times(end.series, facts_.workers);
    facts_.gpu = end.gpu;
    if (end.probes.measured) note_probes(end.probes);
    if (end.external) note_external(*end.external);
  }

  void note_parts_at_end(const TrialEnd& end) {
    PartFacts& parts = facts_.parts;
    parts.loader_note = end.loader_note;
    parts.loader_mock = mock_facts(end.loader_mock);
    parts.trainer_mock = mock_facts(end.trainer_mock);
    if (end.trainer_mock.asked.count() > 0) parts.mock_fidelity = end.trainer_mock.fidelity();
  }
  void note_external(const ExternalResult& external) {
    facts_.external = external.facts;
    if (r_.end->probes.gpu_is_assumed && external.facts.device.empty()) facts_.gpu.reset();
    facts_.epochs.completed = std::max(facts_.epochs.completed, external.epochs);
    if (external.epoch_gap_ns)
      facts_.epochs.gap_ns =
          gap_beyond_waits(*external.epoch_gap_ns, external.epoch_gap_batches,
                           facts_.window.stages[static_cast<std::size_t>(Stage::get_blocked)]);
    if (r_.made && r_.made->loader_elsewhere && external.first_batch_ns > 0)
      note_start_of(external);
    if (external.facts.epoch_samples) facts_.epochs.samples = external.facts.epoch_samples;
  }

  // As the process itself has it: here a batch had to be there before the trainer could be made.
  void note_start_of(const ExternalResult& loader) {
    const ExternalFacts& f = loader.facts;
    facts_.start.startup_ns = f.spawn_ns.value_or(0) + f.import_ns.value_or(0) +
                              f.call_ns.value_or(0) + loader.startup_ns;
    facts_.start.first_batch_ns = loader.first_batch_ns;
  }

  void note_probes(const ProbeResults& probes) {
    facts_.probes = probes.probes;
    facts_.bytes.written_there = probes.bytes_written_there;
    if (probes.bytes_written)
      facts_.bytes.logged =
          *probes.bytes_written - std::min(*probes.bytes_written, facts_.checkpoints.bytes);
    if (thread_time() > 0)
      facts_.instrument.overhead_share += static_cast<double>(probes.cost_ns) / thread_time();
  }

  const ResolvedSettings& s_;
  const Mode mode_;
  const Environment& environment_;
  const double cores_;
  const bool simulated_;
  const TrialResult& r_;
  Facts facts_;
};

// Returns 0 where all batches have as many rows, or only the loader knows.
std::uint32_t rows_short(const TrialParts& parts) {
  const EpochStream& stream = parts.supply->stream();
  const std::uint64_t batches = stream.batches_per_epoch();
  if (parts.loader->own_rows() > 0 || batches < 2) return 0;
  return stream.batch_size() - stream.place(batches - 1).rows;
}

}  // namespace

PartsMade facts_of_parts(TrialParts& parts) {
  return {.startup_ns = parts.startup_ns,
          .reads_dataset = parts.reads_dataset,
          .mock_loader = parts.mock_loader,
          .own_workers = !parts.supply->foreign(),
          .elsewhere = parts.elsewhere,
          .loader_elsewhere = in_groups(parts),
          .has_device = parts.feed != nullptr,
          .device = std::string(parts.device->name()),
          .device_model = std::string(parts.device->model()),
          .slots = parts.supply->slots().size(),
          .rows_short = rows_short(parts),
          .trainer_parameters = parts.trainer->parameters(),
          .checkpoint_bytes = parts.after->bytes_of_checkpoint(),
          .loader_note = loader_note(parts)};
}

Facts facts_of(const TrialContext& context, const TrialResult& result) {
  return FactsMaker(context, result).make();
}

std::map<std::string, std::vector<std::int64_t>> series_of(TrialResult& result) {
  if (!result.end) return {};
  auto series = std::move(result.end->more_series);
  if (result.end->probes.measured) series.merge(result.end->probes.series);
  if (result.end->timed) {
    series["step"] = std::move(result.end->series.step);
    series["get_blocked"] = std::move(result.end->series.get_blocked);
  }
  return series;
}

}  // namespace benchbench
