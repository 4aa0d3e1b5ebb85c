#include "harness/analysis/compare/paired_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/record/keys.h"

namespace benchbench {
namespace {

std::string key_by_settings(const Point& point, std::span<const std::string> across) {
  std::string text;
  for (const auto& [key, value] : point.settings.all()) {
    if (!key.starts_with("measure.") && !is_code_digest(key) && !contains(across, key))
      text += fmt::format("{}={}\n", key, value.text());
  }
  return text;
}

std::string key_by_labels(const Point& point) {
  if (point.index == 0) return "base";  // its values may be what differs
  std::string text;
  for (const auto& [key, label] : point.labels) text += fmt::format("{}={}\n", key, label);
  return text;
}

template <class Key>
PairedPoints pair_by(const Plan& a, const Plan& b, Key key_of) {
  std::multimap<std::string, std::uint32_t> left;
  for (const Point& p : b.points) left.emplace(key_of(p), p.index);
  PairedPoints out;
  for (const Point& p : a.points) {
    const std::string key = key_of(p);
    const auto at = left.lower_bound(key);  // the first of several
    if (at == left.end() || at->first != key) {
      out.only_a.push_back(p.index);
      continue;
    }
    out.pairs.push_back({p.index, at->second});
    left.erase(at);
  }
  std::ranges::copy(left | std::views::values, std::back_inserter(out.only_b));
  std::ranges::sort(out.only_b);
  return out;
}

}  // namespace

PairedPoints pair_by_settings(const Plan& a, const Plan& b, std::span<const std::string> across) {
  return pair_by(a, b, [&](const Point& p) { return key_by_settings(p, across); });
}

void check_across(const Plan& a, const Plan& b, std::span<const std::string> across) {
  if (across.empty()) return;
  std::set<std::string> keys;
  for (const Plan* plan : {&a, &b})
    for (const Point& p : plan->points)
      for (const auto& [key, value] : p.settings.all()) keys.insert(key);
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const std::string& key : across)
    if (!keys.contains(key))
      throw UsageError(fmt::format("--across {}: no point of A or B has that setting{}", key,
                                   did_you_mean(key, known)),
                       "`benchbench validate FILE --resolved` prints the settings of a scenario");
}

PairedPoints pair_by_labels(const Plan& a, const Plan& b) { return pair_by(a, b, key_by_labels); }

}  // namespace benchbench
