#include "harness/analysis/history/night_sets.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <string_view>

#include "harness/core/contains.h"

namespace benchbench {
namespace {

using Names = std::set<std::string>;
using Runs = std::vector<const KeptRun*>;

void add_listed(Names& to, std::string_view text) {
  for (const auto name : std::views::split(text, ','))
    if (!name.empty()) to.emplace(name.begin(), name.end());
}

// Returns all that the runs of a night name; none where they name nothing.
Names named_set(const Runs& night) {
  Names out;
  for (const KeptRun* run : night)
    for (const auto& [key, value] : run->labels)
      if (key == kSetLabel) add_listed(out, value);
  return out;
}

// Returns what a set may call a series, by digest.
std::map<std::string, Names> names_by_series(const KeptHistory& kept,
                                             const std::vector<Runs>& nights) {
  std::map<std::string, Names> out;
  for (const Runs& night : nights)
    for (const KeptRun* run : night) {
      const std::string before = run->night() + "-";
      for (const KeptValue& value : run->values) {
        Names& names = out[value.series];
        if (const KeptSeries* series = find_value(kept.series, value.series))
          names.insert(series->scenario);
        if (run->folder.starts_with(before)) names.insert(run->folder.substr(before.size()));
      }
    }
  return out;
}

}  // namespace

std::vector<LeftOut> left_out_of_sets(const KeptHistory& kept, const std::vector<Runs>& nights) {
  const auto names = names_by_series(kept, nights);
  std::vector<LeftOut> out;
  for (const Runs& night : nights) {
    const Names set = named_set(night);
    LeftOut& left_out = out.emplace_back();
    if (set.empty()) continue;
    left_out.emplace();
    for (const auto& [digest, called] : names)
      if (std::ranges::none_of(called, [&](const std::string& n) { return set.contains(n); }))
        left_out->insert(digest);
  }
  return out;
}

}  // namespace benchbench
