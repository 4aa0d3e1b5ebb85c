#include "harness/analysis/compare/run_differences.h"

#include <algorithm>
#include <array>
#include <set>

#include "harness/core/contains.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

void add_environments(const Environment& a, const Environment& b, std::vector<RunDifference>& out) {
  const auto of_a = environment_values(a), of_b = environment_values(b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (const auto& field = of_a[i].field; field.differs && of_a[i].text != of_b[i].text)
      out.push_back({*field.differs, field.title(), of_a[i].text, of_b[i].text});
}

// Not what is measured, but how often.
bool only_how_often(std::string_view key) {
  constexpr std::array<std::string_view, 4> kHowOften{
      keys::measure.rounds, keys::measure.budget, keys::measure.stop_at, keys::measure.max_rounds};
  return contains(kHowOften, key);
}

// Empty where the setting is not there; one that is `none` is set.
std::string text_in(const SettingsMap& settings, const std::string& key) {
  const Value* value = settings.find(key);
  return value ? value->text() : "";
}

void add_settings(const SettingsMap& a, const SettingsMap& b, std::vector<RunDifference>& out) {
  std::set<std::string> keys;
  for (const SettingsMap* map : {&a, &b})
    for (const auto& [key, value] : map->all()) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string in_a = text_in(a, key), in_b = text_in(b, key);
    if (in_a == in_b || only_how_often(key)) continue;
    out.push_back({is_code_digest(key) ? DifferenceKind::software : DifferenceKind::setting, key,
                   in_a, in_b});
  }
}

const SettingsMap& base_of(const Plan& plan) {
  return plan.points.empty() ? plan.scenario.base : plan.points.front().settings;
}

// Models of the GPUs that steps ran on, each once: not those that only lie in the machine.
std::string gpus_of(const std::vector<TrialRecord>& records) {
  std::set<std::string> models;
  for (const TrialRecord& r : records)
    if (r.facts.device && r.facts.device->name.starts_with("cuda") && r.trial.mode != Mode::loader)
      models.insert(r.facts.device->model);
  std::string text;
  for (const std::string& model : models) text += ", " + model;
  return text;
}

}  // namespace

const Environment* environment_of(const std::vector<TrialRecord>& records) noexcept {
  for (const TrialRecord& r : records)
    if (!r.environment.machine.empty()) return &r.environment;
  return nullptr;
}

std::vector<std::string> machines_of(const std::vector<TrialRecord>& records) {
  std::set<std::string> all;
  const std::string gpus = gpus_of(records);
  for (const TrialRecord& r : records)
    if (!r.environment.machine.empty()) all.insert(r.environment.machine + gpus);
  return {all.begin(), all.end()};
}

std::vector<RunDifference> run_differences(const Plan& plan_a, const std::vector<TrialRecord>& a,
                                           const Plan& plan_b, const std::vector<TrialRecord>& b) {
  std::vector<RunDifference> out;
  const Environment *ea = environment_of(a), *eb = environment_of(b);
  if (ea && eb) add_environments(*ea, *eb, out);
  if (plan_a.scenario.name != plan_b.scenario.name)
    out.push_back(
        {DifferenceKind::setting, "scenario", plan_a.scenario.name, plan_b.scenario.name});
  add_settings(base_of(plan_a), base_of(plan_b), out);
  std::ranges::stable_sort(out, {}, &RunDifference::kind);
  return out;
}

}  // namespace benchbench
