#include "harness/app/compare/second_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/app/compare/run_in_turn.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/dataset/dataset_need.h"
#include "harness/part/torch/torch_folder.h"
#include "harness/plan/price.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// The program that made records can be run where it is this one, or the one that was given.
bool is_here(const std::vector<TrialRecord>& records, const Environment& here) {
  const Environment* e = environment_of(records);
  return e && e->build_digest == here.build_digest && e->machine == here.machine;
}

struct SecondRun {
  const Arguments& arguments;
  const CompareOptions& options;
  const ComparedRuns& runs;
  const RunTime& time;
  CompareReport& report;
  Environment here = observe_environment();

  std::set<std::uint32_t> points(std::uint32_t PointComparison::* index) const {
    std::set<std::uint32_t> out;
    for (const SlowerAlert& alert : report.confirmation->alerts)
      out.insert(report.found.points[alert.point].*index);
    return out;
  }
  std::uint32_t rounds() const {
    return std::max({runs.a.plan.rounds, runs.b.plan.rounds, kRoundsToSpeak});
  }
  std::string folder() const {
    if (options.interleave) return runs.folder_a.substr(0, runs.folder_a.rfind('/')) + "/confirm";
    return run_path(arguments, runs.b.plan.scenario.name + "-confirm");
  }
  std::string cache_folder() const { return arguments.text("--cache", default_cache_folder()); }
  TrialPlace place(const std::string& program) const {
    TrialPlace place{
        .cache_folder = cache_folder(), .simulated = report.found.simulated, .environment = here};
    if (!program.empty()) place.program = program;
    return place;
  }

  void run() {
    const bool ran_b_here = is_here(runs.b.records, here) || !options.b_program.empty();
    if (!ran_b_here)
      throw PartError(
          "B was made by another program or on another machine, and cannot be run again here");
    if (!options.budget.empty() && time.seconds() >= options.budget_seconds)
      throw PartError(fmt::format("the budget of {} has no room for one", options.budget));
    if (const Environment* of_b = environment_of(runs.b.records); of_b && !of_b->libtorch.empty()) {
      hand_over_torch();
      here.libtorch = torch_handed_over();
    }
    const std::string base = folder();
    const Plan plan_a = plan_of_points(runs.a.plan, points(&PointComparison::a), rounds());
    const Plan plan_b = plan_of_points(runs.b.plan, points(&PointComparison::b), rounds());
    make_data(plan_b);
    const std::string why_alone = why_not_again(plan_a);
    SideRun b(plan_b, base + "/b", place(options.b_program));
    if (!options.quiet)
      tell("confirming {}: {}, {}\n  ", counted(report.confirmation->alerts.size(), "alert"),
           counted(points(&PointComparison::b).size(), "point"), counted(rounds(), "round"));
    tell("results: {}\n", base);
    if (why_alone.empty()) return run_both(plan_a, base, b);
    report.confirmation->why_alone = why_alone;
    run_alone(b);
  }
  // A: made by another program, or its data are gone. Empty: it can be run again.
  std::string why_not_again(const Plan& plan_a) const {
    if (!is_here(runs.a.records, here))
      return "A was made by another program or on another machine";
    try {
      make_data(plan_a);
    } catch (const InterruptedError&) {
      throw;
    } catch (const Error& e) {
      return fmt::format("A cannot be run again: {}", e.message());
    }
    return "";
  }
  void make_data(const Plan& plan) const {
    make_datasets(plan.trials, cache_folder(), nullptr, deadline_for(options, time));
  }
  TurnsHow how_in_turn(bool by_pairs) const {
    TurnsHow how;
    how.seed = runs.a.plan.scenario.base.get(keys::measure.seed) + 1;
    how.by_pairs = by_pairs, how.quiet = options.quiet;
    how.budget = budget_of_turns(options, time, kRunSeconds);
    return how;
  }

  void run_both(const Plan& plan_a, const std::string& base, SideRun& b) {
    report.confirmation->interleaved = true;
    SideRun a(plan_a, base + "/a", place(""));
    mark_interleaved(base);
    if (!are_all_run(run_in_turn(a, &b, how_in_turn(!report.found.simulated)))) return;
    settle_with({{a.plan(), a.records()}, {b.plan(), b.records()}}, Relation::interleaved);
  }
  void run_alone(SideRun& b) {
    if (!are_all_run(run_in_turn(b, nullptr, how_in_turn(false)))) return;
    settle_with({{runs.a.plan, runs.a.records}, {b.plan(), b.records()}}, Relation::stored);
  }

  // Few rounds would be UNSURE, which takes an alert back: where the budget cut them they say
  // nothing.
  bool are_all_run(const TurnsEnd& end) {
    report.confirmation->failure = rounds_cut_text(end, rounds(), options.budget);
    return report.confirmation->failure.empty();
  }

  void settle_with(const std::pair<ComparedRun, ComparedRun>& again, Relation relation) {
    CompareAsked asked = options.asked;
    asked.relation = relation;
    const ComparisonFindings second = compare_runs(again.first, again.second, asked);
    settle(report.confirmation->alerts, report.found, second);
    if (second.not_comparable != NotComparable::none)
      report.confirmation->failure = "its trials are not comparable, or none is usable";
  }
};

}  // namespace

void confirm_alerts(const Arguments& arguments, const CompareOptions& options,
                    const ComparedRuns& runs, const RunTime& time, CompareReport& report) {
  std::vector<SlowerAlert> alerts = alerts_of(report.found);
  if (alerts.empty()) return;
  report.confirmation.emplace();
  report.confirmation->alerts = std::move(alerts);
  try {
    SecondRun{arguments, options, runs, time, report}.run();
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error& e) {
    report.confirmation->failure = std::string(e.message());
  }
}

}  // namespace benchbench
