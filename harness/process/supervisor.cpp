#include "harness/process/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/process_tree.h"
#include "harness/core/runtime.h"
#include "harness/process/framed_child.h"
#include "harness/record/device_presets.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/trial/readings/utc_now.h"

namespace benchbench {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{100};  // how often flags and deadlines are looked at
// Orphans of a child: helpers that tidy up once their process has ended, then all others.
constexpr std::chrono::milliseconds kLeaveByThemselves{300}, kKilled{700};

constexpr std::string_view kUnsent = "ended before the trial started";
constexpr const char* kBudgetSpent = "the budget was used up before it ended";

bool stopped(const SupervisorOptions& o) {
  return o.stop && o.stop->load(std::memory_order_relaxed);
}

TrialRecord without_facts(const Trial& trial, const PlannedRun& planned, const SupervisorOptions& o,
                          Status status, std::string cause) {
  TrialRecord r;
  r.trial = trial;
  r.planned = planned;
  r.status = status;
  r.reasons.push_back({"", false, std::move(cause)});
  r.started_at = utc_now();
  r.environment = o.environment;
  return r;
}

std::vector<std::int64_t> int64_values(std::string_view raw) {
  std::vector<std::int64_t> values(raw.size() / sizeof(std::int64_t));
  if (!values.empty()) std::memcpy(values.data(), raw.data(), values.size() * sizeof(std::int64_t));
  return values;
}

struct EndedEarly {
  std::string why;
  TrialProgress at;
};

// One trial in a running child: listens until its record, its end, its hang or the stop flag.
class Conversation {
 public:
  Conversation(FramedChild& child, const Trial& trial, const PlannedRun& planned,
               const SupervisorOptions& options, TrialSink& sink,
               std::optional<Clock::time_point> deadline)
      : child_(child),
        trial_(trial),
        planned_(planned),
        options_(options),
        sink_(sink),
        deadline_(deadline) {}

  // nullopt: the child ended, was killed or talked nonsense; cause() says why.
  std::optional<TrialRecord> run() {
    if (!send_all()) return lost(unsent());
    const auto start = Clock::now();
    const auto limit = hang_limit(trial_.settings, options_.hang_patience);
    for (;;) {
      Frame frame;
      const auto heard = child_.receive(frame, kLook);
      if (heard == FramedChild::Heard::ended) return lost("");
      if (heard == FramedChild::Heard::frame) {
        if (auto record = take(frame)) return record;
      }
      if (was_killed()) return std::nullopt;
      if (Clock::now() - start > limit) {
        child_.kill_group();
        return lost(fmt::format("hung: no result within its timeout of {}; killed",
                                human_duration(timeout_of(trial_.settings))));
      }
    }
  }
  const std::string& cause() const noexcept { return cause_; }
  Status status() const noexcept { return status_; }
  // That the sink ended it, with what it had come to.
  const std::optional<EndedEarly>& ended_early() const noexcept { return ended_early_; }

 private:
  bool send_all() {
    return child_.send("trial", to_json(trial_)) &&
           child_.send("slot", planned_payload(planned_)) && child_.send("run", "");
  }

  std::optional<TrialRecord> take(const Frame& frame) {
    if (frame.kind == "progress") {
      hear(progress_from(frame.payload));
    } else if (frame.kind == "series") {
      const std::size_t end = frame.payload.find('\n');
      series_[frame.payload.substr(0, end)] =
          int64_values(std::string_view(frame.payload).substr(end + 1));
    } else if (frame.kind == "record") {
      TrialRecord record = record_from_json(frame.payload);
      record.raw_series = std::move(series_);
      return record;
    }
    return std::nullopt;
  }
  void hear(const TrialProgress& progress) {
    sink_.progressed(trial_, planned_, progress);
    if (ended_early_) return;
    if (auto why = sink_.may_end(trial_, planned_, progress))
      ended_early_ = {std::move(*why), progress};
  }

  std::string unsent() {
    const std::string hung = child_.why_given_up();
    return hung.empty() ? std::string(kUnsent)
                        : fmt::format("the trial's process {}; killed", hung);
  }
  // True if it was to end, and did not in time.
  bool was_killed() {
    if (stopped(options_) && !ask_to_stop(options_.stop_patience))
      lost("interrupted; it did not stop in time and was killed", Status::aborted);
    else if (ended_early_ && !ask_to_stop(options_.stop_patience))
      lost("it did not stop in time and was killed");
    else if (deadline_ && Clock::now() >= *deadline_ && !ask_to_stop(kLook))
      lost(kBudgetSpent, Status::aborted);
    return !cause_.empty();
  }

