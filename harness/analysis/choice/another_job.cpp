#include "harness/analysis/choice/another_job.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/contains.h"
#include "harness/record/external_keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// A key, and the value of points whose settings do not name it.
struct Condition {
  std::string_view key, standard;
};
constexpr Condition kConditions[] = {
    {keys::dataset.path, "none"}, {keys::dataset.cache, "as_is"},
    {keys::dataset.keep, "none"}, {keys::dataset.keep_by, "random"},
    {"loader.payload", "stored"}, {keys::trainer.copy, "each"}};
constexpr std::string_view kSynthesis = "dataset.synthesize.", kOwnColumns = "dataset.columns.";
constexpr std::string_view kSectionsOfConditions[] = {"dataset.storage.", kSynthesis, kOwnColumns,
                                                      "trainer.emulated.", "run."};

constexpr std::string_view kDevice = keys::trainer.device, kAccess = keys::loader.access,
                           kPath = keys::dataset.path, kFormat = keys::dataset.format;

std::string_view standard_of(std::string_view key) {
  const Condition* known = find_element(kConditions, key, &Condition::key);
  return known ? known->standard : "none";
}

// The settings differ in this key. Where the formats do, too, the same samples may well have
// another path, and columns of other names.
bool is_condition_apart(const SettingsMap& a, const SettingsMap& b, std::string_view key) {
  if (key == kDevice) return a.text_or(key) == "emulated" || b.text_or(key) == "emulated";
  if (!is_condition(key)) return false;
  // A loader without data names none.
  if (key.starts_with(kSynthesis)) return a.has(key) && b.has(key);
  if (key == kPath || key.starts_with(kOwnColumns))
    return a.has(kPath) && b.has(kPath) && a.text_or(kFormat) == b.text_or(kFormat);
  return condition_text(a, key) != condition_text(b, key);
}

bool are_conditions_apart(const SettingsMap& a, const SettingsMap& b) {
  return std::ranges::any_of(keys_apart(a, b),
                             [&](const std::string& key) { return is_condition_apart(a, b, key); });
}

// Returns by how much figures of two orders must differ. Two uniform shuffles of n samples differ
// in their displacement by chance: each has a standard deviation of sqrt(2/5) / sqrt(n). Means over
// rounds differ by less.
double least_apart(const PointFindings& a, const PointFindings& b) {
  constexpr double kApart = 0.02, kDeviations = 3, kOfTwo = 0.894;  // sqrt(2) * sqrt(2/5)
  constexpr auto kMany = std::numeric_limits<std::uint64_t>::max();
  const auto samples = static_cast<double>(
      std::min(a.epoch_samples.value_or(kMany), b.epoch_samples.value_or(kMany)));
  return std::max(kApart, kDeviations * kOfTwo / std::sqrt(samples));
}

bool has_order(const PointFindings& p) { return p.shuffle_displacement && p.epoch_samples; }

// The order of the user's own loader is not known by its word.
bool are_named_apart(const SettingsMap& a, const SettingsMap& b) {
  if (a.text_or(keys::loader.use) != b.text_or(keys::loader.use)) return false;
  if (!a.has(kAccess) || !b.has(kAccess) || keeps_own(a, "access") || keeps_own(b, "access"))
    return false;
  return a.text_or(kAccess) != b.text_or(kAccess);
}

bool is_mock_loader(const Plan& plan, std::uint32_t point) {
  const std::string part = "loader=" + plan.points[point].settings.text_or(keys::loader.use);
  return contains(plan.scenario.mocks, part);
}

}  // namespace

std::set<std::string> keys_apart(const SettingsMap& a, const SettingsMap& b) {
  std::set<std::string> keys;
  const auto add = [&](const SettingsMap& from, const SettingsMap& other) {
    for (const auto& [key, value] : from.all())
      if (const Value* same = other.find(key); !same || same->text() != value.text())
        keys.insert(key);
  };
  add(a, b);
  add(b, a);
  return keys;
}

bool is_condition(std::string_view key) noexcept {
  return contains(kConditions, key, &Condition::key) ||
         std::ranges::any_of(kSectionsOfConditions,
                             [&](std::string_view section) { return key.starts_with(section); });
}

std::string condition_text(const SettingsMap& settings, std::string_view key) {
  return settings.text_or(key, standard_of(key));
}

bool differ_in_conditions_alone(const SettingsMap& a, const SettingsMap& b) {
  const std::set<std::string> keys = keys_apart(a, b);
  return !keys.empty() && std::ranges::all_of(keys, is_condition);
}

bool are_shuffled_apart(const PointFindings& a, const PointFindings& b) {
  const auto are_apart = [least = least_apart(a, b)](const auto& one, const auto& other) {
    return one && other && std::abs(*one - *other) > least;
  };
  return are_apart(a.shuffle_displacement, b.shuffle_displacement) ||
         are_apart(a.shuffle_together, b.shuffle_together);
}

bool orders_differ(const std::vector<PointFindings>& points) {
  return std::ranges::any_of(
      points, [&](const PointFindings& p) { return are_shuffled_apart(p, points.front()); });
}

bool shuffle_otherwise(const Plan& plan, const std::vector<PointFindings>& points, std::uint32_t a,
                       std::uint32_t b) {
  return has_order(points[a]) && has_order(points[b])
             ? are_shuffled_apart(points[a], points[b])
             : are_named_apart(plan.points[a].settings, plan.points[b].settings);
}

bool is_for_another_device(const Plan& plan, std::uint32_t point) {
  const auto is_emulated = [&](std::uint32_t p) {
    return plan.points[p].settings.text_or(kDevice) == "emulated";
  };
  return is_emulated(point) && !is_emulated(0);
}

bool is_another_job(const Plan& plan, const std::vector<PointFindings>& points,
                    std::uint32_t point) {
  const SettingsMap &here = plan.points[point].settings, &base = plan.points[0].settings;
  return here.text_or(keys::trainer.use) != base.text_or(keys::trainer.use) ||
         is_mock_loader(plan, point) != is_mock_loader(plan, 0) ||
         are_conditions_apart(here, base) || shuffle_otherwise(plan, points, point, 0);
}

}  // namespace benchbench
