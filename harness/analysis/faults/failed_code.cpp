#include "harness/analysis/faults/failed_code.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "harness/core/contains.h"
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

struct Place : Raised {
  std::size_t trials = 0;
  std::set<std::uint32_t> points = {};
};

void add(std::vector<Place>& places, const Plan& plan, const Problem& p, Raised raised) {
  Place* place = find_element(places, raised.where, &Place::where);
  if (!place) place = &places.emplace_back(Place{std::move(raised)});
  place->trials += p.mentions.size();
  for (const Problem::Mention& m : p.mentions)
    if (m.trial < plan.trials.size())
      place->points.insert(plan.trials[m.trial].points.begin(), plan.trials[m.trial].points.end());
}

// The place that ended most trials first.
std::vector<Place> find_places(const Plan& plan, const std::vector<Problem>& problems) {
  std::vector<Place> places;
  for (const Problem& p : problems)
    if (auto raised = raised_in(p)) add(places, plan, p, std::move(*raised));
  std::ranges::stable_sort(places, std::greater{}, &Place::trials);
  return places;
}

}  // namespace

std::optional<FailedCode> failed_code(const Plan& plan, const std::vector<Problem>& problems) {
  const std::vector<Place> places = find_places(plan, problems);
  if (places.empty()) return std::nullopt;
  const Place& most = places.front();
  FailedCode out{most.where, most.what, {most.points.begin(), most.points.end()}, {}};
  for (const Place& other : places | std::views::drop(1)) out.others.push_back(other.where);
  return out;
}

}  // namespace benchbench
