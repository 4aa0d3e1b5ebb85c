// `benchbench report DIR`: the same report from the store, nothing run.
#include <fmt/format.h>

#include <cstdio>

#include "harness/app/command.h"
#include "harness/app/run/job_options.h"
#include "harness/app/run/outputs.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

int run_report(const Arguments& arguments) {
  check_outputs(arguments);
  const std::optional<JobAsked> job = job_asked(arguments);
  const std::string folder = arguments.positional().at(0);
  const Journal journal = RunFolder::read(folder);
  if (const Value* traced = journal.plan.scenario.base.find("measure.trace");
      arguments.flag("--trace") && !(traced && traced->text() == "true"))
    throw UsageError(fmt::format("{} contains no trace", folder),
                     "record one: benchbench run FILE --trace FILE");
  for (const std::string& note : journal.notes) tell(fmt::format("note: {}\n", note));
  Findings findings = analyse(journal.plan, journal.records, &built_in_catalog());
  if (job && job->unit == JobUnit::epochs && !findings.epoch_samples)
    throw UsageError(fmt::format("--job-epochs: how many samples an epoch has is not in {}", folder), "use --job-samples or --job-hours");
  add_job(job, journal.plan, findings);
  write_outputs(arguments, findings, journal.plan, journal.records, folder, true);
  return exit_code_of(findings, journal.plan, arguments.flag("--strict"));
}

constexpr Option kStrict{"--strict", "", "exit with 9 if a trial is NOISY or INVALID, 6 if hardware is missing", false};
const std::vector<Option> kOptionsOfReport = with_output_options(with_job_options({kStrict}));

}  // namespace

const Command report_command{"report", "decide", "print a stored run again", "DIR", 1, 1, kOptionsOfReport,
                             "  benchbench report results/runs/resnet-20261120-221500\n"
                             "  benchbench report DIR --json - | jq .points\n"
                             "  benchbench report DIR --job-epochs 90 --price 3.20\n",
                             run_report};

}  // namespace benchbench
