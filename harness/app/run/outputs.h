// Where a report goes: an option for each of report_formats() and --trace, each to a file or "-"
// for standard output; the terminal's table otherwise. Data goes to standard output only.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/app/command.h"
#include "harness/app/kept_report.h"
#include "harness/app/output_guard.h"
#include "harness/report/formats.h"

namespace benchbench {

// A command's options: the outputs' and its own.
std::vector<Option> with_output_options(std::vector<Option> own);
// One of them is "-".
bool takes_standard_output(const Arguments& arguments);
// Throws UsageError where two of them want standard output or one file, or one would be written
// over what `guard` names.
void check_outputs(const Arguments& arguments, const OutputGuard& guard = {});
// `more`: after the terminal's text, and the member "tune" of the JSON. `ending`: the member
// "ending"; null: there is none. Writes all that can be written, the last paragraph also first
// where asked; then throws StoreError for the first that could not.
void write_outputs(const Arguments& arguments, const Findings& findings, const Plan& plan,
                   std::span<const TrialRecord> records, const std::string& run_folder,
                   bool conclusion_first = false, const KeptReport* more = nullptr,
                   const nlohmann::ordered_json* ending = nullptr);
// Exit code of what the trials gave: 0, 1 or 8; where `strict` also 6 and 9. Of a wrapped script
// anything that is known is an answer.
int exit_code_of(const Findings& findings, const Plan& plan, bool strict);

}  // namespace benchbench
