// `benchbench compare A B`: is B slower than A, where, and what differs.
#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "harness/app/compare/compared_runs.h"
#include "harness/app/compare/second_run.h"
#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/report/html/compare_page.h"
#include "harness/report/text/formats.h"

namespace benchbench {
namespace {

int code_of(CompareOutcome outcome) {
  switch (outcome) {
    case CompareOutcome::nothing_usable:
      return kNothingValid;
    case CompareOutcome::regression:
      return kRegression;
    case CompareOutcome::inconclusive:
      return kInconclusive;
    case CompareOutcome::passed:
      return kDone;
  }
  return kInconclusive;
}

void print_comparison(const Arguments& arguments, const CompareReport& report, bool detail) {
  if (arguments.flag("--json"))
    write_to(arguments.text("--json"), [&](std::ostream& out) { out << compare_json(report); });
  if (arguments.flag("--html"))
    replace_file(arguments.text("--html"),
                 [&](std::ostream& out) { write_compare_page(out, report); });
  if (arguments.text("--json") == "-" || arguments.text("--html") == "-") return;
  const std::size_t width = std::min<std::size_t>(kPipeWidth, output_width().value_or(kPipeWidth));
  write_text(compare_text(report, width, detail));
}

int run_compare(const Arguments& arguments) {
  const RunTime time;
  const CompareOptions options = compare_options(arguments);
  listen_for_interrupts();
  const ComparedRuns runs = options.interleave ? run_interleaved(arguments, options, time)
                                               : read_runs(arguments.positional());
  CompareReport report = report_of(runs, options);
  if (options.confirm && !interrupted()) confirm_alerts(arguments, options, runs, time, report);
  // A budget that ended first is why a side has no usable trial.
  const int code = runs.ended_early.empty() ? code_of(outcome_of(report)) : kBudgetEnded;
  std::vector<int> codes{code, interrupt_exit_code()};
  try {
    print_comparison(arguments, report, options.detail);
  } catch (const StoreError& e) {
    tell_error(e);
    codes.push_back(kNotWritten);
  }
  return strongest(codes);
}

}  // namespace

extern const Command compare_command{
    "compare",
    "decide",
    "is run B slower than run A, and where",
    "A [B]",
    compare_command_options(),
    "  benchbench compare results/runs/before results/runs/after --spread 4%\n"
    "  benchbench compare configs/quickstart.yaml --interleave --b-set loader.batch_time=6ms\n"
    "  benchbench compare configs/resnet.yaml --interleave --b-program build/old/bin/benchbench "
    "--fail-on slower:5% --confirm\n",
    run_compare};

}  // namespace benchbench
