#include "harness/analysis/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/spelling.h"

namespace benchbench {
namespace {

constexpr double kFromMemory = 0.98;  // of the bytes read; R04 calls 2 % from the device warm

// Axes whose point is how the data lies or is read.
bool is_storage_axis(std::string_view key) {
  constexpr std::array<std::string_view, 6> keys{"dataset",       "dataset.format", "dataset.path",
                                                 "loader.access", "loader.shuffle", "loader.io"};
  return std::find(keys.begin(), keys.end(), key) != keys.end() || key.starts_with("dataset.storage");
}

std::vector<std::string> storage_axes(const Plan& plan) {
  std::vector<std::string> names;
  for (const Axis& axis : plan.scenario.axes)
    if (is_storage_axis(axis.key)) names.push_back(axis.key);
  return names;
}

void warn_of_cache(const Plan& plan, const std::vector<PointFindings>& points,
                   std::vector<std::string>& out) {
  const auto axes = storage_axes(plan);
  if (axes.empty()) return;
  double least = 1;
  bool measured = false;
  for (const PointFindings& p : points)
    if (p.cache_share) {
      measured = true;
      least = std::min(least, *p.cache_share);
    }
  const std::string swept = fmt::format("{} {} swept", listed(axes), axes.size() == 1 ? "is" : "are");
  if (!measured)
    out.push_back(fmt::format(
        "{}, but where the data came from was not measured: not known to be a storage comparison", swept));
  else if (least >= kFromMemory)
    out.push_back(fmt::format(
        "not a storage comparison: {:.0f} % from the page cache ({}, but the data stayed in memory)",
        std::floor(100 * least), swept));
}

void warn_of_foreign(const JudgedTrials& trials, std::vector<std::string>& out) {
  if (trials.foreign() > 0)
    out.push_back(fmt::format("{} records belong to another plan and were left out", trials.foreign()));
}

void warn_of_cuts(const Plan& plan, std::vector<std::string>& out) {
  for (const std::string& cut : plan.cuts) out.push_back(fmt::format("cut to fit the budget: {}", cut));
}

}  // namespace

std::vector<std::string> warnings_of(const Plan& plan, const JudgedTrials& trials,
                                     const std::vector<PointFindings>& points) {
  std::vector<std::string> out;
  warn_of_cache(plan, points, out);
  warn_of_cuts(plan, out);
  warn_of_foreign(trials, out);
  return out;
}

}  // namespace benchbench
