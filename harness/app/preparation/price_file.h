// What trials cost on this machine, kept between runs so that `plan` and the ETA need not guess.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/plan/planner.h"
#include "harness/record/trial_record.h"

namespace benchbench {

using Prices = std::map<std::string, PriceEntry>;

// prices-<machine>.tsv in the cache folder: key, startup s, step s, memory bytes, warm-up factor;
// one a line; of an older version without the factor. A line that no trial can have cost is left
// out, and standard error has a word of that file, once a process.
Prices read_prices(const std::string& cache_folder, const std::string& machine);
// Best effort: a cache that cannot be written costs a guess next time, nothing more, and a word on
// standard error, once a process; the file of before stays.
void write_prices(const std::string& cache_folder, const std::string& machine,
                  const Prices& prices);

// What the trials of one run teach: of each the mean of this run, in place of what was known.
class PriceLesson {
 public:
  explicit PriceLesson(Prices& prices) : prices_(prices) {}
  // `wall_seconds`: from its start to its end, its process's included. False where it teaches
  // nothing (failed, skipped).
  bool learn(const TrialRecord& record, double wall_seconds);

 private:
  void put(const std::string& key, const PriceEntry& seen);
  Prices& prices_;
  std::map<std::string, int> runs_;
};

// What one finished run was thought to take, and took.
struct TimedRun {
  std::string file_digest{};  // Scenario::source_digest
  std::string plan_digest{};
  std::string name{};
  double estimated = 0, took = 0;  // seconds, all in all
  int earlier = 0;                 // runs of the same plan before it
};
// runs-<machine>.tsv in the cache folder, oldest first.
std::vector<TimedRun> read_timed_runs(const std::string& cache_folder, const std::string& machine);
// Counts the earlier ones. Best effort, as write_prices(). The last kMostTimedRuns are kept.
inline constexpr std::size_t kMostTimedRuns = 1000;
void add_timed_run(const std::string& cache_folder, const std::string& machine, TimedRun run);

// How far an estimate may be off, either way: without an earlier run of the plan, and with one.
inline constexpr double kFirstEstimate = 3, kLaterEstimate = 1.5;
double off_by(const TimedRun& run) noexcept;  // >= 1
bool estimate_holds(const TimedRun& run) noexcept;

}  // namespace benchbench
