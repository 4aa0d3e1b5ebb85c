// The trials of the search for other settings of a script, as records of a plan of their own, and
// in a run folder of their own within that of the script.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/app/session/session.h"
#include "harness/app/tune/tune_knobs.h"
#include "harness/app/wrap/wrap_run.h"

namespace benchbench {

// A script's run, with what its search was asked for.
struct SearchedScript {
  const Plan& plan;
  const std::vector<TrialRecord>& records;
  const ScriptSearchAsked& asked;
};
// Returns the search as it was: its trials, by `plan` and `records`, after those of the script. The
// same that ran, whatever of it is proposed by now.
ScriptSearch replay_search(const SearchedScript& script, const Plan& plan,
                           const std::vector<TrialRecord>& records);
// Reads the search in the folder of a script; nullopt: it has none. Throws StoreError.
std::optional<ScriptSearch> read_search(const std::string& folder, const Journal& script);
// Takes out of the findings what would be advised without the search: what it tried or measured
// says more.
void leave_to_search(Findings& findings);

// One thread.
class KeptSearch {
 public:
  KeptSearch(const WrapRequest& request, const Environment& environment)
      : request_(request), environment_(environment) {}

  // Makes records of what has come since the last time. Throws ScenarioError.
  void add(const WrapRun& run);
  // Stores those that are not yet, in the folder of the script, which is there. Throws StoreError.
  void write(const std::string& folder);
  // Drops it all, what is stored too: the search was of another loop.
  void forget();

  // Null: there is none.
  const Plan* plan() const noexcept { return plan_ ? &*plan_ : nullptr; }
  const std::vector<TrialRecord>& records() const noexcept { return records_; }
  const ScriptSearchAsked& asked() const noexcept { return asked_; }

 private:
  void begin(const WrapProcess& process, const ScriptSearch& search);
  TrialRecord record(const SearchTry& tried) const;

  const WrapRequest& request_;
  const Environment& environment_;
  std::optional<Plan> plan_;
  std::optional<TuneGrid> grid_;
  ScriptSearchAsked asked_;
  WrapPlanned planned_;
  std::vector<TrialRecord> records_;
  std::optional<Session> session_;  // that stores them
  std::size_t written_ = 0;         // the first ones of records_
};

}  // namespace benchbench
