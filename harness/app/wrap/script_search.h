// The search for other settings of a script's loader: what its stretches come to. Pure, and the
// same while the script runs, of stretches, as later, of their stored records.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/tune/script_search_file.h"
#include "harness/part/wrapped.h"
#include "harness/record/trial_record.h"
#include "harness/report/tune/tune_report.h"

namespace benchbench {

// The members of a stretch that a search reads.
struct SearchedStretch {
  Mode mode = Mode::pipeline;
  double rate = 0;                 // samples/s
  double seconds = 0;              // that it took, with all since the stretch before
  double wait_ms = 0, own_ms = 0;  // of a step, means: for its batch, and without that; 0: not seen
};
SearchedStretch read_stretch(const WrapStretch& stretch, std::int64_t took_ns);
SearchedStretch read_stretch(const TrialRecord& record);  // which has took_ns

// A trial that the search asked for.
struct SearchTrial {
  PointId point = 0;
  std::uint32_t round = 0;
  Purpose purpose = Purpose::search;
};

// One thread.
class ScriptSearch {
 public:
  explicit ScriptSearch(ScriptSearchAsked asked) : asked_(std::move(asked)) {}

  // Adds a stretch of the script as it is, from before the search.
  void add_first(const SearchedStretch& stretch);
  // Begins the search, after those: `present` are the script's own settings.
  void begin(Space space, PointId present);
  // Adds a trial's stretch.
  void add(const SearchTrial& trial, const SearchedStretch& stretch);
  // Adds a trial whose settings were refused, with the reasons: sentences.
  void add_refused(const SearchTrial& trial, const std::vector<std::string>& why);

  // Null: the search has not begun.
  const TuneProblem* problem() const noexcept { return problem_ ? &*problem_ : nullptr; }
  Observations trials() const noexcept { return trials_; }
  const ScriptSearchAsked& asked() const noexcept { return asked_; }
  // Returns the report of a search that has begun. This must outlive it.
  TuneReport report(const std::string& script) const;

 private:
  Observation& add(const SearchTrial& trial, TuneOutcome outcome);

  ScriptSearchAsked asked_;
  PresentStep present_;
  std::vector<double> trainer_;      // rates of T, samples/s
  double full_run_ = 0, spent_ = 0;  // seconds; of the first rounds
  std::optional<TuneProblem> problem_;
  std::vector<Observation> trials_;
  std::vector<std::string> refusals_;
};

}  // namespace benchbench
