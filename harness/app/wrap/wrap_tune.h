// `--tune`: what the next round of a script that runs measures, and what came of those before.
// Pure: times are the stretches' own.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/app/wrap/schedule/round_schedule.h"
#include "harness/report/tune/tune_report.h"
#include "harness/tune/propose.h"

namespace benchbench {

// A round of the search: of the script's own loader, or of a copy that has these settings.
struct TriedRound {
  bool own = false;
  std::map<std::string, ExternalValue> settings;
};

// One thread.
class WrapTune {
 public:
  // `target_rate`: samples/s above which more is worth nothing.
  WrapTune(Nanoseconds budget, double most_workers, std::optional<double> target_rate = {})
      : budget_(budget), most_workers_(most_workers), target_rate_(target_rate) {}

  // Anew where another loader turns out to be the training's.
  void planned(const WrapPlanned& planned);
  void finished(const WrapStretch& stretch);
  // Returns what comes; nullopt: enough. `refused`: why the copy that was asked for last was not
  // made, sentences.
  std::optional<TriedRound> next(const std::vector<std::string>& refused);

  // Null: nothing was asked for, since the first rounds have not ended or there is no tune.
  const TuneProblem* problem() const noexcept { return problem_ ? &*problem_ : nullptr; }
  Observations records() const noexcept { return records_; }
  const std::vector<std::string>& why_not() const noexcept { return planned_.dropped; }
  // After the first question.
  TuneReport report(const std::string& script) const;

 private:
  void add_first(const WrapStretch& stretch, double seconds);
  void add(TuneOutcome outcome, double rate, double seconds, std::optional<double> waited = {});
  bool is_of_pending(const WrapStretch& stretch) const;
  void begin();
  TriedRound round_of(PointId point) const;

  const Nanoseconds budget_;
  const double most_workers_;
  const std::optional<double> target_rate_;
  WrapPlanned planned_;
  PresentStep present_;
  std::vector<double> trainer_;           // rates of T, samples/s
  double full_run_ = 0, spent_ = 0;       // seconds; of the first rounds
  std::optional<std::int64_t> last_end_;  // of a stretch
  std::optional<TuneProblem> problem_;
  std::vector<Observation> records_;
  std::deque<PointId> todo_;  // of the proposal, after the one that is measured
  Proposal proposal_;
  std::optional<PointId> pending_;  // asked for, and not measured yet
  std::vector<std::string> refusals_;
};

}  // namespace benchbench
