#include "harness/tune/feasible.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/tune/model/memory.h"

namespace benchbench {
namespace {

// A flag's second value asks for more: pinned copies, workers that stay.
bool is_ordered(KnobKind kind) noexcept { return kind != KnobKind::category; }

constexpr int kInvalidTwice = 2;  // once may be the machine's moment
constexpr int kFailedTwice = 2;

void bar_what_stays_invalid(const TuneProblem& problem, Observations records, Feasible& out) {
  std::vector<int> invalid(problem.space.combinations());
  for (const Observation& o : records) invalid[o.point] += o.outcome == TuneOutcome::invalid;
  for (const Observation& o : records)
    if (o.has_rate()) invalid[o.point] = 0;
  for (const PointId p : problem.space.points())
    if (invalid[p] >= kInvalidTwice) out.barred[p] = Barred::invalid;
}

bool over_memory(const TuneProblem& problem, const Observation& o) {
  if (o.outcome == TuneOutcome::out_of_memory) return true;
  return problem.limits.memory_bytes && o.memory_bytes &&
         *o.memory_bytes > *problem.limits.memory_bytes;
}

void bar_by_memory(const TuneProblem& problem, Observations records, Feasible& out) {
  const Space& space = problem.space;
  for (const Observation& o : records) {
    if (!over_memory(problem, o)) continue;
    for (const PointId p : space.points())
      if (asks_no_less(space, p, o.point)) out.barred[p] = Barred::memory;
  }
  if (!problem.limits.memory_bytes) return;
  const std::optional<MemoryLaw> law = fitted_memory(space, records);
  if (!law) return;
  for (const PointId p : space.points())
    if (out.barred[p] == Barred::no &&
        law->at(space, p) - 2 * law->error > *problem.limits.memory_bytes)
      out.barred[p] = Barred::memory_likely;
}

// A value with which two points failed and none worked, while other values of its knob did.
void bar_values_that_fail(const Space& space, Observations records, Feasible& out) {
  for (const std::size_t k : space.knob_indexes()) {
    std::vector<int> failed(space.knobs()[k].values.size()), worked(failed.size());
    for (const Observation& o : records) {
      if (o.outcome == TuneOutcome::failed) ++failed[space.index(o.point, k)];
      if (o.has_rate()) ++worked[space.index(o.point, k)];
    }
    const bool some_worked = std::ranges::any_of(worked, [](auto n) { return n > 0; });
    for (const PointId p : space.points())
      if (const auto v = space.index(p, k);
          some_worked && worked[v] == 0 && failed[v] >= kFailedTwice)
        out.barred[p] = Barred::failed;
  }
}

// Two categories that failed together and never worked so, while each did with others: such as a
// setting that needs another one.
void bar_pairs_that_fail(const Space& space, Observations records, Feasible& out) {
  const auto is_category = [&](std::size_t k) { return !is_ordered(space.knobs()[k].kind); };
  for (const std::size_t k : space.knob_indexes())
    for (std::size_t l = k + 1; l < space.knobs().size(); ++l) {
      if (!is_category(k) || !is_category(l)) continue;
      std::map<std::pair<std::uint32_t, std::uint32_t>, int> failed;  // below 0: it worked
      const auto pair = [&](PointId p) { return std::pair(space.index(p, k), space.index(p, l)); };
      for (const Observation& o : records)
        if (o.outcome == TuneOutcome::failed && failed[pair(o.point)] >= 0) ++failed[pair(o.point)];
      for (const Observation& o : records)
        if (o.has_rate()) failed[pair(o.point)] = -1;
      for (const PointId p : space.points())
        if (const auto at = failed.find(pair(p)); at != failed.end() && at->second >= kFailedTwice)
          out.barred[p] = Barred::failed;
    }
}

// What was measured within the limits, and never over them, stays, whatever a law or a point that
// asks for less says of it.
void keep_what_worked(const TuneProblem& problem, Observations records, Feasible& out) {
  for (const Observation& o : records)
    if (o.has_rate() &&
        (out.barred[o.point] == Barred::memory_likely || out.barred[o.point] == Barred::memory))
      out.barred[o.point] = Barred::no;
  for (const Observation& o : records)
    if (over_memory(problem, o)) out.barred[o.point] = Barred::memory;
}

}  // namespace

bool asks_no_less(const Space& space, PointId a, PointId b) noexcept {
  for (const std::size_t k : space.knob_indexes()) {
    const auto ia = space.index(a, k), ib = space.index(b, k);
    if (is_ordered(space.knobs()[k].kind) ? ia < ib : ia != ib) return false;
  }
  return true;
}

Feasible feasible_points(const TuneProblem& problem, Observations records) {
  Feasible out{std::vector<Barred>(problem.space.combinations(), Barred::no), {}};
  bar_values_that_fail(problem.space, records, out);
  bar_pairs_that_fail(problem.space, records, out);
  for (const Observation& o : records)
    if (o.outcome == TuneOutcome::failed) out.barred[o.point] = Barred::failed;
  bar_what_stays_invalid(problem, records, out);
  bar_by_memory(problem, records, out);
  keep_what_worked(problem, records, out);
  for (const PointId p : problem.space.points())
    if (out.is(p)) out.points.push_back(p);
  return out;
}

}  // namespace benchbench
