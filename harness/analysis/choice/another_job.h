// Points that are no settings of the base's job: whichever is faster, none of them is the one to
// use.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/summary/point_summary.h"

namespace benchbench {

// Returns the keys that one of both has alone, or with another value.
std::set<std::string> keys_apart(const SettingsMap& a, const SettingsMap& b);

// True of a key that is set to see something, such as a cache that is warm, a slower storage, other
// samples or fewer cores. What a job does with them is measured, not chosen.
bool is_condition(std::string_view key) noexcept;

// Returns the condition at these settings, whether they name it or not.
std::string condition_text(const SettingsMap& settings, std::string_view key);

// True if all that the settings differ in, and something, are conditions.
bool differ_in_conditions_alone(const SettingsMap& a, const SettingsMap& b);

// True if the measured quality of two orders differs, by more than two uniform shuffles of so many
// samples do.
bool are_shuffled_apart(const PointFindings& a, const PointFindings& b);

// True if some point's measured order is shuffled apart from the first one's: that decides what
// reading costs.
bool orders_differ(const std::vector<PointFindings>& points);

// True if the order of one point is shuffled otherwise than that of the other: as measured, else by
// what loader.access says of one and the same loader.
bool shuffle_otherwise(const Plan& plan, const std::vector<PointFindings>& points, std::uint32_t a,
                       std::uint32_t b);

// True if the point's steps are an emulated device's and the base's are not: it shows what the
// loader would mean for that device, and is compared with nothing of the base's job.
bool is_for_another_device(const Plan& plan, std::uint32_t point);

// True if the point has another trainer than the base, a mock where that loads for real or the
// other way round, other conditions, or an order that is shuffled otherwise.
bool is_another_job(const Plan& plan, const std::vector<PointFindings>& points,
                    std::uint32_t point);

}  // namespace benchbench