  // False once patience is over.
  bool ask_to_stop(std::chrono::milliseconds patience) {
    if (!asked_) {
      asked_ = Clock::now();
      child_.send("stop", "");
    }
    if (Clock::now() - *asked_ < patience) return true;
    child_.kill_group();
    return false;
  }
  std::optional<TrialRecord> lost(std::string cause, Status status = Status::failed) {
    cause_ = std::move(cause);
    status_ = status;
    return std::nullopt;
  }
  FramedChild& child_;
  const Trial& trial_;
  const PlannedRun& planned_;
  const SupervisorOptions& options_;
  TrialSink& sink_;
  const std::optional<Clock::time_point> deadline_;
  std::map<std::string, std::vector<std::int64_t>> series_;
  std::optional<Clock::time_point> asked_;
  std::optional<EndedEarly> ended_early_;
  std::string cause_;
  Status status_ = Status::failed;
};

// Owns the child of the moment: a fresh one where isolation asks for it or the last one was lost.
class Nursery {
 public:
  explicit Nursery(const SupervisorOptions& options) : options_(options) {}
  ~Nursery() {
    if (child_) end();
  }
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;
  FramedChild& child_for(const PlannedRun& planned) {
    const bool fresh = options_.isolation == Isolation::trial || planned.round != round_;
    if (child_ && fresh) retire();
    if (!child_) {
      child_ = std::make_unique<FramedChild>(options_.program, options_.child_arguments,
                                             options_.child_environment);
      round_ = planned.round;
      if (!environment_.empty()) child_->send("environment", environment_);
    }
    return *child_;
  }
  // In virtual time a process's own calibration, 50 ms of it, decides nothing: later children take
  // over the first one's.
  void heard(const TrialRecord& record) {
    if (environment_.empty() && record.facts.simulated) environment_ = to_json(record.environment);
  }
  // How it ended, in words.
  std::string retire() {
    if (!child_) return "";
    const std::string how = child_->finish(options_.stop_patience);
    end();
    return how;
  }

 private:
  // Whatever it left in groups of their own, such as a user's interpreter and its workers, goes
  // with it.
  void end() {
    child_.reset();
    end_descendants(kKilled, kLeaveByThemselves);
  }
  const SupervisorOptions& options_;
  std::unique_ptr<FramedChild> child_;
  std::uint32_t round_ = ~0u;
  std::string environment_;  // for children to come
};

// The times of its start are lost with it; `took` is all of it.
TrialRecord cut_short(const Trial& trial, const PlannedRun& planned,
                      const SupervisorOptions& options, const EndedEarly& early,
                      Clock::duration took) {
  TrialRecord r = without_facts(trial, planned, options, Status::invalid, early.why);
  r.reasons.front().invalid = true;
  const double seconds = early.at.share * to_seconds(resolve(trial.settings).measure.window);
  WindowFacts& window = r.facts.window;
  window.ns = static_cast<std::int64_t>(1e9 * seconds);
  window.samples = static_cast<std::uint64_t>(std::lround(early.at.samples_per_second * seconds));
  r.facts.start.startup_ns = std::max<std::int64_t>(0, Nanoseconds(took).count() - window.ns);
  return r;
}

// A process that could not observe its environment has none to give.
TrialRecord with_environment(TrialRecord record, const SupervisorOptions& options) {
  if (record.environment.machine.empty()) record.environment = options.environment;
  return record;
}

// Says why there is no record. `how`: as the process ended, "" where it did not have to be waited
// for.
std::string why_lost(const std::string& cause, const std::string& how) {
  if (cause == kUnsent && !how.empty())
    return fmt::format("the trial's process {}{}", as_predicate(how),
                       how.starts_with("could not") ? "" : " before the trial started");
  if (!cause.empty()) return cause;
  return how.empty() ? "the trial's process exited (status 0) without a result"
                     : "the trial's process " + as_predicate(how);
}

TrialRecord run_in_child(const Trial& trial, const PlannedRun& planned,
                         const SupervisorOptions& options, Nursery& nursery, TrialSink& sink,
                         std::optional<Clock::time_point> deadline) {
  const auto began = Clock::now();
  std::optional<Conversation> talk;
  std::string cause;  // that it could not be started, or what it said that is no record
  try {
    talk.emplace(nursery.child_for(planned), trial, planned, options, sink, deadline);
    std::optional<TrialRecord> record = talk->run();
    if (talk->ended_early()) nursery.retire();  // asked to stop once, a child runs no other trial
    const bool ended_by_itself = record && record->status != Status::aborted;
    if (talk->ended_early() && !ended_by_itself && !stopped(options))
      return cut_short(trial, planned, options, *talk->ended_early(), Clock::now() - began);
    if (record) return with_environment(std::move(*record), options);
    cause = talk->cause();
  } catch (const Error& e) {
    cause = e.what();
  }
  const std::string how = nursery.retire();
  const bool aborted = stopped(options) || (talk && talk->status() == Status::aborted);
  return without_facts(trial, planned, options, aborted ? Status::aborted : Status::failed,
                       why_lost(cause, how));
}

// For a trial in this process: asks it to stop at the deadline, or where the run is stopped.
class DeadlineWatch final : public Job {
 public:
  DeadlineWatch(const SupervisorOptions& options, Clock::time_point deadline)
      : options_(options), deadline_(deadline), task_(runtime_->spawn("deadline", *this)) {}
  ~DeadlineWatch() override {
    over_.store(true);
    runtime_->unpark(waiter_);
    task_->join();
  }
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;
  void run() override {
    while (!over_.load() && !stop_.load()) {
      if (stopped(options_) || Clock::now() >= deadline_)
        stop_.store(true);
      else
        runtime_->park(waiter_, runtime_->now() + kLook);
    }
  }
  const std::atomic<bool>& stop() const noexcept { return stop_; }

