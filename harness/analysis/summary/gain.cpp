#include "harness/analysis/summary/gain.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

bool loads_in_trainer_thread(const Point& point) {
  return point.settings.get_if(keys::loader.num_workers) == 0;
}

double rate_of(const PointFindings& f) { return f.pipeline_rate ? f.pipeline_rate->value : 0; }

ByRound pipeline_logs(const Point& point, const JudgedTrials& trials) {
  return trials.log_rates(trial_of(point, Mode::pipeline));
}

Measured pipelines_ratio(const Point& a, const Point& b, const JudgedTrials& trials) {
  double phase = 0;
  for (const Point* point : {&a, &b}) phase += trials.phase_share(trial_of(*point, Mode::pipeline));
  return ratio_within_rounds(pipeline_logs(a, trials), pipeline_logs(b, trials), phase);
}

}  // namespace

std::string settings_but_workers(const Point& point) {
  std::string text;
  for (const auto& [key, value] : point.settings.all()) {
    if (key == keys::loader.num_workers || key == keys::trainer.intra_op_threads ||
        key == keys::loader.max_jobs)
      continue;
    text += key + '=' + value.text() + '\n';
  }
  // max_jobs follows from num_workers unless it is swept itself; the base's own is what the others
  // follow from.
  if (point.index == 0) return text;
  for (const auto& [key, label] : point.labels)
    if (key == keys::loader.max_jobs) text += key + '=' + label;
  return text;
}

std::int64_t workers_of(const Point& point) {
  return point.settings.get_if(keys::loader.num_workers).value_or(0);
}

void add_gains(const Plan& plan, const JudgedTrials& trials, std::vector<PointFindings>& findings) {
  // Shared settings -> index of the better reference.
  std::map<std::string, std::size_t> references;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (!loads_in_trainer_thread(plan.points[i]) || pipeline_logs(plan.points[i], trials).empty())
      continue;
    const auto [at, fresh] = references.try_emplace(settings_but_workers(plan.points[i]), i);
    if (!fresh && rate_of(findings[i]) > rate_of(findings[at->second])) at->second = i;
  }
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (loads_in_trainer_thread(plan.points[i])) continue;
    if (const std::size_t* reference = find_value(references, settings_but_workers(plan.points[i])))
      findings[i].gain = pipelines_ratio(plan.points[i], plan.points[*reference], trials);
  }
}

WorkersRange workers_to_feed(const Point& point, const Estimate& loader, double trainer_rate) {
  const auto workers = static_cast<double>(workers_of(point));
  const auto needed = [&](double rate) {
    return std::max(workers + 1, std::ceil(trainer_rate * workers / rate));
  };
  return {needed(loader.high), needed(std::max(loader.low, 1e-9))};
}

}  // namespace benchbench
