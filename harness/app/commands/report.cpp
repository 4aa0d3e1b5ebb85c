// `benchbench report DIR`: the same report from the store, nothing run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/app/command.h"
#include "harness/app/exit_code.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/job_options.h"
#include "harness/app/require/require_records.h"
#include "harness/app/run/outputs.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_asked_file.h"
#include "harness/app/tune/tune_told.h"
#include "harness/app/wrap/kept_search.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/core/visible_text.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

// `tune` and `require` have reports of their own, as text and as JSON.
void check_only_json(const Arguments& arguments, const std::string& folder) {
  for (const Option& option : joined({job_options(), output_options()}))
    if (option.name != "--json" && arguments.flag(option.name))
      throw UsageError(
          fmt::format("{}: {} is a tune's or a require's folder, whose report is text or --json",
                      option.name, folder));
}

int tell_stored_require(const Arguments& arguments, const std::string& file,
                        const Journal& journal) {
  tell_require(arguments, journal.plan, journal.records,
               read_require(journal.plan, journal.records, read_whole(file) == kCutSearch));
  return kDone;
}

void write_h5(const std::string& folder) {
  export_in_child(folder);
  tell("{}/results.h5 was written\n", visible(folder));
}

// Writes the report, for a script after which other settings were searched that of the search too.
void write_stored_report(const Arguments& arguments, Findings& findings, const Journal& journal,
                         const std::string& folder) {
  const std::optional<ScriptSearch> search = read_search(folder, journal);
  std::optional<TuneReport> found;
  if (search) found.emplace(search->report(journal.plan.scenario.source));
  if (search) leave_to_search(findings);
  const nlohmann::ordered_json tune = found ? tune_json(*found) : nullptr;
  std::vector<AddedMember> added;
  if (found) added.push_back({"tune", &tune});
  write_outputs(arguments, findings, journal.plan, journal.records, folder, std::move(added),
                found ? tune_text(*found) : "");
}

int run_report(const Arguments& arguments) {
  check_outputs(arguments, {{}, arguments.positional()});
  const std::optional<JobAsked> job = job_asked(arguments);
  const std::string folder = arguments.positional().at(0);
  const Journal journal = RunFolder::read(folder);
  if (const Value* traced = journal.plan.scenario.base.find(keys::measure.trace);
      arguments.flag("--trace") && !(traced && traced->text() == "true"))
    throw UsageError(fmt::format("{} contains no trace", folder),
                     "record one: benchbench run FILE --trace FILE");
  for (const std::string& note : journal.notes) tell("note: {}\n", note);
  if (arguments.flag("--h5")) write_h5(folder);
  const std::string require = folder + "/" + kRequireFile;
  if (is_there(require) || is_tune_folder(folder)) {
    check_only_json(arguments, folder);
    return is_there(require) ? tell_stored_require(arguments, require, journal)
                             : tell_stored_tune(arguments, folder, journal);
  }
  Findings findings = analyse(journal.plan, journal.records, &built_in_catalog());
  if (job && job->unit == JobUnit::epochs && !findings.epoch_samples)
    throw UsageError(
        fmt::format("--job-epochs: how many samples an epoch has is not in {}", folder),
        "use --job-samples or --job-hours");
  add_job(job, journal.plan, findings);
  write_stored_report(arguments, findings, journal, folder);
  return exit_code_of(findings, journal.plan, arguments.flag("--strict"));
}

constexpr Option kReportOptions[] = {
    {"--h5", "", "also write DIR/results.h5 again, as run does at its end"}};

}  // namespace

extern const Command report_command{
    "report",
    "decide",
    "print a stored run again",
    "DIR",
    joined({shared_options({"--strict"}), kReportOptions, job_options(), output_options()}),
    "  benchbench report results/runs/resnet-20261120-221500\n"
    "  benchbench report DIR --json - | jq .points\n"
    "  benchbench report DIR --h5 --job-epochs 90 --price 3.20\n",
    run_report};

}  // namespace benchbench
