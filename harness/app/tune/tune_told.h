// A tune's report, from its records: at its end, or of its folder.
#pragma once
#include <string>
#include <vector>

#include "harness/app/tune/tune_records.h"
#include "harness/report/tune/tune_report.h"
#include "harness/store/run_folder.h"

namespace benchbench {

struct ToldTune {
  const TuneStudy& study;
  const std::vector<TrialRecord>& records;
  const std::vector<UntriedKnob>& not_tried;
  bool interrupted = false;
};
// Text to standard output, JSON where --json says; the exit code, with --strict's.
int tell_tune(const Arguments& arguments, const ToldTune& told, const std::string& folder);
// The same from the store: nothing runs, and nothing is asked of this machine.
int tell_stored_tune(const Arguments& arguments, const std::string& folder, const Journal& journal);

// Of the result alone: 0, or 4, 7 or 8; where `strict` also 9.
int exit_code_of(const TuneFindings& findings, bool strict);

// Whatever modes the scenario measures.
bool has_step(const Scenario& scenario);

}  // namespace benchbench
