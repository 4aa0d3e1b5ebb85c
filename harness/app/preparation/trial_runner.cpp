#include "harness/app/preparation/trial_runner.h"

#include <fmt/chrono.h>

#include <ctime>

#include "harness/app/doctor/ceilings.h"
#include "harness/app/doctor/cuda_devices.h"
#include "harness/app/preparation/code_seal.h"
#include "harness/core/allocator.h"
#include "harness/core/error.h"
#include "harness/part/own_library.h"
#include "harness/part/torch/torch_folder.h"

namespace benchbench {

std::optional<DatasetNeed> dataset_of(const SettingsMap& settings,
                                      const std::string& cache_folder) {
  return dataset_need(settings, cache_folder, built_in_catalog());
}

TrialRunner::TrialRunner(std::string cache_folder, bool simulated, const std::atomic<bool>& stop)
    : cache_folder_(std::move(cache_folder)), simulated_(simulated), stop_(stop) {
  keep_freed_memory();
}

const Environment& TrialRunner::environment() {
  if (!environment_) {
    auto observed = std::make_unique<Environment>(observe_environment());
    calibrate(*observed);
    observed->libtorch = torch_handed_over();
    if (!simulated_) add_known_devices(*observed);
    environment_ = std::move(observed);
    ceilings_problem_ = add_ceilings(*environment_, cache_folder_);
  }
  return *environment_;
}

void TrialRunner::take_environment(Environment known) {
  environment_ = std::make_unique<Environment>(std::move(known));
  environment_->allocator = allocator_text();  // of this process
  environment_->ceilings = {};
  ceilings_problem_ = add_ceilings(*environment_, cache_folder_);
}

const Manifest* TrialRunner::manifest_of(const DatasetNeed& need) {
  auto [at, fresh] = manifests_.try_emplace(need.path);
  if (fresh)
    if (auto manifest = read_manifest(need))
      at->second = std::make_unique<Manifest>(std::move(*manifest));
  return at->second.get();
}

TrialRecord TrialRunner::run(const Trial& trial, const PlannedRun& planned,
                             std::function<void(const TrialProgress&)> progress,
                             const std::atomic<bool>* stop) {
  release_freed_memory();
  try {
    return run_with_data(trial, planned, std::move(progress), stop ? *stop : stop_);
  } catch (const Error& e) {
    // An error of the environment, the data's place or its manifest: run_trial itself throws
    // nothing.
    TrialRecord record;
    record.trial = trial;
    record.planned = planned;
    record.status = Status::failed;
    record.reasons.push_back({"", false, e.what()});
    record.started_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    if (environment_) record.environment = *environment_;  // else the supervisor has one
    return record;
  }
}

namespace {

// Returns a look-up of a sample's value, nullopt beyond the last one; `values` outlive it.
template <class T>
std::function<std::optional<T>(SampleId)> look_up_in(const std::vector<T>& values) {
  return [&values](SampleId id) {
    return id < values.size() ? std::optional(values[id]) : std::nullopt;
  };
}

}  // namespace

void TrialRunner::give_data(const DatasetNeed& need, ExecutorContext& context) {
  context.dataset = dataset_place(need);
  if (!simulated_) context.cache = &caches_.try_emplace(need.path, need.path).first->second;
  const Manifest* manifest = manifest_of(need);
  if (!manifest) return;
  context.expected_digest = look_up_in(manifest->digests);
  context.expected_bytes = look_up_in(manifest->lengths);
  context.expected_label = look_up_in(manifest->labels);
}

// Before anything is looked up in the catalogue: a child has not read the scenario.
void TrialRunner::load_code(const SettingsMap& settings) {
  CodeSeal().check_seal(settings);  // of the files as they are now
  for (const std::string& path : libraries_in(settings)) library_parts(path);
}

void TrialRunner::give_inputs(const SettingsMap& settings, const std::optional<DatasetNeed>& need,
                              ExecutorContext& context) {
  if (need) give_data(*need, context);
  times_.check_seal(settings);
  context.loader_times = times_.of(settings, Replayed::batches);
  context.trainer_times = times_.of(settings, Replayed::steps);
}

TrialRecord TrialRunner::run_with_data(const Trial& trial, const PlannedRun& planned,
                                       std::function<void(const TrialProgress&)> progress,
                                       const std::atomic<bool>& stop) {
  ExecutorContext context{built_in_catalog(), environment(), {}, {}, simulated_, &stop,
                          std::move(progress)};
  load_code(trial.settings);
  const std::optional<DatasetNeed> need = dataset_of(trial.settings, cache_folder_);
  give_inputs(trial.settings, need, context);
  TrialRecord record = run_trial(trial, planned, context);
  if (!ceilings_problem_.empty()) record.facts.notices.push_back(ceilings_problem_);
  return record;
}

DataPass TrialRunner::verify(const Trial& trial, const PassProgress& progress) {
  ExecutorContext context{built_in_catalog(), {}, {}, {}, false, &stop_, {}};
  load_code(trial.settings);
  const std::optional<DatasetNeed> need = dataset_of(trial.settings, cache_folder_);
  give_inputs(trial.settings, need, context);
  const auto runtime = make_real_runtime();
  return pass_over_data(trial.settings, context, *runtime, progress);
}

}  // namespace benchbench
