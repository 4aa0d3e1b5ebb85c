#include "harness/analysis/compare/run_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

struct Line {
  DifferenceKind kind;
  const char* what;
  std::string (*text)(const Environment&);
};

std::string plain_number(double value) { return fmt::format("{:g}", value); }

constexpr Line kLines[] = {
    {DifferenceKind::software, "build", [](const Environment& e) { return e.build; }},
    {DifferenceKind::software, "program", [](const Environment& e) { return e.build_digest; }},
    {DifferenceKind::software, "libtorch", [](const Environment& e) { return e.libtorch; }},
    {DifferenceKind::software, "cuda", [](const Environment& e) { return e.cuda; }},
    {DifferenceKind::software, "kernel", [](const Environment& e) { return e.kernel; }},
    {DifferenceKind::environment, "variables",
     [](const Environment& e) { return fmt::format("{}", fmt::join(e.variables, " ")); }},
    {DifferenceKind::environment, "governor", [](const Environment& e) { return e.governor; }},
    {DifferenceKind::environment, "huge pages", [](const Environment& e) { return e.huge_pages; }},
    {DifferenceKind::environment, "cores available",
     [](const Environment& e) { return plain_number(e.cores_available); }},
    {DifferenceKind::environment, "memory limit",
     [](const Environment& e) { return bytes_text({e.memory_bytes}); }},
    {DifferenceKind::environment, "gpus", [](const Environment& e) { return e.gpus; }},
    {DifferenceKind::hardware, "processor", [](const Environment& e) { return e.cpu_model; }},
    {DifferenceKind::hardware, "processors online",
     [](const Environment& e) { return fmt::format("{}", e.cpus_online); }},
    {DifferenceKind::hardware, "virtualization",
     [](const Environment& e) { return e.virtualization; }},
    {DifferenceKind::hardware, "machine", [](const Environment& e) { return e.machine; }},
};

// Not what is measured, but how often.
bool only_how_often(std::string_view key) {
  return key == keys::measure.rounds || key == keys::measure.budget ||
         key == keys::measure.stop_at || key == keys::measure.max_rounds;
}

void add_settings(const SettingsMap& a, const SettingsMap& b, std::vector<RunDifference>& out) {
  std::set<std::string> keys;
  for (const SettingsMap* map : {&a, &b})
    for (const auto& [key, value] : map->all()) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string in_a = a.has(key) ? a.text(key) : "", in_b = b.has(key) ? b.text(key) : "";
    if (in_a == in_b || only_how_often(key)) continue;
    out.push_back({is_code_digest(key) ? DifferenceKind::software : DifferenceKind::setting, key,
                   in_a, in_b});
  }
}

const SettingsMap& base_of(const Plan& plan) {
  return plan.points.empty() ? plan.scenario.base : plan.points.front().settings;
}

}  // namespace

const Environment* environment_of(const std::vector<TrialRecord>& records) noexcept {
  for (const TrialRecord& r : records)
    if (!r.environment.machine.empty()) return &r.environment;
  return nullptr;
}

namespace {

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
  if (ea && eb)
    for (const Line& line : kLines)
      if (std::string in_a = line.text(*ea), in_b = line.text(*eb); in_a != in_b)
        out.push_back({line.kind, line.what, in_a, in_b});
  if (plan_a.scenario.name != plan_b.scenario.name)
    out.push_back(
        {DifferenceKind::setting, "scenario", plan_a.scenario.name, plan_b.scenario.name});
  add_settings(base_of(plan_a), base_of(plan_b), out);
  std::ranges::stable_sort(out, {}, &RunDifference::kind);
  return out;
}

}  // namespace benchbench
