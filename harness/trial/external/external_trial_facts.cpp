#include "harness/trial/external/external_trial_facts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"
#include "harness/series/stalls.h"
#include "harness/series/step_trace.h"
#include "harness/trial/external/external_order.h"
#include "harness/trial/external/external_trace.h"
#include "harness/trial/step_shape.h"

namespace benchbench {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// In the shape of the threaded executor's, a get and a step each. Where batches are dropped a step
// takes no time.
StepSeries series_of_steps(const ExternalResult& r) {
  StepSeries series{
      .get_blocked = r.get_ns, .step = r.step_ns, .after = {}, .checkpoint = {}, .end = {}};
  series.step.resize(series.get_blocked.size());
  std::int64_t at = 0;
  for (std::size_t i = 0; i < series.size(); ++i)
    series.end.push_back(at += series.get_blocked[i] + series.step[i]);
  return series;
}

std::optional<std::int64_t> gap_of(const ExternalResult& r) {
  if (!r.epoch_gap_ns) return std::nullopt;
  return gap_beyond_waits(*r.epoch_gap_ns, r.epoch_gap_batches,
                          {sum_of(r.get_ns), r.get_ns.size()});
}

class ExternalFactsMaker {
 public:
  ExternalFactsMaker(const TrialContext& context, const ExternalTrial& trial)
      : s_(context.settings), context_(context), t_(trial) {}

  Facts make() {
    facts_.cache = t_.cache;
    facts_.notices = t_.notices;
    facts_.workers.count = t_.num_workers;
    facts_.cpu.cores_available =
        cores_at(context_.trial.settings, context_.executor.environment.cores_available);
    facts_.parts.intra_op_threads = s_.trainer.intra_op_threads;
    facts_.start.startup_ns = t_.loaded_ns;
    facts_.peak_memory_bytes = t_.peak_memory;
    facts_.external.emplace().way = t_.way;
    if (t_.run) note_run(*t_.run);
    return std::move(facts_);
  }

 private:
  bool timed() const noexcept { return s_.measure.observer > 0; }

  void note_run(const ExternalResult& r) {
    note_start(r);
    for (const auto& [begin, end] : r.segments) facts_.window.ns += end - begin;
    facts_.window.steps = r.steps;
    facts_.window.samples = r.samples;
    facts_.external = r.facts;
    facts_.external->way = t_.way;
    facts_.epochs = {r.epochs, gap_of(r),
                     t_.way == ExternalWay::replayed ? std::nullopt : r.facts.epoch_samples};
    if (timed()) note_times(r);
    if (t_.tree) note_tree(*t_.tree);
    if (t_.used) note_machine(*t_.used);
    note_instrument(r);
    note_probes();
  }

  void note_start(const ExternalResult& r) {
    facts_.start.startup_ns = t_.loaded_ns + r.startup_ns;
    facts_.start.first_batch_ns = r.first_batch_ns;
    facts_.start.warmup_ns = r.warmup_ns;
    facts_.start.warmup_steps = r.warmup_steps;
    facts_.start.steady = r.steady;
    facts_.parts.loss_first = r.loss_first;
    facts_.parts.loss_last = r.loss_last;
    facts_.parts.trainer_parameters = r.parameters;
  }

  // Without a step there is nothing that the times of a step could add up to. What __getitem__
  // reads, decodes and transforms is not known apart: its time is in the external facts.
  void note_times(const ExternalResult& r) {
    WindowFacts& window = facts_.window;
    const StepSeries series = series_of_steps(r);
    const bool steps = !r.step_ns.empty();
    const std::uint64_t n = series.size();
    stage(Stage::get_blocked) = {sum_of(series.get_blocked), n};
    if (steps) {
      stage(Stage::forward) = {sum_of(series.step), n};
      window.loop.get_ns = stage(Stage::get_blocked).ns;
      window.loop.step_ns = stage(Stage::forward).ns;
    }
    note_stage(Stage::collate, r.facts.collate);
    note_stage(Stage::pin, r.facts.pin);
    note_shape(series);
    if (!steps) window.step = {};
    if (!steps) window.step_bins = {};
    facts_.instrument.clock_slew_ppm = t_.clock_slew_ppm;
  }
  void note_shape(const StepSeries& series) {
    WindowFacts& window = facts_.window;
    note_shape_of(series, slope_limit(reads_in_window(context_.trial.settings, t_.way)), window);
    StepTrace trace;
    for (const std::int64_t whole : whole_steps(series)) trace.add(Nanoseconds{whole});
    window.slope_share = trace.slope_share(Certainty::sure);
  }

  void note_stage(Stage which, const std::optional<ExternalTime>& time) {
    if (time) stage(which) = {time->ns, time->count};
  }

