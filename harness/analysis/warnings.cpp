#include "harness/analysis/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "harness/core/spelling.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

constexpr double kFromMemory = 0.98;  // of the bytes read; R04 calls 2 % from the device warm

// Axes whose point is how the data lies or is read. Not a emulated storage: it costs the same wherever the bytes come from.
bool is_storage_axis(std::string_view key) {
  constexpr std::array<std::string_view, 6> keys{"dataset",       "dataset.format", "dataset.path",
                                                 "loader.access", "loader.shuffle", "loader.io"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::vector<std::string> storage_axes(const Plan& plan) {
  std::vector<std::string> names;
  for (const Axis& axis : plan.scenario.axes)
    if (is_storage_axis(axis.key)) names.push_back(axis.key);
  return names;
}

void warn_of_cache(const Plan& plan, const std::vector<PointFindings>& points,
                   std::vector<std::string>& out) {
  const auto axes = storage_axes(plan);
  if (axes.empty()) return;
  double min = 1;
  bool measured = false;
  for (const PointFindings& p : points)
    if (p.cache_share) {
      measured = true;
      min = std::min(min, *p.cache_share);
    }
  const std::string swept = fmt::format("{} {} swept", listed(axes), axes.size() == 1 ? "is" : "are");
  if (!measured)
    out.push_back(fmt::format(
        "{}, but where the data came from was not measured: not known to be a storage comparison", swept));
  else if (min >= kFromMemory)
    out.push_back(fmt::format(
        "not a storage comparison: {:.0f} % from the page cache ({}, but the data stayed in memory)",
        std::floor(100 * min), swept));
}

std::string name_of_trial(const Plan& plan, const TrialRecord& record) {
  const Trial& trial = plan.trials[record.planned.trial];
  const bool known = !trial.points.empty() && trial.points.front() < plan.points.size();
  return fmt::format("{} {}", known ? plan.points[trial.points.front()].name() : "trial",
                     trial.ablation ? trial.ablation.text() : std::string(name_of(trial.mode)));
}

// What trials could not do as asked, each text once, with the first trial that said so.
void warn_of_notices(const Plan& plan, const JudgedTrials& trials, std::vector<std::string>& out) {
  std::vector<std::pair<std::string, std::set<std::string>>> told;
  for (const JudgedRecord& judged : trials.all())
    for (const std::string& notice : judged.record->facts.notices) {
      auto at = std::find_if(told.begin(), told.end(), [&](const auto& t) { return t.first == notice; });
      if (at == told.end()) at = told.insert(told.end(), {notice, {}});
      at->second.insert(name_of_trial(plan, *judged.record));
    }
  std::set<std::string> ran;
  for (const JudgedRecord& judged : trials.all()) ran.insert(name_of_trial(plan, *judged.record));
  constexpr std::size_t kTold = 8;
  for (const auto& [notice, names] : std::span(told).first(std::min(told.size(), kTold)))
    out.push_back(names.size() == ran.size() && names.size() > 1
                      ? notice + " (all trials)"
                      : fmt::format("{} ({}{})", notice, *names.begin(),
                                    names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : ""));
  if (told.size() > kTold) out.push_back(fmt::format("{} more notices of trials are in the journal", told.size() - kTold));
}

// Of stalls that come at a period their cause is known, and can be moved: less often, or off the trainer's thread.
constexpr double kWorthTelling = 0.01;

std::string_view in_words(std::optional<StallCause> cause) {
  constexpr std::string_view words[] = {"the wait for a batch", "the step itself", "post-processing", "a checkpoint"};
  return cause ? words[static_cast<std::size_t>(*cause)] : "something";
}

void warn_of_stalls(const std::vector<PointFindings>& points, std::vector<std::string>& out) {
  std::size_t more = 0;
  const PointFindings* worst = nullptr;
  for (const PointFindings& p : points) {
    if (!p.stalls || p.stalls->period_steps <= 0 || p.stalls->share < kWorthTelling) continue;
    ++more;
    if (!worst || p.stalls->share > worst->stalls->share) worst = &p;
  }
  if (!worst) return;
  const StallFindings& s = *worst->stalls;
  out.push_back(fmt::format("every {:.3g} steps {} stalls training, up to {} each and {:.1f} % of the time ({}{})",
                            s.period_steps, in_words(s.cause), human_duration(from_seconds(s.longest_ms * 1e-3)),
                            100 * s.share, worst->name,
                            more > 1 ? fmt::format("; {} more points stall at a period", more - 1) : ""));
}

void warn_of_foreign(const JudgedTrials& trials, std::vector<std::string>& out) {
  if (trials.foreign() > 0)
    out.push_back(fmt::format("{} records belong to another plan and were left out", trials.foreign()));
}

void warn_of_cuts(const Plan& plan, std::vector<std::string>& out) {
  for (const std::string& cut : plan.cuts) out.push_back(fmt::format("cut to fit the budget: {}", cut));
}

}  // namespace

std::vector<std::string> warnings_of(const Plan& plan, const JudgedTrials& trials,
                                     const std::vector<PointFindings>& points) {
  std::vector<std::string> out;
  warn_of_cache(plan, points, out);
  warn_of_cuts(plan, out);
  warn_of_notices(plan, trials, out);
  warn_of_stalls(points, out);
  warn_of_foreign(trials, out);
  return out;
}

}  // namespace benchbench
