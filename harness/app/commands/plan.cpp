// `benchbench plan FILE`: what a run would do and cost, nothing run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "harness/app/exit_code.h"
#include "harness/app/options.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/data_size.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/preparation/price_file.h"
#include "harness/app/run/trial_estimate.h"
#include "harness/core/error.h"
#include "harness/dataset/dataset_need.h"
#include "harness/plan/ablations.h"
#include "harness/plan/order.h"
#include "harness/plan/starts.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"
#include "harness/report/text/display_text.h"

namespace benchbench {
namespace {

bool is_of_earlier_point(const Trial& trial, const Point& point) {
  return !trial.points.empty() && trial.points.front() != point.index;
}

// "loader trainer(3x) pipeline": what runs in each round.
std::string trials_of(const Plan& plan, const Point& point) {
  std::string text;
  for (const auto& [mode, index] : point.trials) {
    const Trial& t = plan.trials[index];
    if (t.skip) continue;
    const std::string mark = is_of_earlier_point(t, point) ? "*"
                             : index == plan.anchor        ? fmt::format("({}x)", kAnchorRuns)
                                                           : "";
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", name_of(mode), mark);
  }
  return text.empty() ? "SKIPPED" : text;
}

constexpr std::string_view kTrialsTitle = "trials per round";

// Names that leave no room for the trials go on below.
std::size_t width_of_names(const Plan& plan) {
  std::size_t names = 5, trials = kTrialsTitle.size();
  for (const Point& p : plan.points) {
    names = std::max(names, display_width(p.name()));
    trials = std::max(trials, trials_of(plan, p).size());
  }
  const std::size_t others = 3 + 2 + 2 + trials, page = page_width();
  return std::min(names, std::max<std::size_t>(20, page > others ? page - others : 0));
}

void print_point(const Plan& plan, const Point& p, std::size_t width) {
  const std::vector<std::string> name = split_lines(wrapped(p.name(), width, 2));
  const std::string space(width - std::min(width, display_width(name.front())), ' ');
  print_fitted("{:>3}  {}{}  {}\n", p.index, name.front(), space, trials_of(plan, p));
  for (std::size_t line = 1; line < name.size(); ++line) print_fitted("     {}\n", name[line]);
}

// "7, 9 to 12", as the table numbers them.
std::string numbers_of(const std::set<std::uint32_t>& points) {
  std::string text;
  for (auto at = points.begin(); at != points.end(); ++at) {
    const std::uint32_t first = *at;
    while (std::next(at) != points.end() && *std::next(at) == *at + 1) ++at;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (*at != first) text += fmt::format("{}{}", *at == first + 1 ? ", " : " to ", *at);
  }
  return text;
}

// Points of which no trial can run here: once for each reason.
void print_skipped_points(const Plan& plan) {
  std::map<std::string, std::set<std::uint32_t>> by_reason;
  for (const Point& p : plan.points)
    if (p.skip) by_reason[*p.skip].insert(p.index);
  for (const auto& [reason, points] : by_reason)
    print_fitted("SKIPPED: point{} {}: {}\n", points.size() == 1 ? "" : "s", numbers_of(points),
                 reason);
}

// Trials that cannot run here, of points with others that can: once for each reason.
void print_skipped_trials(const Plan& plan) {
  std::map<std::string, std::pair<std::set<Mode>, std::set<std::uint32_t>>> by_reason;
  for (const Point& p : plan.points)
    for (const auto& [mode, index] : p.trials) {
      if (p.skip || !plan.trials[index].skip) continue;
      auto& [modes, points] = by_reason[*plan.trials[index].skip];
      modes.insert(mode);
      points.insert(p.index);
    }
  for (const auto& [reason, what] : by_reason) {
    std::string modes;
    for (const Mode mode : what.first)
      modes += fmt::format("{}{}", modes.empty() ? "" : ", ", name_of(mode));
    print_fitted("SKIPPED: {} of {}: {}\n", modes, counted(what.second.size(), "point"), reason);
  }
}

void print_points(const Plan& plan) {
  const std::size_t width = width_of_names(plan);
  print_fitted("{:>3}  {:<{}}  {}\n", "#", "point", width, kTrialsTitle);
  for (const Point& p : plan.points) print_point(plan, p, width);
  const bool any_shared = std::ranges::any_of(plan.points, [&](const Point& p) {
    return !p.skip && trials_of(plan, p).find('*') != std::string::npos;
  });
  if (any_shared) print_fitted("     * shared with an earlier point\n");
  if (plan.anchor != kNoAnchor)
    print_fitted("     {0}x: {0} times a round, for what identical trials differ by\n",
                 kAnchorRuns);
  print_skipped_points(plan);
  print_skipped_trials(plan);
}

// "decode (2 more trials a round)": what is measured beyond the three modes, and what of it cannot
// run here.
void print_ablations(const Plan& plan) {
  std::string substitution;
  std::set<const Trial*> more;
  for (const auto& [ablation, trial] : ablations_of(plan)) {
    if (trial->skip) {
      print_fitted("{}: SKIPPED: {}\n", words_of(ablation), *trial->skip);
      continue;
    }
    if (ablation.kind == AblationKind::interference) {
      print_fitted("interference: 1 more trial per round: {}\n", words_of(ablation));
      continue;
    }
    if (ablation.kind == AblationKind::batch_on_device) {
      print_fitted("device: {}: {}\n",
                   trial->ablation ? "1 more trial per round" : "measured anyway",
                   words_of(ablation));
      continue;
    }
    if (trial->ablation) more.insert(trial);
    const bool free = ablation.kind == AblationKind::free;
    const std::string words = free ? std::string(name_of(ablation.component)) : words_of(ablation);
    substitution += (substitution.empty() ? "" : ", ") + words;
  }
  if (!substitution.empty())
    print_fitted("substitution: {} per round: {}\n", counted(more.size(), "more trial"),
                 substitution);
  else if (plan.scenario.base.get(keys::measure.substitute))
    print_fitted("substitution: no component of this pipeline can be removed\n");
}

void print_datasets(const Plan& plan) {
  if (plan.datasets.empty()) return;
  print_fitted("\ndata\n");
  std::size_t width = 0;
  for (const DatasetNeed& d : plan.datasets) width = std::max(width, d.format.size());
  for (const DatasetNeed& d : plan.datasets)
    print_fitted("  {:<{}}  {}  {}\n", d.format, width,
                 d.ready ? "there  "
                         : fmt::format("to make, about {}",
                                       human_bytes(static_cast<double>(d.bytes_estimate))),
                 d.path);
}

// Of the user's code only a run tells.
std::string memory_text(const PreparedPlan& p) {
  const auto unknown = [&](const Trial& t) {
    if (t.skip || !(external_loader(t.settings, built_in_catalog()) ||
                    external_trainer(t.settings, built_in_catalog())))
      return false;
    const auto known = p.context.prices.find(price_key(t));
    return known == p.context.prices.end() || known->second.memory_bytes == 0;
  };
  if (std::ranges::any_of(p.plan.trials, unknown))
    return "not known: what your code takes, the first run shows";
  return fmt::format("{} for the largest trial",
                     human_bytes(static_cast<double>(p.plan.price.memory_bytes)));
}

void print_price(const PreparedPlan& p) {
  const Plan& plan = p.plan;
  const std::string saved =
      plan.shared > 0 ? fmt::format("; sharing saves {} per round", plan.shared) : "";
  print_fitted("\n{}, {} per round, {}{}\n", counted(plan.points.size(), "point"),
               counted(trial_count_of(plan).runs_a_round, "trial"), trials_text(plan), saved);
  print_fitted("time    about {} ({})\n", time_text(plan), plan.price.basis);
  if (const auto start = known_start(plan.scenario.base, p.context.prices))
    print_fitted("starts  {}\n", start_text(*start, plan.scenario.base));
  print_fitted("disk    {} to write\n", human_bytes(static_cast<double>(plan.price.disk_bytes)));
  print_fitted("memory  {}\n", memory_text(p));
  print_fitted("rounds  {} planned; a difference between points can be confirmed from {} on\n",
               rounds_text(plan), counted(plan.confirm_rounds, "round"));
  for (const std::string& cut : plan.cuts) print_fitted("budget  {}\n", cut);
}

constexpr std::size_t kRunsShown = 5;  // of each file, the latest

std::string nth(int earlier) {
  return earlier == 0 ? "first"
                      : fmt::format("{}{}", earlier + 1,
                                    earlier == 1   ? "nd"
                                    : earlier == 2 ? "rd"
                                                   : "th");
}

void print_timed(const TimedRun& run) {
  print_fitted("{:<20} {:>6}  {:>10}  {:>10}  {:>6.2f}  {:>5}  {}\n", run.name, nth(run.earlier),
               human_duration(from_seconds(run.estimated)), human_duration(from_seconds(run.took)),
               run.took / run.estimated,
               fmt::format("{:g}x", run.earlier == 0 ? kFirstEstimate : kLaterEstimate),
               estimate_holds(run) ? "within" : "OFF");
}

// What the runs of each file were estimated to take when they began, and took: with whatever
// options they had.
int check_estimates(const Arguments& arguments) {
  const std::string cache = arguments.text("--cache", default_cache_folder());
  const std::vector<TimedRun> runs = read_timed_runs(cache, observe_environment().machine);
  print_fitted("{:<20} {:>6}  {:>10}  {:>10}  {:>6}  {:>5}\n", "scenario", "run", "estimated",
               "took", "ratio", "limit");
  for (const std::string& file : arguments.positional()) {
    Arguments one = arguments;
    one.set_positional({file});
    const Scenario scenario = scenario_from(one);
    std::vector<TimedRun> of_file;
    std::ranges::copy_if(runs, std::back_inserter(of_file), [&](const TimedRun& r) {
      return r.file_digest == scenario.source_digest;
    });
    if (of_file.empty()) print_fitted("{:<20} no finished run on this machine\n", scenario.name);
    const std::size_t skipped = of_file.size() - std::min(of_file.size(), kRunsShown);
    for (const TimedRun& run : std::span(of_file).subspan(skipped)) print_timed(run);
  }
  return 0;
}

int run_plan(const Arguments& arguments) {
  if (arguments.flag("--check")) return check_estimates(arguments);
  if (arguments.positional().size() > 1)
    throw UsageError("benchbench plan: one FILE at a time", "several go with --check");
  PreparedPlan p = prepare_plan_with_code(arguments);
  if (!arguments.flag("--no-probe") && probe_prices(p)) {
    // Probes are no trials of a run.
    p.context.start_seconds = known_start(p.plan.scenario.base, p.context.prices);
    fit_to_prices(p);
  }
  const Plan& plan = p.plan;
  print_fitted("{}: {}\n", plan.scenario.source,
               plan.scenario.question.empty() ? plan.scenario.name : plan.scenario.question);
  print_decisions(stdout, plan.scenario);
  print_fitted("\n");
  print_points(plan);
  print_ablations(plan);
  print_datasets(plan);
  if (plan.order.empty()) {
    print_fitted("\nnothing would run: every trial is SKIPPED, for the reasons above\n");
    return kNothingValid;
  }
  if (const std::string cold = cold_data_text(p); !cold.empty()) print_fitted("  cold: {}\n", cold);
  print_price(p);
  return kDone;
}

constexpr Option kPlanOptions[] = {
    {"--no-probe", "",
     "estimate from earlier runs only; otherwise parts without one run a few steps"},
    {"--check", "",
     "compare estimated and actual times of earlier runs of each FILE; runs nothing"}};

}  // namespace

extern const Command plan_command{
    "plan",
    "measure",
    "show what a run would do and how long it would take",
    "FILE...",
    joined({kPlanOptions, scenario_options()}),
    "  benchbench plan configs/resnet.yaml\n"
    "  benchbench plan configs/resnet.yaml --rounds 10 --budget 20min\n"
    "  benchbench plan --check configs/*.yaml\n",
    run_plan};

}  // namespace benchbench
