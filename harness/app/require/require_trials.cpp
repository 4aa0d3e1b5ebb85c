#include "harness/app/require/require_trials.h"

#include <algorithm>

#include "harness/plan/trials.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::int64_t kSupplyWorkers = 2;  // while one waits for the rate the other can hand over

void set_loader_text(SettingsMap& settings, std::string_view key, std::string_view text) {
  settings.set(key, {ParameterType::text, std::string(text)});
}

}  // namespace

SettingsMap fed_at(const SettingsMap& trainer, double rate, const Catalog& catalog) {
  SettingsMap s = trainer;
  set_loader_text(s, keys::loader.use, "rate_limited");
  for (const Parameter& p : catalog.find(PartKind::loader, "rate_limited")->description->parameters)
    if (const auto value = Value::parse(p.type, p.standard); value && !value->none())
      s.set("loader." + std::string(p.key), *value);
  s.set("loader.rate", {ParameterType::rate, rate});
  s.set(keys::loader.num_workers, kSupplyWorkers);
  s.set(keys::loader.prefetch_factor, 2);
  s.erase(keys::loader.max_jobs);
  return s;
}

SettingsMap with_workers(const SettingsMap& loader, std::uint32_t workers, bool max_jobs_follow) {
  SettingsMap s = loader;
  s.set(keys::loader.num_workers, workers);
  if (max_jobs_follow && s.has(keys::loader.max_jobs) && s.has(keys::loader.prefetch_factor))
    s.set(keys::loader.max_jobs,
          std::max<std::int64_t>(1, workers) * s.get(keys::loader.prefetch_factor));
  return s;
}

SettingsMap above_store(const SettingsMap& loader, std::string_view preset) {
  SettingsMap s = loader;
  s.erase_prefix("dataset.storage.");
  s.set(keys::dataset.storage.like, std::string(preset));
  return s;
}

std::optional<std::uint32_t> find_trial(const Plan& plan, Mode mode, const SettingsMap& settings) {
  const auto found =
      std::ranges::find(plan.trials, digest_of_trial(mode, settings), &Trial::digest);
  return found == plan.trials.end() ? std::nullopt : std::optional(found->index);
}

std::uint32_t trial_in(Plan& plan, Mode mode, const SettingsMap& settings, std::string_view key,
                       std::string_view label) {
  if (const auto there = find_trial(plan, mode, settings)) return *there;
  const auto index = static_cast<std::uint32_t>(plan.trials.size()),
             point = static_cast<std::uint32_t>(plan.points.size());
  Trial trial;
  trial.index = index, trial.digest = digest_of_trial(mode, settings), trial.mode = mode,
  trial.settings = settings, trial.points = {point};
  plan.trials.push_back(std::move(trial));
  Point at;
  at.index = point, at.labels = {{std::string(key), std::string(label)}}, at.settings = settings,
  at.trials = {{mode, index}};
  plan.points.push_back(std::move(at));
  return index;
}

}  // namespace benchbench
