// Runs one trial in this process with its data set and manifest looked up: what the child does, and
// the supervisor itself with `--isolation none`.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "harness/app/preparation/replay_times.h"
#include "harness/dataset/dataset.h"
#include "harness/dataset/page_cache.h"
#include "harness/record/trial_record.h"
#include "harness/trial/data_pass.h"
#include "harness/trial/executor.h"

namespace benchbench {

class TrialRunner {
 public:
  TrialRunner(std::string cache_folder, bool simulated, const std::atomic<bool>& stop);
  // Never throws for what a trial does, its data included: the record is FAILED then.
  // `stop`: in the place of the runner's own, where it is given.
  TrialRecord run(const Trial& trial, const PlannedRun& planned,
                  std::function<void(const TrialProgress&)> progress,
                  const std::atomic<bool>* stop = nullptr);
  // One epoch of the trial's data through its loader, compared with the manifest where there is
  // one. Throws what goes wrong.
  DataPass verify(const Trial& trial, const PassProgress& progress);
  const Environment& environment();          // observed and calibrated at the first call
  void take_environment(Environment known);  // or taken over from a process that did so

 private:
  TrialRecord run_with_data(const Trial& trial, const PlannedRun& planned,
                            std::function<void(const TrialProgress&)> progress,
                            const std::atomic<bool>& stop);
  void give_data(const DatasetNeed& need, ExecutorContext& context);
  void load_code(const SettingsMap& settings);
  // Gives views into `need`, which outlives the trial.
  void give_inputs(const SettingsMap& settings, const std::optional<DatasetNeed>& need,
                   ExecutorContext& context);
  const Manifest* manifest_of(const DatasetNeed& need);
  std::string cache_folder_;
  bool simulated_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<Environment> environment_;
  std::string ceilings_problem_;                                // why machine.yaml is not used
  std::map<std::string, std::unique_ptr<Manifest>> manifests_;  // by path; null: has none
  ReplayTimes times_;
  std::map<std::string, PageCache> caches_;  // by path: their lists of files are kept
};

// The data set a trial reads: its own, or for a cached batch the one its prototype is made from.
std::optional<DatasetNeed> dataset_of(const SettingsMap& trial_settings,
                                      const std::string& cache_folder);

}  // namespace benchbench
