#include "harness/app/run/run_words.h"

#include <fmt/format.h>

#include "harness/analysis/rules/stopping.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/tell.h"
#include "harness/core/called_as.h"
#include "harness/plan/order.h"
#include "harness/plan/starts.h"
#include "harness/record/setting_keys.h"
#include "harness/report/terminal/progress_line.h"
#include "harness/report/words/budget_words.h"

namespace benchbench {

namespace {

void print_what_runs(const PreparedPlan& p, bool resumed) {
  const Plan& plan = p.plan;
  print_fitted(stderr, "{}: {}\n", plan.scenario.name,
               plan.scenario.question.empty() ? plan.scenario.source : plan.scenario.question);
  print_decisions(stderr, plan.scenario);
  const std::string time = plan.order.empty() ? "nothing runs"
                           : p.simulated
                               ? "in virtual time, without waiting"
                               : fmt::format("about {} ({})", time_text(plan), plan.price.basis);
  print_fitted(stderr, "  {}, {}, {}\n", counted(plan.points.size(), "point"), trials_text(plan),
               time);
  if (const auto start = known_start(plan.scenario.base, p.context.prices))
    print_fitted(stderr, "  {}\n", start_text(*start, plan.scenario.base));
  for (const std::string& line : budget_lines(plan))
    print_fitted(stderr, "  {}{}\n", resumed ? "when it began: " : "", line);
}

// Says why a run with measure.stop_at ends after this many rounds.
void tell_rounds(const Plan& plan, const std::vector<TrialRecord>& records) {
  const StoppingRule rule = stopping_rule_of(plan);
  if (rule == StoppingRule::fixed) return;
  const std::vector<PlannedRun> left = still_to_do(plan, plan.order, records);
  const std::uint32_t complete = left.empty() ? max_rounds(plan) : left.front().round;
  tell("\n{}\n", stopping_text(stopping_state(rule, plan, records, complete)));
}

}  // namespace

void print_start(const PreparedPlan& p, const std::string& folder, bool resumed, bool quiet) {
  if (!quiet) print_what_runs(p, resumed);
  print_fitted(stderr, "{}results: {}\n", quiet ? "" : "  ", folder);
}

void tell_end(SupervisorEnd end, const Plan& plan, const Session& session,
              const std::string& resume, bool quiet) {
  if (end == SupervisorEnd::settled && session.nothing_runs())
    tell("stopped after {}: every trial failed\n", counted(session.last_round() + 1, "round"));
  else if (!quiet && (end == SupervisorEnd::settled || end == SupervisorEnd::complete))
    tell_rounds(plan, session.records());
  if (end != SupervisorEnd::enough && end != SupervisorEnd::out_of_time) return;
  const std::string budget = plan.scenario.base.text(keys::measure.budget);
  if (end == SupervisorEnd::enough)
    tell("the budget of {} has no room for another round: the report is of those done\n", budget);
  else
    tell("stopped: the budget of {} ended before {}\n", budget,
         least_rounds(plan) == 1 ? "one round was complete" : "two rounds were complete");
  tell("continue with: {}\n", as_called(resume));
}

}  // namespace benchbench
