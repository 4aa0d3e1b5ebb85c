#include "harness/analysis/history/kept_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/analysis/judged_trials.h"
#include "harness/core/digest.h"
#include "harness/core/units.h"
#include "harness/record/keys.h"

namespace benchbench {
namespace {

bool is_of_series(std::string_view key) {
  constexpr std::string_view measure[] = {"measure.rounds", "measure.window",  "measure.budget",
                                          "measure.seed",   "measure.stop_at", "measure.modes"};
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

double median_of_logs(const ByRound& logs) {
  std::vector<double> values;
  for (const auto& [round, value] : logs) values.push_back(value);
  std::ranges::sort(values);
  return std::exp((values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2);
}

// A round's VALID repeats, such as the anchor's, are one value.
class RoundMeans {
 public:
  void add(std::uint32_t round, double log) { sums_[round].first += log, ++sums_[round].second; }
  ByRound means() const {
    ByRound out;
    for (const auto& [round, sum] : sums_) out[round] = sum.first / sum.second;
    return out;
  }

 private:
  std::map<std::uint32_t, std::pair<double, double>> sums_;
};

// NOISY rounds are refused; of a night with more of them than VALID ones nothing is kept.
std::optional<KeptValue> kept_value(const JudgedTrials& trials, std::uint32_t trial) {
  RoundMeans valid;
  std::set<std::uint32_t> ran;
  for (const JudgedRecord& r : trials.of(trial)) {
    if (r.status != Status::skipped && r.status != Status::aborted)
      ran.insert(r.record->planned.round);
    if (r.status != Status::valid) continue;
    if (const auto log = log_rate(r.record->facts); log && std::isfinite(*log))
      valid.add(r.record->planned.round, *log);
  }
  if (ran.empty()) return std::nullopt;
  const ByRound logs = valid.means();
  if (logs.empty() || 2 * logs.size() < ran.size())
    return KeptValue{{}, 0, static_cast<std::uint32_t>(logs.size())};
  return KeptValue{{}, median_of_logs(logs), static_cast<std::uint32_t>(logs.size())};
}

void add_surroundings(KeptRun& run, const Environment& e) {
  std::string variables;
  for (const std::string& v : e.variables) variables += (variables.empty() ? "" : " ") + v;
  run.surroundings = {{"build", e.build},
                      {"build digest", e.build_digest},
                      {"libtorch", e.libtorch},
                      {"cuda", e.cuda},
                      {"gpus", e.gpus},
                      {"kernel", e.kernel},
                      {"governor", e.governor},
                      {"huge pages", e.huge_pages},
                      {"cores available", fmt::format("{:g}", e.cores_available)},
                      {"memory", fmt::format("{} GiB", (e.memory_bytes + (1ull << 29)) >> 30)},
                      {"variables", variables}};
}

}  // namespace

std::string series_digest(const Plan& plan, const Point& point, Mode mode) {
  return digest_of(fmt::format("{}\n{}_rate\n{}\n{}", plan.scenario.name, name_of(mode),
                               canary_of(plan), settings_text(point.settings)))
      .text()
      .substr(0, 12);
}

KeptOfRun kept_of(const Plan& plan, std::span<const TrialRecord> records) {
  KeptOfRun out;
  out.run.labels = plan.labels;
  if (records.empty()) return out;
  const TrialRecord& first = *std::ranges::min_element(records, {}, &TrialRecord::started_at);
  const Environment& e = first.environment;
  out.run.started_at = first.started_at;
  out.run.machine = e.machine;
  out.run.machine_text = fmt::format("{}, {}", e.cpu_model, counted(e.cpus_online, "core"));
  add_surroundings(out.run, e);
  const JudgedTrials trials(plan, records);
  const std::string canary = canary_of(plan);
  for (const Point& point : plan.points)
    for (const auto& [mode, trial] : point.trials) {
      auto value = kept_value(trials, trial);
      if (!value) continue;
      const std::string metric = fmt::format("{}_rate", name_of(mode));
      value->series = series_digest(plan, point, mode);
      out.series[value->series] = {plan.scenario.name, point.name(), metric, !canary.empty()};
      out.run.values.push_back(*value);
    }
  return out;
}

}  // namespace benchbench
