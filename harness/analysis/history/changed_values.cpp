#include "harness/analysis/history/changed_values.h"

#include <fmt/format.h>

namespace benchbench {

std::vector<std::string> changed_values(const NamedValues& then, const NamedValues& now) {
  std::vector<std::string> out;
  const auto shown = [](const NamedValues& m, const std::string& key) {
    const auto at = m.find(key);
    return at == m.end() || at->second.empty() ? std::string("none") : at->second;
  };
  NamedValues all = then;
  all.insert(now.begin(), now.end());
  for (const auto& [key, value] : all)
    if (shown(then, key) != shown(now, key))
      out.push_back(fmt::format("{}: {} -> {}", key, shown(then, key), shown(now, key)));
  return out;
}

}  // namespace benchbench