  // The readings lie near the segments' ends, not at them: of the time between the readings the
  // window has its share.
  void note_tree(const TreeSeen& tree) {
    if (tree.observed.count() <= 0) return;
    const double scale =
        static_cast<double>(facts_.window.ns) / static_cast<double>(tree.observed.count());
    const double all = scale * 1e-9 * static_cast<double>(tree.workers_cpu_ns + tree.main_cpu_ns);
    const auto ticks = static_cast<double>(tree.user_ticks + tree.system_ticks);
    const double user = ticks > 0 ? all * static_cast<double>(tree.user_ticks) / ticks : all;
    facts_.cpu.user_s = user;
    facts_.cpu.system_s = std::max(0.0, all - user);
    if (const auto loader = loader_share(tree)) {
      facts_.cpu.loader_s = all * *loader;
      facts_.cpu.trainer_s = all * (1 - *loader);
    }
    facts_.bytes.device = tree.device_bytes;
    if (tree.most_core_wait_ns)
      facts_.cpu.run_delay_most_s = 1e-9 * scale * static_cast<double>(*tree.most_core_wait_ns);
    note_waits(tree);
    if (t_.memory) note_memory(*t_.memory);
  }
  void note_waits(const TreeSeen& tree) {
    ExternalFacts& e = *facts_.external;
    e.runnable_mean = tree.runnable_mean;
    e.runnable_max = tree.runnable_max;
    e.runnable_workers_mean = tree.runnable_workers_mean;
    e.core_wait_loader_ns = tree.workers_core_wait_ns;
    e.core_wait_main_ns = tree.main_core_wait_ns;
    e.main_ran_ns = tree.main_ran_ns;
  }

  // Without workers one thread does both; batches fetched before cost nothing in the window.
  std::optional<double> loader_share(const TreeSeen& tree) const {
    if (t_.way == ExternalWay::self_timed) return 1;
    if (t_.way == ExternalWay::replayed) return 0;
    const auto all = static_cast<double>(tree.workers_cpu_ns + tree.main_cpu_ns);
    if (t_.num_workers == 0 || !(all > 0)) return std::nullopt;
    return static_cast<double>(tree.workers_cpu_ns) / all;
  }

  void note_memory(const MemoryGrowth& growth) {
    const double windows =
        static_cast<double>(growth.time.count()) / static_cast<double>(facts_.window.ns);
    facts_.external->memory = {growth.pss,
                               growth.pss_growth,
                               growth.private_growth,
                               growth.resident_growth,
                               static_cast<std::uint64_t>(std::llround(
                                   windows * static_cast<double>(facts_.window.samples))),
                               growth.shared,
                               growth.steadiness()};
  }

  void note_machine(const ResourceUse& use) {
    facts_.cpu.throttled_s = use.throttled_s;
    facts_.cpu.steal_share = use.steal_share();
    const double window_s = 1e-9 * static_cast<double>(facts_.window.ns);
    if (use.shared) facts_.cpu.others_s = scaled_to(*use.shared, window_s).others_s;
  }

  void note_instrument(const ExternalResult& r) {
    const double threads = static_cast<double>(facts_.window.ns) * (t_.num_workers + 1);
    if (!(threads > 0)) return;
    double cost = static_cast<double>(r.facts.hooks_ns.value_or(0) + t_.edge_cost.count());
    if (t_.tree) cost += static_cast<double>(t_.tree->cost.count());
    if (t_.probes.measured) cost += static_cast<double>(t_.probes.cost_ns);
    facts_.instrument.overhead_share = cost / threads;
  }

  void note_probes() {
    if (!t_.probes.measured) return;
    facts_.gpu = t_.probes.gpu;
    if (t_.probes.gpu_is_assumed && facts_.external->device.empty()) facts_.gpu.reset();
    facts_.probes = t_.probes.probes;
    facts_.bytes.written_there = t_.probes.bytes_written_there;
    facts_.bytes.logged = t_.probes.bytes_written;
  }

  StageTotal& stage(Stage which) { return facts_.window.stages[static_cast<std::size_t>(which)]; }

  const ResolvedSettings& s_;
  const TrialContext& context_;
  const ExternalTrial& t_;
  Facts facts_;
};

}  // namespace

Facts facts_of(const TrialContext& context, const ExternalTrial& trial) {
  return ExternalFactsMaker(context, trial).make();
}

std::map<std::string, std::vector<std::int64_t>> series_of(const TrialContext& context,
                                                           ExternalTrial& trial) {
  std::map<std::string, std::vector<std::int64_t>> series;
  if (!trial.run) return series;
  if (trial.probes.measured) series = std::move(trial.probes.series);
  if (context.settings.measure.trace) series["trace"] = trace_of(*trial.run);
  if (context.settings.measure.observer == 0) return series;
  if (!trial.run->step_ns.empty()) series["step"] = std::move(trial.run->step_ns);
  series["get_blocked"] = std::move(trial.run->get_ns);
  return series;
}

}  // namespace benchbench
