#include "harness/trial/external/external_trial.h"

#include <fmt/format.h>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/core/process_tree.h"
#include "harness/record/setting_keys.h"
#include "harness/trial/external/external_order.h"
#include "harness/trial/readings/clock_slew.h"
#include "harness/trial/trial_end.h"

namespace benchbench {
namespace {

// Its own helpers (multiprocessing's trackers) tidy up and leave by themselves once their process
// has ended.
constexpr std::chrono::milliseconds kLeaveByThemselves{500}, kKilled{1000};
constexpr const char* kFailedThere = "the trial failed in the process of the trial before";

// True if another trial may come in the process that runs this one.
bool others_may_follow(const SettingsMap& settings) {
  return settings.get_if(keys::measure.isolation) != "trial";
}

std::string text_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown error";
  }
}

// Hears the process, and looks at it from outside meanwhile.
class Ear final : public ExternalListener {
 public:
  // Before there is a process of the trial: who is on a card now is a stranger.
  Ear(const TrialContext& context, ExternalTrial& trial) : context_(context), trial_(trial) {
    if (context.settings.measure.probe_every.count() > 0)
      cards_ = CardSearch::make(context.executor.environment.gpu_uuids, context.runtime);
  }

  // From here on there is a process to look at.
  void watch(int pid) {
    tree_.emplace(context_.runtime, pid, context_.settings.measure.probe_every);
    if (context_.settings.measure.probe_every.count() <= 0) return;
    const bool reads = reads_in_window(context_.trial.settings, trial_.way);
    probes_.emplace(TrialProbes::Order{
        .runtime = context_.runtime,
        .every = context_.settings.measure.probe_every,
        .dataset = reads ? std::string(context_.executor.dataset.path) : std::string(),
        .cards = cards_.get(),
        .root = pid,
        .device = context_.settings.trainer.device});
  }

  void progressed(ExternalPhase phase, double share, double rate,
                  std::span<const int> workers) override {
    if (tree_) tree_->workers(workers);
    if (probes_ && phase == ExternalPhase::warming_up) probes_->look_for_card();
    if (context_.executor.progress) context_.executor.progress({phase, share, rate});
  }

  void segment_begins(std::span<const int> workers) override {
    if (!tree_) return;
    tree_->workers(workers);
    tree_->begin_segment();
    const Nanoseconds before = context_.runtime.thread_cpu_time();
    if (!first_clocks_) first_clocks_ = read_clock_pair();
    if (probes_) probes_->begin_segment();
    before_ = read_with_tree();
    trial_.edge_cost += context_.runtime.thread_cpu_time() - before;
  }

  void segment_ends() override {
    if (!tree_) return;
    tree_->end_segment();
    const ResourceUse use = used_between(before_, read_with_tree());
    trial_.used = trial_.used ? *trial_.used + use : use;
    if (probes_) probes_->end_segment();
    if (const auto clocks = read_clock_pair(); clocks && first_clocks_)
      trial_.clock_slew_ppm = clock_slew_ppm(*first_clocks_, *clocks);
  }

  void look() override {
    context_.interruption.check(context_.runtime.now());
    if (tree_) tree_->look();
  }

  // What was seen so far.
  void end() {
    if (probes_) {
      probes_->stop();
      trial_.probes = of_the_machine(probes_->results());
    }
    if (!tree_) return;
    trial_.tree = tree_->seen();
    trial_.memory = tree_->memory().growth();
    trial_.peak_memory = tree_->memory().peak();
  }

 private:
  // Counts what the tree, which has just been read, had of the CPUs as ours.
  ResourceCounters read_with_tree() const {
    ResourceCounters read = read_resources();
    if (read.shared) read.shared->own_s += 1e-9 * static_cast<double>(tree_->spent_ns());
    return read;
  }

  const TrialContext& context_;
  ExternalTrial& trial_;
  std::optional<TreeWatch> tree_;
  std::unique_ptr<CardSearch> cards_;
  std::optional<TrialProbes> probes_;
  ResourceCounters before_;
  std::optional<ClockPair> first_clocks_;
};

