#include "harness/analysis/history/why_not_valid.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/core/units.h"

namespace benchbench {
namespace {

struct Cause {
  std::set<std::uint32_t> rounds;
  int badness = 0;
  std::string text;  // the first line of the first one
};

// Causes by what stands in front of their text: "R09 neighbours", "FAILED".
using Causes = std::map<std::string, Cause>;

std::string name_of_cause(const Reason& reason, Status status) {
  const Rule* rule = find_rule(reason.rule);
  if (rule) return fmt::format("{} {}", rule->id, rule->name);
  return reason.rule.empty() ? std::string(name_of(status)) : reason.rule;
}

void add_causes(Causes& causes, const JudgedRecord& judged) {
  for (const Reason& reason : given_reasons(judged)) {
    Cause& cause = causes[name_of_cause(reason, judged.status)];
    cause.rounds.insert(judged.record->planned.round);
    cause.badness = std::max(cause.badness, badness(status_shown(judged, reason)));
    if (cause.text.empty()) cause.text = first_line(reason);
  }
}

}  // namespace

std::string why_not_valid(JudgedRecords records) {
  Causes causes;
  std::set<std::uint32_t> rounds;
  for (const JudgedRecord& judged : records) {
    rounds.insert(judged.record->planned.round);
    if (judged.status != Status::valid) add_causes(causes, judged);
  }
  const auto weight = [](const Causes::value_type& c) {
    return std::tuple(c.second.rounds.size(), c.second.badness);
  };
  const auto most = std::ranges::max_element(causes, {}, weight);
  if (most == causes.end()) return "no rate was measured";
  return fmt::format("{} in {} of {}: {}", most->first, most->second.rounds.size(),
                     counted(rounds.size(), "round"), most->second.text);
}

}  // namespace benchbench
