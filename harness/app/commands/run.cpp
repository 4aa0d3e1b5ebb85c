// `benchbench run FILE`: plan, make the data, run every trial, report.
#include <fmt/format.h>
#include <malloc.h>

#include <optional>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/rules/stopping.h"
#include "harness/app/doctor/expected_device.h"
#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/app/options.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/job_options.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/run/outputs.h"
#include "harness/app/run/run_progress.h"
#include "harness/app/run/run_words.h"
#include "harness/app/run/trial_estimate.h"
#include "harness/app/tell.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/process/supervisor.h"
#include "harness/record/setting_keys.h"

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

// Reads the journal: while trials run only their counts are kept in memory. nullopt, and an error
// is said, where it cannot be read.
std::optional<std::vector<TrialRecord>> read_records(const std::string& folder) {
  try {
    return latest_of_each(RunFolder::read(folder).records);
  } catch (const Error& e) {
    tell_error(e);
    return std::nullopt;
  }
}

// Returns false where it failed, which is said; the report comes all the same.
bool try_export(const std::string& folder) {
  try {
    export_in_child(folder);
    return true;
  } catch (const Error& e) {
    tell("warning: results.h5 was not written: {} (`{}` tries again)\n", e.what(),
         as_called("benchbench report " + folder + " --h5"));
    return false;
  }
}

// Returns true if the folder at the run's path is its own. Where another was put there, an error
// says so, once.
bool is_in_place(const RunFolder& folder, bool told) {
  try {
    folder.check_in_place();
    return true;
  } catch (const StoreError& e) {
    if (!told) tell_error(e);
    return false;
  }
}

bool is_without(const std::string& device) {
  const auto why = lacks_device(device, look_at_this_machine());
  if (why) tell("error: --expect-device {}: {}\n", device, *why);
  return why.has_value();
}

// A run up to its trials.
struct ReadyRun {
  PreparedPlan plan;
  bool resumed = false;
  double estimated = 0;                 // seconds, before first trials
  std::vector<TrialRecord> first = {};  // trials, which are the run's own
};

// First trials price what never ran here if there is a budget, and the plan is fitted to the time
// that is left.
void price_plan(ReadyRun& run, RunTime& time) {
  PreparedPlan& p = run.plan;
  write_prices(p.cache_folder, p.environment.machine, p.context.prices);
  if (!p.plan.scenario.base.has(keys::measure.budget)) return;
  const double began = time.seconds();
  run.first = run_first_trials(p, time.seconds_for_first_trials(p));
  time.not_own(time.seconds() - began);
  if (!interrupted()) fit_to_prices(p, time.seconds());
  run.first = find_in_plan(std::move(run.first), p.plan);
  if (!interrupted()) make_data(p, {.time = &time});
}

// Plans a run and makes its data; those of one that is resumed are made when its plan is known.
ReadyRun get_ready(const Arguments& arguments, const std::optional<JobAsked>& job, RunTime& time) {
  // Before data of the user's code are made.
  if (arguments.flag("--out") && !arguments.flag("--resume"))
    RunFolder::refuse_used(arguments.text("--out"));
  const DataMaking making{.time = &time};
  ReadyRun run{prepare_plan_with_code(arguments, &making)};
  PreparedPlan& p = run.plan;
  check_job(job, p.plan);
  run.resumed = resumes(arguments, p.plan.scenario.name);
  if (!run.resumed && arguments.flag("--out")) RunFolder::refuse_used(arguments.text("--out"));
  run.estimated = p.plan.price.seconds;
  if (run.resumed) return run;
  make_data(p, making);
  price_plan(run, time);
  return run;
}

// Begins the run, or goes on with it.
OpenedRun open_run(const Arguments& arguments, ReadyRun& run, RunTime& time) {
  PreparedPlan& p = run.plan;
  const std::string path = run_path(arguments, p.plan.scenario.name);
  p.plan.labels = read_labels(arguments);
  p.plan.command = run_command_text(arguments, kOptionsOfMeasuring);
  OpenedRun opened = run.resumed ? resume_run(path, p) : begin_run(path, p.plan, p.environment);
  print_start(p, path, run.resumed, arguments.flag("--quiet"));
  if (run.resumed) make_data(p, {.time = &time});
  return opened;
}

// Returns true if a run ends before its plan does: every trial failed, or its rates are narrow
// enough.
bool is_settled(const Plan& plan, const Session& session, std::uint32_t complete) {
  if (complete > 0 && session.nothing_runs()) return true;
  const StoppingRule rule = stopping_rule_of(plan);
  return rule != StoppingRule::fixed && enough(rule, plan, session.records(), complete);
}

