#include "harness/plan/starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/core/contains.h"
#include "harness/plan/order.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr double kLeastStart = 1;  // seconds: less is not worth a word
constexpr Nanoseconds kStep = std::chrono::milliseconds{500};

bool starts_for_each(const SettingsMap& base) {
  return base.get_if(keys::measure.isolation) == "trial";
}

bool names_code(std::string_view key) {
  return key.ends_with(".script") || key.ends_with(".module") || key.ends_with(".python");
}

}  // namespace

std::string start_key(const SettingsMap& settings) {
  if (!settings.has("loader.call") && !settings.has("trainer.call")) return "";
  std::set<std::string> code;
  for (const auto& [key, value] : settings.all())
    if (names_code(key) && !value.none()) code.insert(value.text());
  std::string key = "start:";
  for (const std::string& one : code) key += one + " ";
  return key;
}

std::optional<double> known_start(const SettingsMap& settings,
                                  const std::map<std::string, PriceEntry>& prices) {
  const PriceEntry* known = find_value(prices, start_key(settings));
  if (!known || known->startup_seconds < kLeastStart) return std::nullopt;
  return known->startup_seconds;
}

std::string start_text(double seconds, const SettingsMap& base) {
  return fmt::format("a start of your Python takes about {}; {}",
                     human_duration(from_seconds(seconds)),
                     starts_for_each(base) ? "each trial has its own"
                                           : "trials with the same code share one a round");
}

std::optional<Nanoseconds> grown_window(const Plan& plan, double start_seconds) {
  const Scenario& scenario = plan.scenario;
  if (!scenario.window_follows) return std::nullopt;
  const std::size_t runs = trial_count_of(plan).runs_a_round;
  if (runs == 0) return std::nullopt;
  const double share =
      starts_for_each(scenario.base) ? start_seconds : start_seconds / static_cast<double>(runs);
  // A trial has warm-up and start within its time, too.
  const Nanoseconds most = std::min(kLongestGrown, timeout_of(scenario.base) / 4);
  const Nanoseconds grown = std::min(from_seconds(share), most) / kStep * kStep;
  if (grown <= scenario.base.get(keys::measure.window)) return std::nullopt;
  return grown;
}

}  // namespace benchbench
