#include "harness/analysis/history/kept_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/analysis/history/look.h"
#include "harness/analysis/history/why_not_valid.h"
#include "harness/analysis/metrics/metric.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/core/digest.h"
#include "harness/core/units.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

bool is_of_series(std::string_view key) {
  constexpr std::string_view measure[] = {keys::measure.rounds,  keys::measure.window,
                                          keys::measure.budget,  keys::measure.seed,
                                          keys::measure.stop_at, keys::measure.modes};
  return !is_code_digest(key) &&
         std::ranges::none_of(measure, [&](std::string_view m) { return key.starts_with(m); });
}

std::string settings_text(const SettingsMap& settings) {
  std::string text;
  for (const auto& [key, value] : settings.all())
    if (is_of_series(key)) text += fmt::format("{}={}\n", key, value.text());
  return text;
}

std::string canary_of(const Plan& plan) {
  for (const auto& [key, value] : plan.labels)
    if (key == "canary") return value.empty() ? "yes" : value;
  return {};
}

std::vector<double> sorted_logs(const ByRound& logs) {
  std::vector<double> values = values_in(logs);
  std::ranges::sort(values);
  return values;
}

// Half of the rounds' interval, but at least kNoisyWidth: what disturbs all of them alike does not
// show in it.
double width_of_rounds(const ByRound& logs) {
  const Measured mean = estimate_mean(sorted_logs(logs));
  return std::max(kNoisyWidth, (mean->high - mean->low) / 2);
}

// True of a round that is a bound: what makes it NOISY costs time. An unsteady one, which may be
// off either way, is unsteady by that.
bool may_have_been_faster(const JudgedRecord& judged) {
  const auto costs_time = [](const Reason& reason) {
    const Rule* rule = find_rule(reason.rule);
    return rule && rule->costs_time;
  };
  const auto is_unsteady = [](const Reason& reason) { return reason.rule == "R06"; };
  return judged.status == Status::noisy && std::ranges::any_of(judged.reasons, costs_time) &&
         std::ranges::all_of(judged.reasons,
                             [&](const Reason& r) { return costs_time(r) || is_unsteady(r); });
}

// The rounds of one trial.
struct KeptRounds {
  // The logs of their rates; `usable`: with those that may have been faster.
  RepeatsByRound valid, usable;
  std::set<std::uint32_t> ran;

  explicit KeptRounds(JudgedRecords records) {
    for (const JudgedRecord& r : records) {
      const std::uint32_t round = r.record->planned.round;
      if (r.status != Status::skipped && r.status != Status::aborted) ran.insert(round);
      const auto log = r.usable() ? log_rate(r.record->facts) : std::nullopt;
      if (!log || !std::isfinite(*log)) continue;
      if (r.status == Status::valid) valid[round].push_back(*log);
      if (r.status == Status::valid || may_have_been_faster(r)) usable[round].push_back(*log);
    }
  }
  bool are_enough(const ByRound& logs) const {
    return !logs.empty() && 2 * logs.size() >= ran.size();
  }
};

// A night of mostly NOISY rounds is a wide one where these may have been faster; others give no
// value, as mostly INVALID or FAILED ones do.
KeptValue value_of_rounds(JudgedRecords records) {
  KeptValue out;
  const KeptRounds rounds(records);
  const ByRound valid = mean_by_round(rounds.valid), usable = mean_by_round(rounds.usable);
  const bool enough = rounds.are_enough(valid);
  out.rounds = static_cast<std::uint32_t>(valid.size());
  if (!enough) out.reason = why_not_valid(records);
  if (!enough && !rounds.are_enough(usable)) return out;
  out.median = std::exp(median_of(values_in(enough ? valid : usable)));
  if (!enough) out.width = width_of_rounds(usable);
  return out;
}

// nullopt where nothing is recorded: it was not this trial's turn yet.
std::optional<KeptValue> kept_value(const JudgedTrials& trials, const Trial& trial) {
  const auto records = trials.of(trial.index);
  if (!records.empty()) return value_of_rounds(records);
  if (!trial.skip) return std::nullopt;
  KeptValue out;
  out.reason = fmt::format("{}: {}", name_of(Status::skipped), *trial.skip);
  return out;
}

// The hardware has a word of its own: KeptRun::machine.
void add_surroundings(KeptRun& run, const Environment& e) {
  for (EnvironmentValue& value : environment_values(e))
    if (value.field.differs && value.field.differs != DifferenceKind::hardware)
      run.surroundings.emplace_back(value.field.title(), std::move(value.text));
}

// When and where the run began.
void add_start(KeptRun& run, const TrialRecord& first) {
  const Environment& e = first.environment;
  run.started_at = first.started_at;
  run.machine = e.machine;
  run.machine_text = fmt::format("{}, {}", e.cpu_model, counted(e.cpus_online, "core"));
  add_surroundings(run, e);
}

// Returns how many samples the base point's data has, by its first record that says it.
std::optional<std::uint64_t> samples_of_data(const Plan& plan, const JudgedTrials& trials) {
  if (plan.points.empty()) return std::nullopt;
  for (const auto& [mode, trial] : plan.points.front().trials)
    for (const JudgedRecord& judged : trials.of(trial))
      if (const auto samples = judged.record->facts.epochs.samples) return samples;
  return std::nullopt;
}

}  // namespace

std::string series_digest(const Plan& plan, const Point& point, Mode mode) {
  return digest_of(fmt::format("{}\n{}\n{}\n{}", plan.scenario.name, rate_metric(mode).name,
                               canary_of(plan), settings_text(point.settings)))
      .text()
      .substr(0, 12);
}

KeptOfRun kept_of(const Plan& plan, std::span<const TrialRecord> records) {
  KeptOfRun out;
  out.run.labels = plan.labels;
  if (records.empty()) return out;
  add_start(out.run, *std::ranges::min_element(records, {}, &TrialRecord::started_at));
  const JudgedTrials trials(plan, records);
  if (const auto samples = samples_of_data(plan, trials))
    out.run.surroundings.emplace_back(kDataPrefix + plan.scenario.name,
                                      counted(*samples, "sample"));
  for (const Point& point : plan.points)
    for (const auto& [mode, trial] : point.trials) {
      auto value = kept_value(trials, plan.trials[trial]);
      if (!value) continue;
      value->series = series_digest(plan, point, mode);
      out.series[value->series] = {plan.scenario.name, point.name(),
                                   std::string(rate_metric(mode).name), !canary_of(plan).empty(),
                                   settings_text(point.settings)};
      out.run.values.push_back(*value);
    }
  return out;
}

}  // namespace benchbench