 private:
  const SupervisorOptions& options_;
  const Clock::time_point deadline_;
  std::atomic<bool> over_{false}, stop_{false};
  Waiter waiter_;
  const std::unique_ptr<Runtime> runtime_ = make_real_runtime();
  const std::unique_ptr<Task> task_;  // last: it runs at once
};

TrialRecord run_in_this_process(const Trial& trial, const PlannedRun& planned,
                                const SupervisorOptions& options,
                                std::optional<Clock::time_point> deadline) {
  static const std::atomic<bool> never{false};
  if (!deadline) return options.run_here(trial, planned, options.stop ? *options.stop : never);
  const DeadlineWatch watch(options, *deadline);
  return options.run_here(trial, planned, watch.stop());
}

// A kernel that fails, or a device that is lost, breaks the CUDA context of its process for every
// later call.
bool may_be_broken(const TrialRecord& record) {
  return record.status == Status::failed &&
         is_cuda(record.trial.settings.get_if(keys::trainer.device).value_or(""));
}

SupervisorEnd end_of(BudgetSays says) noexcept {
  return says == BudgetSays::enough ? SupervisorEnd::enough : SupervisorEnd::out_of_time;
}

// A run, from its first planned run on.
class Supervision {
 public:
  Supervision(const Plan& plan, std::span<const PlannedRun> todo, const SupervisorOptions& options,
              TrialSink& sink)
      : plan_(plan),
        todo_(todo),
        options_(options),
        sink_(sink),
        nursery_(options),
        budget_(options.budget, todo) {
    if (const auto seconds = budget_.deadline())
      deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(*seconds));
  }

  SupervisorEnd run() {
    for (std::size_t at = 0; at < todo_.size(); ++at) {
      if (const auto end = end_before(at)) return *end;
      if (const auto end = run_one(at)) return *end;
    }
    nursery_.retire();
    return stopped(options_) ? SupervisorEnd::stopped : SupervisorEnd::complete;
  }

 private:
  // Why nothing more is started; nullopt: the next one is.
  std::optional<SupervisorEnd> end_before(std::size_t at) {
    const std::uint32_t round = todo_[at].round;
    if (stopped(options_)) return SupervisorEnd::stopped;
    if (round_ != round && options_.enough_rounds && options_.enough_rounds(round))
      return SupervisorEnd::settled;
    round_ = round;
    const BudgetSays says = budget_.look(at, seconds_since(start_));
    return says == BudgetSays::go_on ? std::nullopt : std::optional(end_of(says));
  }

  // Hands its record over. Why it is the last one; nullopt: others may follow.
  std::optional<SupervisorEnd> run_one(std::size_t at) {
    const auto began = Clock::now();
    const PlannedRun& planned = todo_[at];
    TrialRecord record = make_record(plan_.trials.at(planned.trial), planned);
    nursery_.heard(record);
    if (may_be_broken(record)) nursery_.retire();
    const bool spent = is_over_budget(record);
    if (spent) record.reasons = {{"", false, kBudgetSpent}};
    sink_.finished(record);
    if (spent) return end_of(budget_.end_at(at));
    if (record.status == Status::aborted) return SupervisorEnd::stopped;
    budget_.learn(planned.trial, seconds_since(began));
    return std::nullopt;
  }

  bool is_over_budget(const TrialRecord& record) const {
    return record.status == Status::aborted && !stopped(options_) && deadline_ &&
           Clock::now() >= *deadline_;
  }

  TrialRecord make_record(const Trial& trial, const PlannedRun& planned) {
    sink_.started(trial, planned);
    if (trial.skip) return without_facts(trial, planned, options_, Status::skipped, *trial.skip);
    return options_.isolation == Isolation::none
               ? run_in_this_process(trial, planned, options_, deadline_)
               : run_in_child(trial, planned, options_, nursery_, sink_, deadline_);
  }

  const Plan& plan_;
  const std::span<const PlannedRun> todo_;
  const SupervisorOptions& options_;
  TrialSink& sink_;
  Nursery nursery_;
  BudgetWatch budget_;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> deadline_;
  std::optional<std::uint32_t> round_;
};
}  // namespace

std::chrono::milliseconds hang_limit(const SettingsMap& settings,
                                     std::chrono::milliseconds hang_patience) {
  const auto timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout_of(settings));
  return timeout + std::max(hang_patience, timeout / 10);
}

SupervisorEnd supervise(const Plan& plan, std::span<const PlannedRun> todo,
                        const SupervisorOptions& options, TrialSink& sink) {
  become_subreaper();
  spare_present_descendants();
  return Supervision(plan, todo, options, sink).run();
}

}  // namespace benchbench
