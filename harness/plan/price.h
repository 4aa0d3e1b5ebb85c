// What a plan costs: seconds, disk, memory; from what earlier trials on this machine taught,
// guessed where they did not.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/planner.h"

namespace benchbench {

// A run's own work beside its trials: planning, results.h5, the report.
constexpr const char* run_key(bool simulated) noexcept {
  return simulated ? "run:simulated" : "run";
}
inline constexpr double kRunSeconds = 0.5;  // where no run has been yet
// Of a trial in virtual time, whose price is the wall time of computing it.
std::string simulated_key(const Trial& trial);
// Of a data set not there yet: by its format and by what it is made from.
std::string making_key(const DatasetNeed& need, bool from_sibling);
// Whether another format of the same samples lies ready, from which this one is made.
bool has_ready_sibling(const DatasetNeed& need, const Catalog& catalog);

// Returns what an earlier run taught of the trial's step; nullptr where none did.
const PriceEntry* find_price(const Trial& trial, const PlanContext& context);

// Returns human_bytes() of a count.
std::string size_text(std::uint64_t bytes);

// The shortest warm-up that a trial can have with such a step; the user's own length or cap where
// there is one.
double shortest_warm_up(const SettingsMap& settings, double step_seconds);

// Start-up, warm-up and window of one run of a trial. `guessed` is set where no earlier run tells.
double seconds_of(const Trial& trial, const PlanContext& context, bool& guessed);

// Peak memory of one run: slots x batch and what the parts bring. 0 where the user's code runs and
// no earlier run tells.
std::uint64_t memory_of(const Trial& trial, const PlanContext& context);

// Bytes of one batch by the names that parameters have across parts (height, width,
// transform.*_crop); rows of 64 KiB where none of them is there.
std::uint64_t batch_bytes_guess(const SettingsMap& settings);

// Prices of the trials and data of one scenario, cut or whole. A trial without a price takes that
// of the most similar one of `whole` that has one: of the same mode and parts, its step scaled with
// the batch, and at least what emulated storage takes for a read of each sample.
class Pricing {
 public:
  Pricing(const Plan& whole, const PlanContext& context);
  // The data that trials need, one a path, with sizes. A user's folder is listed once.
  std::vector<DatasetNeed> datasets_of(const std::vector<Trial>& trials);
  // Trials, data to be made and the run's own work. SKIPPED trials cost nothing.
  Price price_of(const Plan& plan);
  double seconds_of(const Trial& trial) const;
  // Whether the last price rests on a guess.
  bool guessed() const noexcept { return guessed_; }

 private:
  void add_trials(const Plan& plan, Price& price);
  double making_seconds(const std::vector<DatasetNeed>& needs);
  const PlanContext& context_;
  PlanContext priced_;             // with what was taken from similar trials
  std::set<std::string> similar_;  // keys of those
  std::map<std::string, std::optional<DatasetNeed>> needs_;  // by the settings of the data set
  bool guessed_ = false;
};

// Throws ScenarioError, with numbers, where the data that are not there yet need more disk than is
// free.
void refuse_beyond_disk(const std::vector<DatasetNeed>& needs, std::uint64_t free_bytes,
                        const std::string& cache_folder);
// The same, and where a trial of the plan needs more memory than there is.
void refuse_what_cannot_fit(const Plan& plan, const PlanContext& context);

}  // namespace benchbench
