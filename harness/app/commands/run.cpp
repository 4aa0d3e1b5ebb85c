// `benchbench run FILE`: plan, make the data, run every trial, report.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>

#include "harness/analysis/rules.h"
#include "harness/analysis/stopping.h"
#include "harness/app/doctor/expected_device.h"
#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/run/dataset_step.h"
#include "harness/app/run/job_options.h"
#include "harness/app/run/outputs.h"
#include "harness/app/run/prepared_plan.h"
#include "harness/app/run/price_file.h"
#include "harness/app/run/run_place.h"
#include "harness/app/run/run_progress.h"
#include "harness/app/run/run_time.h"
#include "harness/app/run/trial_estimate.h"
#include "harness/app/run/trial_runner.h"
#include "harness/app/run_so_far.h"
#include "harness/app/tell.h"
#include "harness/core/called_as.h"
#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/plan/order.h"
#include "harness/plan/price.h"
#include "harness/plan/starts.h"
#include "harness/process/supervisor.h"
#include "harness/report/budget_words.h"
#include "harness/report/terminal/progress_line.h"

namespace benchbench {
namespace {

constexpr Option kRunOptions[] = {
    {"--retry-failed", "", "with --resume: repeat FAILED trials too"},
    {"--isolation", "HOW", "one process per round (default), per trial, or none"},
    {"--expect-device", "DEVICE", "exit with 6 at once if the machine lacks it (cuda)"},
    {"--label", "KEY=VALUE", "kept with the run: driver=570", true},
};
// Which outputs there are is another matter.
const std::vector<Option> kOptionsOfMeasuring =
    joined({shared_options({"--out", "--resume"}), kRunOptions,
            shared_options({"--strict", "--quiet"}), scenario_options()});
const std::vector<Option> kOptionsOfRun =
    joined({kOptionsOfMeasuring, job_options(), output_options()});

// A record is stored with its verdict: whoever reads the journal sees what the report says. Rules
// of a later version judge anew.
void store(TrialRecord& record, RunFolder& folder) {
  Judgement judgement = judge(record);
  record.status = judgement.status;
  record.reasons = std::move(judgement.reasons);
  folder.append(record);
  record.raw_series.clear();
}

// Stores each record before the next trial starts, learns its price, tells the progress.
class RunSink final : public TrialSink {
 public:
  RunSink(RunFolder& folder, PreparedPlan& prepared, RunProgress& progress, SoFar& so_far)
      : folder_(folder), lesson_(prepared.prices), progress_(progress), so_far_(so_far) {}
  void started(const Trial& trial, const PlannedRun& planned) override {
    began_ = Clock::now();
    progress_.started(trial, planned);
  }
  void progressed(const Trial& trial, const PlannedRun& planned, const TrialProgress& p) override {
    progress_.progressed(trial, planned, p);
    folder_.sync_if_due();
  }
  void finished(TrialRecord& record) override {
    store(record, folder_);
    progress_.finished(record);
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    lesson_.learn(record, seconds);
    seconds_ += seconds;
    so_far_.add(record);
  }
  double seconds() const noexcept { return seconds_; }  // of all trials so far

