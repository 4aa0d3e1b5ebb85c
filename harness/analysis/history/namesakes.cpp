#include "harness/analysis/history/namesakes.h"

#include <algorithm>
#include <set>
#include <span>

namespace benchbench {
namespace {

std::string value_of(const NamedValues& settings, const std::string& key) {
  const auto at = settings.find(key);
  return at == settings.end() || at->second.empty() ? "none" : at->second;
}

// `same` have one name. Of a series that an older version kept without settings nothing is known.
void tell_apart(std::span<SeriesHistory> same) {
  std::vector<NamedValues> settings;
  std::set<std::string> keys;
  for (const SeriesHistory& s : same) {
    settings.push_back(named_settings(s.series));
    for (const auto& [key, value] : settings.back()) keys.insert(key);
  }
  const auto first = std::ranges::find_if_not(settings, &NamedValues::empty);
  for (const std::string& key : keys) {
    const auto is_as_first = [&](const NamedValues& other) {
      return other.empty() || value_of(other, key) == value_of(*first, key);
    };
    if (std::ranges::all_of(settings, is_as_first)) continue;
    for (std::size_t i = 0; i < same.size(); ++i)
      if (!settings[i].empty()) same[i].apart.push_back(key + " " + value_of(settings[i], key));
  }
}

}  // namespace

void tell_namesakes_apart(std::vector<SeriesHistory>& series) {
  for (auto from = series.begin(); from != series.end();) {
    const auto is_other = [&](const SeriesHistory& s) {
      return s.series.name() != from->series.name();
    };
    const auto to = std::find_if(from, series.end(), is_other);
    if (to - from > 1) tell_apart({from, to});
    from = to;
  }
}

}  // namespace benchbench
