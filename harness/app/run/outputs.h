// Where a report goes: an option for each of report_formats() and --trace, each to a file or "-"
// for standard output; the terminal's table otherwise. Data goes to standard output only.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/app/command.h"
#include "harness/app/run/output_guard.h"
#include "harness/report/text/formats.h"

namespace benchbench {

// True if one of output_options() is "-".
bool takes_standard_output(const Arguments& arguments);
// Throws UsageError where two of them want standard output or one file, or one would be written
// over what `guard` names.
void check_outputs(const Arguments& arguments, const OutputGuard& guard = {});
// `added`: members that the JSON has, too. `added_text`: after the terminal's text; may be empty.
// Writes all that can be written; then throws StoreError for the first that could not.
void write_outputs(const Arguments& arguments, const Findings& findings, const Plan& plan,
                   std::span<const TrialRecord> records, const std::string& run_folder,
                   std::vector<AddedMember> added = {}, const std::string& added_text = {});
// Exit code of what the trials gave: 0, 1 or 8; where `strict` also 6 and 9. Of a wrapped script
// anything that is known is an answer.
int exit_code_of(const Findings& findings, const Plan& plan, bool strict);

}  // namespace benchbench
