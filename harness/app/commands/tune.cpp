// `benchbench tune FILE`: the loader's settings for the scenario's step, searched on this machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/app/interrupt.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/run/output_guard.h"
#include "harness/app/session/opened_run.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_asked_file.h"
#include "harness/app/tune/tune_python.h"
#include "harness/app/tune/tune_run.h"
#include "harness/app/tune/tune_told.h"
#include "harness/app/tune/tune_windows.h"
#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/dataset/dataset_need.h"
#include "harness/part/catalog.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::vector<std::string> keys_of(const Scenario& scenario) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : scenario.base.all()) keys.push_back(key);
  if (!is_external(PartKind::loader, scenario.base.get(keys::loader.use), built_in_catalog()))
    return keys;
  std::erase_if(keys, [](const std::string& key) {
    return key == keys::loader.work_unit || key == keys::loader.dispatch;
  });
  // If it is not given, Python starts processes as it does by itself.
  keys.emplace_back("loader.multiprocessing_context");
  return keys;
}

// The step's threads as a run of the present settings has them: for a sweep, `auto` leaves cores to
// its most workers, and so each point of a tune would have the step of the largest.
std::optional<std::int64_t> present_threads(const Scenario& scenario, std::uint32_t cores) {
  if (!scenario.threads_follow ||
      scenario.base.integer(keys::trainer.intra_op_threads) == kUsersOwnThreads)
    return std::nullopt;
  return std::max<std::int64_t>(1,
                                std::int64_t{cores} - scenario.base.get(keys::loader.num_workers));
}

struct Prepared {
  PreparedPlan plan;
  bool loader_alone = false;
  std::vector<UntriedKnob> not_tried;
};

// Plans the grid that takes the place of the scenario's sweep. The scenario as it is says what
// there is to tune.
Prepared prepare_grid(const Arguments& arguments, const TuneAsked& asked) {
  CodeLooker looker(built_in_catalog(), arguments.text("--cache", default_cache_folder()));
  const DataMaking making;
  const Scenario scenario = load_with_code(with_sweep_as_it_is(arguments), looker, &making);
  const auto cores = static_cast<std::uint32_t>(
      std::max(1.0, std::floor(cores_at(scenario.base, observe_environment().cores_available))));
  const bool cuda = has_own_memory(scenario.base.get(keys::trainer.device));
  const bool loader_alone = !has_step(scenario);
  TuneKnobs knobs = knobs_of(scenario, asked, keys_of(scenario), cores, cuda);
  const auto rounds = scenario.base.get(keys::measure.rounds);
  const Arguments swept =
      with_sweep(arguments, {knobs.sweep, rounds, loader_alone, present_threads(scenario, cores)});
  PreparedPlan grid = prepare_plan_with_code(swept, looker, &making);
  make_data(grid);
  lengthen_windows(grid.plan.trials);
  return {std::move(grid), loader_alone, std::move(knobs.not_tried)};
}

// The file as it was, next to the options.
void keep_scenario(const std::string& file, const std::string& folder) {
  std::error_code error;
  std::filesystem::copy_file(file, folder + "/scenario.yaml", error);
  if (error) tell("warning: {}/scenario.yaml was not written: {}\n", folder, error.message());
}

OpenedRun open_tune(const Arguments& arguments, PreparedPlan& p, const TuneKept& kept) {
  const std::string path = run_path(arguments, p.plan.scenario.name);
  const bool goes_on = arguments.flag("--resume") && is_begun(path);
  OpenedRun opened = goes_on ? resume_run(path, p) : begin_run(path, p.plan, p.environment);
  if (!is_tune_folder(path)) write_asked(path, arguments, kept);
  if (!goes_on) keep_scenario(arguments.positional().front(), path);
  return opened;
}

// What a resumed tune is found by.
std::string name_of_scenario(const Arguments& given) {
  if (given.flag("--python")) return name_of_python(given);
  return given.positional().empty() ? "" : scenario_from(with_sweep_as_it_is(given)).name;
}

// The options of the tune that is resumed, where they are not given anew.
Arguments resumed(const Arguments& given) {
  const std::string name = given.flag("--resume") ? name_of_scenario(given) : "";
  return resumes(given, name) ? with_stored_options(run_path(given, name), given) : given;
}

int run_command_tune(const Arguments& given) {
  listen_for_interrupts();
  check_output_files(given, {"--json"}, {given.positional(), given.list("--out")});
  const Arguments own = resumed(given);
  const TuneAsked asked = tune_asked(own);
  const Arguments arguments = with_file(own);
  Prepared prepared = prepare_grid(arguments, asked);
  PreparedPlan& p = prepared.plan;
  if (asked.job_seconds && prepared.loader_alone)
    throw UsageError(
        "--job-hours: the scenario has no step, "
        "so what its loader's rate makes of a job is not known");
  if (arguments.flag("--out") && !arguments.flag("--resume"))
    RunFolder::refuse_used(arguments.text("--out"));
  const TuneGrid grid = grid_of(p.plan);
  const Mode mode = prepared.loader_alone ? Mode::loader : Mode::pipeline;
  TuneStudy study{p.plan,      grid,
                  asked,       mode,
                  p.simulated, cores_at(p.plan.scenario.base, p.environment.cores_available)};
  if (const auto trial = trial_of(study, 0, mode))
    study.guessed_full_run = std::max(1e-3, p.trial_seconds.at(*trial) * p.plan.rounds);
  OpenedRun opened = open_tune(arguments, p, {prepared.not_tried, study.guessed_full_run});
  if (!arguments.flag("--quiet"))
    tell("{}: {} to choose from, budget {}\n", p.plan.scenario.name,
         counted(grid.space.points().size(), "point"),
         human_duration(from_seconds(asked.budget_seconds)));
  Session session(p, std::move(opened), {.times = true});
  run_tune(study, session, arguments.flag("--quiet"));
  return tell_tune(arguments, {study, session.records(), prepared.not_tried, bool{interrupted()}},
                   session.folder().path());
}

}  // namespace

extern const Command tune_command{"tune",
                                  "decide",
                                  "search the loader's settings for the fastest training",
                                  "[FILE]",
                                  tune_options(),
                                  "  benchbench tune configs/resnet.yaml --budget 10min\n"
                                  "  benchbench tune --python train.py:make_loader --step "
                                  "train.py:train_step --setup train.py:setup\n"
                                  "  benchbench tune configs/quickstart.yaml --clock simulated\n",
                                  run_command_tune};

}  // namespace benchbench
