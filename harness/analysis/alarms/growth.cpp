// Alarms that look at a trend through the run: from round to round, since a window is too short to
// tell a leak from a start.
#include <cmath>

#include "harness/analysis/alarms/pooled_slope.h"
#include "harness/analysis/alarms/sights.h"
#include "harness/analysis/rates/started_at.h"
#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/by_others.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench::alarms {
namespace {

constexpr double kLeastMinutes = 1;  // less, and a share a minute is extrapolated
constexpr const char* kTooFew = "too few rounds to tell a trend";
constexpr const char* kDisturbed =
    "too few rounds to tell a trend without those that are NOISY or in which other programs ran";

// Logs of a figure of each trial's usable records by where in the run they were.
template <class At>
std::vector<PointsOfGroup> groups_of(const Scene& scene, const std::vector<std::uint32_t>& trials,
                                     const At& at) {
  std::vector<PointsOfGroup> groups;
  for (const std::uint32_t trial : trials) {
    PointsOfGroup group;
    for (const JudgedRecord& judged : scene.trials.of(trial))
      if (judged.usable())
        if (const auto place = at(judged)) group.push_back(*place);
    groups.push_back(std::move(group));
  }
  return groups;
}

using Place = std::optional<std::pair<double, double>>;

// Returns the trials of one mode, or of all.
std::vector<std::uint32_t> trials_in(const Plan& plan, std::optional<Mode> mode = {}) {
  std::vector<std::uint32_t> all;
  for (const Trial& trial : plan.trials)
    if (!trial.ablation && trial.mode == mode.value_or(trial.mode)) all.push_back(trial.index);
  return all;
}

Place memory_at(const TrialRecord& record, std::string_view probe_name) {
  const ProbeFacts* probe = rules::measured_probe(record.facts, probe_name);
  const auto seconds = seconds_of(record.started_at);
  if (!probe || !(probe->mean > 0) || !seconds) return std::nullopt;
  return std::pair(*seconds / 60, std::log(probe->mean));
}

double span_of(const std::vector<PointsOfGroup>& groups) {
  double longest = 0;
  for (const PointsOfGroup& group : groups)
    for (const auto& [x, y] : group) longest = std::max(longest, x - group.front().first);
  return longest;
}

Place loading_at(const TrialRecord& record) {
  const auto log = log_rate(record.facts);
  return log ? Place(std::pair(static_cast<double>(record.planned.round), -*log)) : std::nullopt;
}

// A loader that shares its cores with another program is slower for as long as that runs.
bool is_undisturbed(const JudgedRecord& judged) {
  return judged.status == Status::valid &&
         rules::cores_of_others(judged.record->facts) <= kBusyCores;
}

// A growth with its lower bound, both over `span`.
AlarmSeen growth_of(const PooledSlope& slope, double span, std::string_view whose = {}) {
  return {.point = {},
          .value = std::expm1(slope.value * span),
          .whose = whose,
          .low = std::expm1(slope.low * span)};
}

// Returns why nothing is known of memory that this run alone takes.
std::string why_no_memory(const Scene& scene) {
  for (const std::uint32_t trial : trials_in(scene.plan))
    for (const JudgedRecord& judged : scene.trials.of(trial))
      for (const ProbeFacts& probe : judged.record->facts.probes)
        if (probe.name == "group_memory_used" && !probe.why.empty())
          return "probe group_memory_used: " + probe.why;
  return "the probes of memory were not sampled";
}

}  // namespace

// The machine's memory is left out: it grows by what other programs take, too.
Sight memory_growth(const Scene& scene) {
  struct Whose {
    std::string_view probe, name;
  };
  constexpr Whose all[] = {{"memory", "process"}, {"group_memory_used", "cgroup"}};
  Sight out;
  out.why = why_no_memory(scene);
  for (const Whose& whose : all) {
    const auto groups = groups_of(scene, trials_in(scene.plan), [&](const JudgedRecord& judged) {
      return memory_at(*judged.record, whose.probe);
    });
    if (std::ranges::all_of(groups, &PointsOfGroup::empty)) continue;
    const auto slope = pooled_slope(groups);
    if (!out.measured) out.why = !slope ? kTooFew : "the rounds of a trial span less than a minute";
    if (!slope || span_of(groups) < kLeastMinutes) continue;
    out.measured = true;
    if (slope->low > 0) out.seen.push_back(growth_of(*slope, 1, whose.name));
  }
  if (out.measured) out.why.clear();
  return out;
}

Sight loader_growth(const Scene& scene) {
  const auto loaders = trials_in(scene.plan, Mode::loader);
  std::size_t disturbed = 0;
  const auto groups = groups_of(scene, loaders, [&](const JudgedRecord& judged) {
    disturbed += !is_undisturbed(judged);
    return is_undisturbed(judged) ? loading_at(*judged.record) : std::nullopt;
  });
  const auto slope = pooled_slope(groups);
  if (loaders.empty()) return {{}, false, "the loader alone was not measured"};
  if (!slope) return {{}, false, disturbed > 0 ? kDisturbed : kTooFew};
  Sight out{{}, true, {}};
  if (slope->low > 0) out.seen.push_back(growth_of(*slope, span_of(groups)));
  return out;
}

}  // namespace benchbench::alarms
