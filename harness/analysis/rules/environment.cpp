#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/record/known_variables.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {
namespace {

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string_view::npos) return "";
  return std::string(text.substr(from, text.find_last_not_of(' ') - from + 1));
}

// Names of measure.declare: "OMP_NUM_THREADS, MALLOC_ARENA_MAX".
std::vector<std::string> declared(const Trial& trial) {
  const std::string text = trial.settings.text_or(keys::measure.declare);
  std::vector<std::string> names;
  for (const auto name : std::views::split(text, ','))
    names.push_back(trimmed({name.begin(), name.end()}));
  return names;
}

}  // namespace

std::optional<Firing> environment(const TrialRecord& record) {
  const auto known = declared(record.trial);
  std::vector<std::string> set;
  for (const std::string& variable : record.environment.variables)
    if (changes_a_run(variable) &&
        std::ranges::count(known, variable.substr(0, variable.find('='))) == 0)
      set.push_back(variable);
  if (set.empty()) return std::nullopt;
  return doubt(fmt::format("set in the environment: {}", fmt::join(set, ", ")));
}

}  // namespace benchbench::rules
