// `--tune`: what the next round of a script that runs measures, and what came of those before.
// Pure: times are the stretches' own.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/wrap/schedule/round_schedule.h"
#include "harness/app/wrap/script_search.h"
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
  // Returns what the stretch took, in ns, with all since the one before; nullopt: it measured
  // nothing.
  std::optional<std::int64_t> finished(const WrapStretch& stretch);
  // Returns what comes; nullopt: enough. `refused`: why the copy that was asked for last was not
  // made, sentences.
  std::optional<TriedRound> next(const std::vector<std::string>& refused);

  // It begins with the first question: none comes before the first rounds have ended, or where
  // there is no search.
  const ScriptSearch& search() const noexcept { return search_; }
  const std::vector<std::string>& why_not() const noexcept { return planned_.dropped; }

 private:
  bool is_of_pending(const WrapStretch& stretch) const;
  SearchTrial take_pending();
  void begin();
  TriedRound round_of(PointId point) const;

  const Nanoseconds budget_;
  const double most_workers_;
  const std::optional<double> target_rate_;
  WrapPlanned planned_;
  ScriptSearch search_{{}};
  std::optional<std::int64_t> last_end_;  // of a stretch
  std::deque<PointId> todo_;              // of the proposal, after the one that is measured
  Proposal proposal_;
  std::optional<PointId> pending_;  // asked for, and not measured yet
};

}  // namespace benchbench
