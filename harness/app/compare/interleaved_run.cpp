#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "harness/app/compare/compared_runs.h"
#include "harness/app/compare/run_in_turn.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

PreparedPlan prepare_side(const Arguments& arguments, Deadline deadline) {
  const DataMaking making{.by = deadline};
  PreparedPlan p = prepare_plan_with_code(arguments, &making);
  if (p.plan.scenario.base.get_if(keys::measure.isolation) == "none")
    throw UsageError(
        "--interleave runs each round of a side in a process of its own; measure.isolation is none",
        "leave it at round, or set trial");
  make_data(p, making);
  return p;
}

// Before anything is measured.
void check_program(const std::string& path) {
  std::error_code ignored;
  if (path.empty()) return;
  if (!fs::is_regular_file(path, ignored))
    throw UsageError(fmt::format("--b-program {}: there is no such file", path),
                     "give the path of a benchbench program");
  if (::access(path.c_str(), X_OK) != 0)
    throw UsageError(fmt::format("--b-program {}: it cannot be executed", path),
                     "give the path of a benchbench program");
}

TrialPlace with_program(TrialPlace place, const std::string& program) {
  if (!program.empty()) place.program = program;
  return place;
}

// The time of both sides; where pairs run again, up to as often as they may.
std::string planned_time(const Plan& a, const Plan& b, bool by_pairs) {
  if (!by_pairs) return "in virtual time, without waiting";
  const double least = a.price.seconds_per_round * a.rounds + b.price.seconds_per_round * b.rounds;
  return fmt::format("about {} to {} ({})", human_duration(from_seconds(least)),
                     human_duration(from_seconds(kMostRounds * least)), a.price.basis);
}

std::string time_of_both(const Plan& a, const Plan& b, bool by_pairs, const std::string& budget) {
  const std::string time = planned_time(a, b, by_pairs);
  return budget.empty() ? time : fmt::format("{}, at most {} (--budget)", time, budget);
}

void tell_plan(const Plan& a, const Plan& b, bool by_pairs, bool goes_on,
               const std::string& budget) {
  const std::string points =
      counted(a.points.size(), "point") +
      (a.points.size() == b.points.size() ? "" : fmt::format(" (B: {})", b.points.size()));
  const std::string more =
      by_pairs ? fmt::format(", up to {} where other programs disturb pairs{}",
                             kMostRounds * a.rounds, goes_on ? " or a rate is UNSURE" : "")
               : "";
  tell("{}: A and B in turn, {} each{}, {}, {}\n", a.scenario.name, counted(a.rounds, "round"),
       more, points, time_of_both(a, b, by_pairs, budget));
}

// A program that is none of ours fails every trial.
void check_ran(const SideRun& side, const char* name, const CompareOptions& options) {
  const std::string why = side.why_all_failed();
  if (why.empty()) return;
  const bool other = *name == 'B' && !options.b_program.empty();
  throw PartError(
      fmt::format("every trial of {} failed: {}", name, why),
      other ? fmt::format("is {} a benchbench program of this version?", options.b_program) : "");
}

std::string other_build_note(const std::string& program, const std::vector<TrialRecord>& a,
                             const std::vector<TrialRecord>& b) {
  const Environment *ea = environment_of(a), *eb = environment_of(b);
  if (!ea || !eb) return fmt::format("B ran with {}", program);
  if (ea->build_digest == eb->build_digest)
    return fmt::format("B ran with {}, which is the same program as A's, byte for byte", program);
  if (ea->build == eb->build)
    return fmt::format("B ran with {}, another build of the same version", program);
  return fmt::format("B ran with {}: {} (A: {})", program, eb->build, ea->build);
}

struct Sides {
  PreparedPlan a, b;
  bool by_pairs() const noexcept { return !a.simulated; }  // in virtual time nothing disturbs them
};

Sides prepare_sides(const Arguments& arguments, const CompareOptions& options,
                    const RunTime& time) {
  const std::vector<std::string>& files = arguments.positional();
  const Deadline deadline = deadline_for(options, time);
  return {prepare_side(side_arguments(arguments, files.front(), {}), deadline),
          prepare_side(side_arguments(arguments, files.back(), options.b_sets), deadline)};
}

TurnsHow plan_turns(const Sides& sides, const CompareOptions& options, const RunTime& time) {
  TurnsHow how;
  how.seed = sides.a.plan.scenario.base.get(keys::measure.seed);
  how.by_pairs = sides.by_pairs(), how.quiet = options.quiet;
  how.budget = budget_of_turns(options, time, known_own_seconds(sides.a));
  how.budget.least_rounds = least_rounds(sides.a.plan);
  how.budget.planned = planned_of_sides(sides.a.trial_seconds, sides.b.trial_seconds);
  return how;
}

ComparedRuns make_compared(const SideRun& a, const SideRun& b, const TurnsEnd& end,
                           const CompareOptions& options) {
  ComparedRuns out{a.folder(),
                   b.folder(),
                   {a.plan(), a.records(), {}},
                   {b.plan(), b.records(), {}},
                   Relation::interleaved,
                   {},
                   {}};
  const std::string left = left_out_text(end, a.plan().rounds, options.budget);
  if (end.budget == BudgetSays::out_of_time)
    out.ended_early = left;
  else if (!left.empty())
    out.notes.push_back(left);
  if (!options.b_program.empty())
    out.notes.push_back(other_build_note(options.b_program, out.a.records, out.b.records));
  return out;
}

}  // namespace

ComparedRuns run_interleaved(const Arguments& arguments, const CompareOptions& options,
                             const RunTime& time) {
  check_program(options.b_program);
  if (arguments.flag("--out")) RunFolder::refuse_used(arguments.text("--out"));
  const Sides sides = prepare_sides(arguments, options, time);
  const std::string folder = run_path(arguments, sides.a.plan.scenario.name);
  SideRun a(sides.a.plan, folder + "/a", sides.a),
      b(sides.b.plan, folder + "/b", with_program(sides.b, options.b_program));
  mark_interleaved(folder);
  const bool goes_on = !arguments.flag("--rounds") && sides.by_pairs();
  if (!options.quiet) tell_plan(a.plan(), b.plan(), sides.by_pairs(), goes_on, options.budget);
  tell("{}results: {}\n", options.quiet ? "" : "  ", folder);
  TurnsHow how = plan_turns(sides, options, time);
  if (goes_on) how.gates = options.gates;
  const TurnsEnd end = run_in_turn(a, &b, how);
  check_ran(a, "A", options), check_ran(b, "B", options);
  return make_compared(a, b, end, options);
}

}  // namespace benchbench
