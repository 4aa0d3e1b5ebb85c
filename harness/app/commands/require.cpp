// `benchbench require FILE`: the supply of batches that the scenario's step needs.
#include <fmt/format.h>

#include <algorithm>
#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/app/options.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/require/require_records.h"
#include "harness/app/require/require_run.h"
#include "harness/app/run/output_guard.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/record/setting_keys.h"
#include "harness/store/durable_file.h"

namespace benchbench {
namespace {

constexpr Option kRequireOwn[] = {
    {"--budget", "TIME", "time for the search and the loader's trials (default 10min)"},
    {"--strict", "", "exit with 9 if the scenario's own loader gives less than the step needs"},
};

// As given, without the scenario's sweep and budget.
Arguments for_one_point(const Arguments& given) {
  Arguments out;
  out.set_positional(given.positional());
  for (const std::string_view name : kOnePointOptions)
    if (given.flag(name)) out.add(name, given.list(name));
  std::vector<std::string> sets = given.list("--set");
  sets.insert(sets.end(), {"sweep=none", "measure.modes=[loader, trainer]", "measure.budget=none"});
  out.add("--set", sets);
  return out;
}

PreparedPlan prepare_require(const Arguments& given) {
  const Arguments arguments = for_one_point(given);
  const DataMaking making;
  PreparedPlan p = prepare_plan_with_code(arguments, &making);
  if (p.plan.scenario.base.get(keys::trainer.use) == "discard")
    throw UsageError("the scenario has no step (trainer.use: discard), so no supply is required",
                     "give it a trainer: --set trainer.use=timed --set trainer.step_time=100ms");
  make_data(p);
  return p;
}

RequireAsked require_asked(const Arguments& arguments) {
  return {parse_budget(arguments.text("--budget", "10min")), arguments.flag("--quiet")};
}

int require_exit_code(const RequireReport& r, bool strict) {
  std::vector<int> codes{interrupt_exit_code()};
  if (r.stop == RequireStop::budget && !r.found.enough) codes.push_back(kBudgetEnded);
  if (r.stop == RequireStop::no_trainer || r.stop == RequireStop::no_supply)
    codes.push_back(kNothingValid);
  if (r.stop == RequireStop::never_enough || is_too_noisy(r)) codes.push_back(kInconclusive);
  if (strict && gives_too_little(r)) codes.push_back(kDoubts);
  return strongest(codes);
}

int run_command_require(const Arguments& arguments) {
  listen_for_interrupts();
  check_output_files(arguments, {"--json"}, {arguments.positional(), arguments.list("--out")});
  const RequireAsked asked = require_asked(arguments);
  if (arguments.flag("--out")) RunFolder::refuse_used(arguments.text("--out"));
  PreparedPlan p = prepare_require(arguments);
  const std::string folder = run_path(arguments, p.plan.scenario.name);
  Session session(p, begin_run(folder, p.plan, p.environment));
  const RequireReport r = run_require(p, session, asked);
  int code = require_exit_code(r, arguments.flag("--strict"));
  try {
    write_whole(folder + "/" + kRequireFile,
                r.stop == RequireStop::interrupted ? kCutSearch : kWholeSearch);
    tell_require(arguments, p.plan, session.records(), r);
  } catch (const StoreError& e) {
    tell_error(e);
    code = strongest({code, kNotWritten});
  }
  tell("results: {}\n", folder);
  return code;
}

}  // namespace

extern const Command require_command{
    "require",
    "decide",
    "the smallest supply that keeps the step fed",
    "FILE",
    joined({kRequireOwn, shared_options({"--out", "--json", "--quiet"}),
            shared_options(kOnePointOptions)}),
    "  benchbench require configs/resnet.yaml\n"
    "  benchbench require configs/resnet.yaml --strict --json required.json\n"
    "  benchbench require configs/quickstart.yaml --clock simulated\n",
    run_command_require};

}  // namespace benchbench