const ExternalMaker& maker_of(const TrialContext& context, ExternalWay way) {
  const Catalog& catalog = context.executor.catalog;
  const bool by_loader = way == ExternalWay::self_timed;
  const PartKind kind = by_loader ? PartKind::loader : PartKind::trainer;
  const std::string& use = by_loader ? context.settings.loader.use : context.settings.trainer.use;
  const ExternalMaker& maker = catalog.maker(kind, use).external;
  if (!maker.session)
    throw PartError(fmt::format("{} {} has no process of its own", name_of(kind), use));
  return maker;
}

// What was asked for beyond a window and cannot be had from a process that the harness does not
// schedule.
void note_what_cannot_be(const TrialContext& context, ExternalWay way,
                         std::vector<std::string>& notices) {
  if (context.settings.measure.trace)
    notices.push_back("no trace: the events of this trial are in a process of its own");
  if (way == ExternalWay::replayed) return;
  notices.push_back(not_accounted(context.settings.loader.use));
}

// A stop that was asked for, or the trial's time is up: another try would have none.
bool is_interrupted(const TrialContext& context) {
  try {
    context.interruption.check(context.runtime.now());
    return false;
  } catch (const Error&) {
    return true;
  }
}

// Before anything is started.
void refuse_what_cannot_be(const TrialContext& context) {
  if (context.executor.simulated)
    throw PartError(
        "a loader or a trainer in a process of its own cannot run under the simulated clock",
        "drop --clock simulated");
  if (has_background_loader(context.trial.settings))
    throw DeviceError(
        "the trainer with a background loader (measure.interference) cannot be measured: the two "
        "would be in one process of the user's");
  for (const std::string_view key : std::initializer_list<std::string_view>{
           keys::trainer.postprocess.every, keys::trainer.checkpoint.every,
           keys::trainer.log_every})
    if (context.trial.settings.given(key))
      throw ScenarioError(fmt::format("{} has no effect on a step in a process of its own", key),
                          fmt::format("drop {}, or do it in your own step", key));
}

// True if it failed in a process that had run others. A fresh one may do what that one cannot:
// torch, say, sets its number of interop threads once a process.
bool run_session(const TrialContext& context, Ear& ear, ExternalTrial& trial, bool shares) {
  const OrderOfTrial order(context, trial.way, shares);
  trial.num_workers = order.num_workers();
  prepare_cache(context, trial.way, trial.cache, trial.notices);
  const TimePoint began = context.runtime.now();
  const auto session = maker_of(context, trial.way).session(order.order());
  try {
    session->start(ear);
    trial.loaded_ns = (context.runtime.now() - began).count();
    ear.watch(session->pid());
    trial.run = session->run(ear);
    ear.end();
  } catch (...) {
    trial.cause = std::current_exception();
    ear.end();
    return session->trials_before() > 0 && !is_interrupted(context);
  }
  return false;
}

// True if it is worth another try.
bool try_to_run(const TrialContext& context, ExternalTrial& trial, bool shares) {
  Ear ear(context, trial);
  bool again = false;
  try {
    refuse_what_cannot_be(context);
    note_what_cannot_be(context, trial.way, trial.notices);
    if (context.executor.progress) context.executor.progress({Phase::starting, 0, 0});
    become_subreaper();
    again = run_session(context, ear, trial, shares);
  } catch (...) {
    if (!trial.cause) trial.cause = std::current_exception();
  }
  end_descendants(kKilled, kLeaveByThemselves);
  return again;
}

}  // namespace

ExternalTrial run_external(const TrialContext& context, ExternalWay way) {
  ExternalTrial trial;
  trial.way = way;
  if (try_to_run(context, trial, others_may_follow(context.trial.settings))) {
    const std::string why = fmt::format("{}: {}", kFailedThere, text_of(trial.cause));
    trial = {};
    trial.way = way;
    try_to_run(context, trial, /*shares=*/false);
    if (trial.run)
      trial.run->facts.why_fresh = why;
    else
      trial.notices.push_back(why);
  }
  if (trial.run)
    trial.notices.insert(trial.notices.end(), trial.run->notices.begin(), trial.run->notices.end());
  return trial;
}

}  // namespace benchbench