std::string continue_command(const Arguments& arguments, const std::string& folder) {
  return resume_command(arguments, kOptionsOfRun, folder);
}

// Returns the exit codes of what went wrong.
std::vector<int> run_trials(const Arguments& arguments, PreparedPlan& p,
                            const std::vector<PlannedRun>& todo, Session& session, RunTime& time) {
  RunProgress progress(p, todo, time.budget_of_trials(p), arguments.flag("--quiet"));
  PriceLesson lesson(p.context.prices);
  const SessionWatch watch{
      .started = [&](const Trial& trial, const PlannedRun& run) { progress.started(trial, run); },
      .progressed = [&](const Trial&, const TrialProgress& at) { progress.progressed(at); },
      .finished =
          [&](const TrialRecord& record, double seconds) {
            progress.finished(record);
            lesson.learn(record, seconds);
          }};
  try {
    const SupervisorEnd end = session.run(
        p.plan, todo,
        {.isolation = read_isolation(p.plan),
         .budget = time.budget_of_trials(p),
         .enough_rounds = [&](std::uint32_t round) { return is_settled(p.plan, session, round); }},
        watch);
    time.not_own(session.seconds());
    tell_end(end, p.plan, session, continue_command(arguments, session.folder().path()),
             arguments.flag("--quiet"));
    if (end == SupervisorEnd::out_of_time) return {kBudgetEnded};
  } catch (const Error& e) {  // what was measured is still reported
    tell("\n");
    tell_error(e);
    return {e.kind() == ErrorKind::store ? kNotWritten : kTrialFailed};
  }
  return {};
}

// Writes the report. Returns the exit code of what was measured; `codes` has what was not written.
int report(const Arguments& arguments, const std::optional<JobAsked>& job, const Plan& plan,
           const std::vector<TrialRecord>& records, const std::string& folder,
           std::vector<int>& codes) {
  Findings findings = analyse(plan, records, &built_in_catalog());
  add_job(job, plan, findings);
  try {
    write_outputs(arguments, findings, plan, records, folder);
  } catch (const StoreError& e) {
    tell_error(e);
    codes.push_back(kNotWritten);
  }
  return exit_code_of(findings, plan, arguments.flag("--strict"));
}

// Exports and reports what was measured, and learns from it.
int end_run(const Arguments& arguments, const std::optional<JobAsked>& job, const ReadyRun& run,
            const std::string& folder, const RunTime& time, std::vector<int> codes) {
  const PreparedPlan& p = run.plan;
  if (!try_export(folder)) codes.push_back(kNotWritten);
  const auto records = read_records(folder);
  if (!records) return kNotWritten;
  // The report's reader may hold it up: `| less`.
  const double own = time.own_seconds(), all = time.seconds();
  const int code = report(arguments, job, p.plan, *records, folder, codes);
  if (codes.empty() && !run.resumed && !interrupted())
    learn_run_time(p, own, all, run.estimated);
  else
    write_prices(p.cache_folder, p.environment.machine, p.context.prices);
  if (interrupted())
    tell("interrupted: {} kept; continue with: {}\n",
         counted(finished_trials(*records), "finished trial"),
         as_called(continue_command(arguments, folder)));
  codes.insert(codes.end(), {code, interrupt_exit_code()});
  return strongest(codes);
}

int run_run(const Arguments& arguments) {
  RunTime time;
  check_outputs(arguments, {arguments.positional(), arguments.list("--out")});
  if (arguments.flag("--expect-device") && is_without(arguments.text("--expect-device")))
    return kLacking;
  const std::optional<JobAsked> job = job_asked(arguments);
  read_labels(arguments);  // refused before anything is made
  listen_for_interrupts();
  ReadyRun run = get_ready(arguments, job, time);
  OpenedRun opened = open_run(arguments, run, time);
  PreparedPlan& p = run.plan;
  const auto todo = still_to_do(p.plan, p.plan.order, run.resumed ? opened.records : run.first,
                                arguments.flag("--retry-failed"));
  Session session(p, std::move(opened),
                  {.records = stopping_rule_of(p.plan) != StoppingRule::fixed});
  for (TrialRecord& record : run.first) session.store(record);
  ::malloc_trim(0);  // what reading a long journal took is not needed while measuring
  std::vector<int> codes = run_trials(arguments, p, todo, session, time);
  if (!is_in_place(session.folder(), strongest(codes) == kNotWritten))
    return strongest({kNotWritten, interrupt_exit_code()});
  return end_run(arguments, job, run, session.folder().path(), time, std::move(codes));
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
