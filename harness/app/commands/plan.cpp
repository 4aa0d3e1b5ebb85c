// `benchbench plan FILE`: what a run would do and cost, nothing run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "harness/app/run/data_size.h"
#include "harness/app/run/prepared_plan.h"
#include "harness/app/run/trial_estimate.h"
#include "harness/core/error.h"
#include "harness/plan/ablations.h"
#include "harness/plan/order.h"

namespace benchbench {
namespace {

std::string trials_of(const Plan& plan, const Point& point) {
  std::string text;
  for (const auto& [mode, index] : point.trials) {
    const Trial& t = plan.trials[index];
    const bool own = t.points.empty() || t.points.front() == point.index;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", name_of(mode), own ? "" : "*");
  }
  return text;
}

void print_points(const Plan& plan) {
  std::size_t width = 5;
  for (const Point& p : plan.points) width = std::max(width, p.name().size());
  fmt::print("{:>3}  {:<{}}  {}\n", "#", "point", width, "trials per round (* shared with an earlier point)");
  for (const Point& p : plan.points)
    fmt::print("{:>3}  {:<{}}  {}\n", p.index, p.name(), width,
               p.skip ? fmt::format("SKIPPED: {}", *p.skip) : trials_of(plan, p));
}

// "decode (2 more trials a round)": what is measured beyond the three modes, and what of it cannot run here.
void print_ablations(const Plan& plan) {
  std::string substitution;
  std::set<const Trial*> more;
  for (const auto& [ablation, trial] : ablations_of(plan)) {
    if (trial->skip) {
      fmt::print("{}: SKIPPED: {}\n", words_of(ablation), *trial->skip);
      continue;
    }
    if (ablation.kind == AblationKind::interference) {
      fmt::print("interference: 1 more trial per round: {}\n", words_of(ablation));
      continue;
    }
    if (trial->ablation) more.insert(trial);
    const bool free = ablation.kind == AblationKind::free;
    const std::string words = free ? std::string(name_of(ablation.component)) : words_of(ablation);
    substitution += (substitution.empty() ? "" : ", ") + words;
  }
  if (!substitution.empty())
    fmt::print("substitution: {} more trial{} per round: {}\n", more.size(), more.size() == 1 ? "" : "s",
               substitution);
  else if (plan.scenario.base.boolean("measure.substitute"))
    fmt::print("substitution: no component of this pipeline can be removed\n");
}

void print_datasets(const Plan& plan) {
  if (plan.datasets.empty()) return;
  fmt::print("\ndata\n");
  std::size_t width = 0;
  for (const DatasetNeed& d : plan.datasets) width = std::max(width, d.format.size());
  for (const DatasetNeed& d : plan.datasets)
    fmt::print("  {:<{}}  {}  {}\n", d.format, width,
               d.ready ? "there  " : fmt::format("to make, about {}", human_bytes(static_cast<double>(d.bytes_estimate))),
               d.path);
}

void print_price(const Plan& plan) {
  std::size_t runnable = 0;
  for (const PlannedRun& s : plan.order) runnable += !plan.trials[s.trial].skip;
  fmt::print("\n{} points, {} trials in {} rounds = {} runs; sharing saves {} per round\n",
             plan.points.size(), plan.trials.size(), max_rounds(plan), runnable, plan.shared);
  fmt::print("time    about {} ({})\n", time_text(plan), plan.price.basis);
  fmt::print("disk    {} to write\n", human_bytes(static_cast<double>(plan.price.disk_bytes)));
  fmt::print("memory  {} for the largest trial\n", human_bytes(static_cast<double>(plan.price.memory_bytes)));
  fmt::print("rounds  {} planned; a difference between points can be confirmed from {} rounds on\n",
             rounds_text(plan), plan.confirm_rounds);
  for (const std::string& cut : plan.cuts) fmt::print("budget  {}\n", cut);
}

int run_plan(const Arguments& arguments) {
  PreparedPlan p = prepare_plan(arguments);
  if (!arguments.flag("--no-probe")) probe_prices(p, arguments);
  const Plan& plan = p.plan;
  fmt::print("{}: {}\n", plan.scenario.source, plan.scenario.question.empty() ? plan.scenario.name : plan.scenario.question);
  for (const std::string& d : plan.scenario.decisions) fmt::print("  decided: {}\n", d);
  fmt::print("\n");
  print_points(plan);
  print_ablations(plan);
  print_datasets(plan);
  if (const std::string cold = cold_data_text(p); !cold.empty()) fmt::print("  cold: {}\n", cold);
  print_price(plan);
  return 0;
}

constexpr Option kPlanOptions[] = {
    {"--no-probe", "", "estimate from earlier runs only; otherwise parts without one run a few steps",
     false}};
const std::vector<Option> kOptionsOfPlan = with_scenario_options(kPlanOptions);

}  // namespace

const Command plan_command{"plan",
                           "measure",
                           "show what a run would do and how long it would take",
                           "FILE",
                           1,
                           1,
                           kOptionsOfPlan,
                           "  benchbench plan configs/resnet.yaml\n"
                           "  benchbench plan configs/resnet.yaml --rounds 10 --budget 20min\n"
                           "  benchbench plan my.yaml --sweep loader.num_workers=0,2,4,8\n",
                           run_plan};

}  // namespace benchbench
