#include "harness/analysis/faults/failed_code.h"

#include <algorithm>
#include <set>

#include "harness/core/printed_by_code.h"

namespace benchbench {
namespace {

constexpr std::string_view kOfWorker = " (in DataLoader worker process ";

struct Raised {
  std::string where, what;
};

// "train.py:31: KeyError: 'mask' (in DataLoader worker process 1)", with a traceback in its
// details.
std::optional<Raised> raised_in(const Problem& p) {
  if (p.status != Status::failed || p.mentions.empty() || !has_traceback(p.details))
    return std::nullopt;
  const std::string line = p.mentions.front().text.substr(0, p.mentions.front().text.find('\n'));
  const auto end = line.find(": ");
  const auto number = end == std::string::npos ? end : line.find_last_not_of("0123456789", end - 1);
  if (number == std::string::npos || line[number] != ':' || number + 1 == end || number == 0)
    return std::nullopt;
  const std::string what = line.substr(end + 2);
  return Raised{line.substr(0, end), what.substr(0, what.find(kOfWorker))};
}

struct Place {
  Raised raised;
  std::size_t trials = 0;
  std::set<std::uint32_t> points;
};

void add(std::vector<Place>& places, const Plan& plan, const Problem& p, Raised raised) {
  auto at = std::ranges::find(places, raised.where,
                              [](const Place& known) { return known.raised.where; });
  if (at == places.end()) at = places.insert(at, {std::move(raised), 0, {}});
  at->trials += p.mentions.size();
  for (const Problem::Mention& m : p.mentions)
    if (m.trial < plan.trials.size())
      at->points.insert(plan.trials[m.trial].points.begin(), plan.trials[m.trial].points.end());
}

}  // namespace

std::optional<FailedCode> failed_code(const Plan& plan, const std::vector<Problem>& problems) {
  std::vector<Place> places;
  for (const Problem& p : problems)
    if (auto raised = raised_in(p)) add(places, plan, p, std::move(*raised));
  if (places.empty()) return std::nullopt;
  std::ranges::stable_sort(places,
                           [](const Place& a, const Place& b) { return a.trials > b.trials; });
  const Place& most = places.front();
  FailedCode out{most.raised.where, most.raised.what, {most.points.begin(), most.points.end()}, {}};
  for (std::size_t i = 1; i < places.size(); ++i) out.others.push_back(places[i].raised.where);
  return out;
}

}  // namespace benchbench