 private:
  using Clock = std::chrono::steady_clock;
  RunFolder& folder_;
  PriceLesson lesson_;
  RunProgress& progress_;
  SoFar& so_far_;
  Clock::time_point began_;
  double seconds_ = 0;
};

Isolation isolation_of(const Arguments& arguments, const SettingsMap& base) {
  const std::string text = arguments.text(
      "--isolation", base.has("measure.isolation") ? base.text("measure.isolation") : "round");
  if (text == "round") return Isolation::round;
  if (text == "trial") return Isolation::trial;
  if (text == "none") return Isolation::none;
  throw UsageError(fmt::format("--isolation {}: expected round, trial or none", text));
}

SupervisorOptions options_for(const Arguments& arguments, const PreparedPlan& p, TrialRunner& here,
                              const RunTime& time, const SoFar& so_far) {
  SupervisorOptions o;
  o.isolation = isolation_of(arguments, p.plan.scenario.base);
  o.program = kOwnProgram;
  o.child_arguments = {"child", "--cache", p.cache_folder};
  if (p.simulated) o.child_arguments.emplace_back("--simulated");
  o.environment = p.environment;
  o.stop = &interrupted();
  o.budget = time.budget_of_trials(p);
  o.run_here = [&here](const Trial& trial, const PlannedRun& planned,
                       const std::atomic<bool>& stop) {
    return here.run(trial, planned, {}, &stop);
  };
  o.enough_rounds = [&p, &so_far, rule = stopping_rule_of(p.plan)](std::uint32_t complete) {
    if (complete > 0 && so_far.nothing_runs()) return true;
    return rule != StoppingRule::fixed &&
           enough(rule, p.plan, latest_of_each(so_far.records()), complete);
  };
  return o;
}

// In the order given; of a key that is given twice the last counts.
std::vector<std::pair<std::string, std::string>> labels_of(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& text : arguments.list("--label")) {
    const std::size_t at = text.find('=');
    const bool plain =
        std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (at == std::string::npos || at == 0 || at + 1 == text.size() || !plain)
      throw UsageError(
          fmt::format("--label {}: expected KEY=VALUE without control characters", text),
          "such as --label driver=570");
    const std::string key = text.substr(0, at);
    std::erase_if(out, [&](const auto& label) { return label.first == key; });
    out.emplace_back(key, text.substr(at + 1));
  }
  return out;
}

// Of the journal: while trials run only what they came to is kept in memory, whatever their number.
// None where it cannot be read, which is told.
std::optional<std::vector<TrialRecord>> records_of(const std::string& folder) {
  try {
    return latest_of_each(RunFolder::read(folder).records);
  } catch (const Error& e) {
    tell_error(e);
    return std::nullopt;
  }
}

struct OpenedRun {
  RunFolder folder;
  std::vector<TrialRecord> records;
};

// Reads the journal on a thread, whose heap is another one: what little the run needs later would
// else be spread over all that this took, and bring back page after page of it.
class Resuming final : public Job {
 public:
  Resuming(const std::string& path, Journal& stored) : path_(path), stored_(stored) {}
  void run() override {
    try {
      folder_.emplace(RunFolder::resume(path_, stored_));
    } catch (...) {
      failed_ = std::current_exception();
    }
  }
  RunFolder folder() {
    const auto runtime = make_real_runtime();
    runtime->spawn("journal", *this)->join();
    if (failed_) std::rethrow_exception(failed_);
    return std::move(*folder_);
  }

 private:
  const std::string& path_;
  Journal& stored_;
  std::optional<RunFolder> folder_;
  std::exception_ptr failed_;
};

// A resumed run keeps the plan it was started with: prices learned since may cut a budget
// elsewhere.
OpenedRun open_run(const Arguments& arguments, PreparedPlan& p, bool resumed) {
  const std::string path = run_path(arguments, p.plan.scenario.name);
  p.plan.labels = labels_of(arguments);
  p.plan.command = run_command_text(arguments, kOptionsOfMeasuring);
  if (!resumed) return {RunFolder::create(path, p.plan, p.environment), {}};
  Journal stored;
  RunFolder folder = Resuming(path, stored).folder();
  for (const std::string& note : stored.notes) tell(fmt::format("note: {}\n", note));
  check_same(stored, p.plan, p.environment);
  take_plan(p, with_budget_of(std::move(stored.plan), p.plan));
  tell(fmt::format("resuming {}: {} found\n", path, counted(stored.records.size(), "record")));
  return {std::move(folder), latest_of_each(stored.records)};
}

void print_start(const PreparedPlan& p, const std::string& folder, bool resumed) {
  const Plan& plan = p.plan;
  print_fitted(stderr, fmt::format("{}: {}\n", plan.scenario.name,
                                   plan.scenario.question.empty() ? plan.scenario.source
                                                                  : plan.scenario.question));
  print_decisions(stderr, plan.scenario);
  const std::string time = p.simulated
                               ? "in virtual time, without waiting"
                               : fmt::format("about {} ({})", time_text(plan), plan.price.basis);
  print_fitted(stderr, fmt::format("  {}, {}, {}\n", counted(plan.points.size(), "point"),
                                   trials_text(plan), time));
  if (const auto start = known_start(plan.scenario.base, p.prices))
    print_fitted(stderr, fmt::format("  {}\n", start_text(*start, plan.scenario.base)));
  for (const std::string& line : budget_lines(plan))
    print_fitted(stderr, fmt::format("  {}{}\n", resumed ? "when it began: " : "", line));
  print_fitted(stderr, fmt::format("  results: {}\n", folder));
}

// What the store could not take after the trials; the report comes all the same.
std::optional<std::string> try_export(const std::string& folder) {
  try {
    export_in_child(folder);
    return std::nullopt;
  } catch (const Error& e) {
    return fmt::format("results.h5 was not written: {} (`{}` tries again)", e.what(),
                       as_called("benchbench report " + folder + " --h5"));
  }
}

// Why a run with measure.stop_at has as many rounds as it has.
void tell_rounds(const Plan& plan, const std::vector<TrialRecord>& records) {
  const StoppingRule rule = stopping_rule_of(plan);
  if (rule == StoppingRule::fixed) return;
  const std::vector<PlannedRun> left = still_to_do(plan, records, false);
  const std::uint32_t complete = left.empty() ? max_rounds(plan) : left.front().round;
  tell(fmt::format("\n{}\n",
                   stopping_text(stopping_state(rule, plan, latest_of_each(records), complete))));
}

void tell_end(SupervisorEnd end, const Arguments& arguments, const Plan& plan, const OpenedRun& run,
              const SoFar& so_far) {
  if (end == SupervisorEnd::settled && so_far.nothing_runs())
    tell(fmt::format("stopped after {}: every trial failed\n",
                     counted(so_far.last_round() + 1, "round")));
  else if (end == SupervisorEnd::settled || end == SupervisorEnd::complete)
    tell_rounds(plan, so_far.records());
  if (end != SupervisorEnd::enough && end != SupervisorEnd::out_of_time) return;
  const std::string budget = plan.scenario.base.text("measure.budget");
  if (end == SupervisorEnd::enough)
    tell(fmt::format(
        "the budget of {} has no room for another round: the report is of those done\n", budget));
  else
    tell(fmt::format(
        "stopped: the budget of {} ended before {}\n", budget,
        least_rounds(plan) == 1 ? "one round was complete" : "two rounds were complete"));
  tell(fmt::format("continue with: {}\n",
                   as_called(resume_command(arguments, kOptionsOfRun, run.folder.path()))));
}

// Exit codes of what went wrong; what was measured lies in `run`.
std::vector<int> run_trials(const Arguments& arguments, PreparedPlan& p, OpenedRun& run,
                            RunTime& time) {
  const std::vector<PlannedRun> todo =
      still_to_do(p.plan, run.records, arguments.flag("--retry-failed"));
  TrialRunner here(p.cache_folder, p.simulated, interrupted());
  RunProgress progress(p, todo, time.budget_of_trials(p), arguments.flag("--quiet"));
  SoFar so_far(stopping_rule_of(p.plan) != StoppingRule::fixed, std::move(run.records));
  ::malloc_trim(0);  // what reading a long journal took is not needed while measuring
  RunSink sink(run.folder, p, progress, so_far);
  const auto timed = [&] { time.not_own(sink.seconds()); };
  try {
    const SupervisorEnd end =
        supervise(p.plan, todo, options_for(arguments, p, here, time, so_far), sink);
    timed();
    run.folder.sync();
    tell_end(end, arguments, p.plan, run, so_far);
    if (end == SupervisorEnd::out_of_time) return {kBudgetEnded};
  } catch (const Error& e) {  // what was measured is still told
    tell("\n");
    tell_error(e);
    return {e.kind() == ErrorKind::store ? kNotWritten : kTrialFailed};
  }
  return {};
}

// Whether the folder at the run's path is its own. Where another was put there, an error says so,
// once.
bool is_in_place(const RunFolder& folder, bool told) {
  try {
    folder.check_in_place();
    return true;
  } catch (const StoreError& e) {
    if (!told) tell_error(e);
    return false;
  }
}

bool make_data(PreparedPlan& p, RunTime& time) {
  const double began = time.seconds();
  const bool made = make_datasets(p.plan, p.cache_folder, &p.prices, time.deadline(p));
  time.not_own(time.seconds() - began);
  return made;
}

// Makes the data of the plan. Where there is a budget, first trials price what has never run here,
// and the plan is made again for the time that is left; those of them that it has are `first`.
// False where the budget ended before the data were there.
bool get_ready(const Arguments& arguments, PreparedPlan& p, RunTime& time,
               std::vector<TrialRecord>& first) {
  if (!make_data(p, time)) return false;
  write_prices(p.cache_folder, p.environment.machine, p.prices);
  if (!p.plan.scenario.base.has("measure.budget")) return true;
  const double began = time.seconds();
  first = run_first_trials(p, time.seconds_for_first_trials(p),
                           isolation_of(arguments, p.plan.scenario.base));
  time.not_own(time.seconds() - began);
  if (!interrupted()) p = prepare_again(arguments, p, time.seconds());
  first = find_in_plan(std::move(first), p.plan);
  return interrupted() || make_data(p, time);  // it may be cut less now
}

// The first trials are the run's own.
void add_first_trials(std::vector<TrialRecord> first, OpenedRun& run) {
  for (TrialRecord& record : first) {
    store(record, run.folder);
    run.records.push_back(std::move(record));
  }
}

// The user's code is called with its data: those are made first where they are not there.
bool look_once_data_are_there(const Arguments& arguments, PreparedPlan& p, RunTime& time,
                              bool resumed) {
  if (!p.looker || !p.looker->waits_for_data()) return true;
  if (arguments.flag("--out") && !resumed) RunFolder::refuse_used(arguments.text("--out"));
  if (!make_data(p, time)) return false;
  p = prepare_again(arguments, p, time.seconds());
  return true;
}

int end_without_data(const PreparedPlan& p) {
  tell(
      fmt::format("stopped: the budget of {} ended while data were made; make them first: "
                  "benchbench data '{}'\n",
                  p.plan.scenario.base.text("measure.budget"), p.plan.scenario.source));
  return kBudgetEnded;
}

struct Took {
  double own, all;  // seconds
};

void learn_time(const PreparedPlan& p, const Took& took, double estimated) {
  Prices prices = p.prices;
  prices[run_key(p.simulated)] = {.startup_seconds =
                                      learned_own_seconds(known_own_seconds(p), took.own)};
  write_prices(p.cache_folder, p.environment.machine, prices);
  if (p.simulated) return;
  add_timed_run(
      p.cache_folder, p.environment.machine,
      {p.plan.scenario.source_digest, p.plan.digest, p.plan.scenario.name, estimated, took.all});
}

bool is_without(const std::string& device) {
  const auto why = lacks_device(device, look_at_this_machine());
  if (why) tell(fmt::format("error: --expect-device {}: {}\n", device, *why));
  return why.has_value();
}

int run_run(const Arguments& arguments) {
  RunTime time;
  check_outputs(arguments, {arguments.positional(), arguments.list("--out")});
  if (arguments.flag("--expect-device") && is_without(arguments.text("--expect-device")))
    return kLacking;
  const std::optional<JobAsked> job = job_asked(arguments);
  labels_of(arguments);  // refused before anything is made
  listen_for_interrupts();
  PreparedPlan p = prepare_plan_with_code(arguments);
  check_job(job, p.plan);
  const bool resumed = resumes(arguments, p.plan.scenario.name);
  if (!look_once_data_are_there(arguments, p, time, resumed)) return end_without_data(p);
  const double estimated = p.plan.price.seconds;
  std::vector<TrialRecord> first;
  if (!resumed) {
    // Refuse here, not after minutes of making data.
    if (arguments.flag("--out")) RunFolder::refuse_used(arguments.text("--out"));
    if (!get_ready(arguments, p, time, first)) return end_without_data(p);
  }
  OpenedRun run = open_run(arguments, p, resumed);
  print_start(p, run.folder.path(), resumed);
  add_first_trials(std::move(first), run);
  if (resumed && !make_data(p, time)) return end_without_data(p);
  std::vector<int> codes = run_trials(arguments, p, run, time);
  if (!is_in_place(run.folder, strongest(codes) == kNotWritten))
    return strongest({kNotWritten, interrupt_exit_code()});
  if (auto problem = try_export(run.folder.path())) {
    tell(fmt::format("warning: {}\n", *problem));
    codes.push_back(kNotWritten);
  }
  const auto kept = records_of(run.folder.path());
  if (!kept) return kNotWritten;
  const std::vector<TrialRecord>& records = *kept;
  Findings findings = analyse(p.plan, records, &built_in_catalog());
  add_job(job, p.plan, findings);
  // Whoever reads the report may hold it up: `| less`.
  const Took took{time.own_seconds(), time.seconds()};
  try {
    write_outputs(arguments, findings, p.plan, records, run.folder.path());
  } catch (const StoreError& e) {
    tell_error(e);
    codes.push_back(kNotWritten);
  }
  if (codes.empty() && !resumed && !interrupted())
    learn_time(p, took, estimated);
  else
    write_prices(p.cache_folder, p.environment.machine, p.prices);
  codes.push_back(exit_code_of(findings, p.plan, arguments.flag("--strict")));
  codes.push_back(interrupt_exit_code());
  if (interrupted())
    tell(fmt::format("interrupted: {} kept; continue with: {}\n",
                     counted(finished_trials(records), "finished trial"),
                     as_called(resume_command(arguments, kOptionsOfRun, run.folder.path()))));
  return strongest(codes);
}

}  // namespace

extern const Command run_command{
    "run",
    "measure",
    "measure loader, trainer and both together",
    "FILE",
    kOptionsOfRun,
    "  benchbench run configs/quickstart.yaml\n"
    "  benchbench run configs/resnet.yaml --set dataset.path=my/photos\n"
    "  benchbench run configs/resnet.yaml --rounds 10 --json results.json\n",
    run_run};

}  // namespace benchbench
