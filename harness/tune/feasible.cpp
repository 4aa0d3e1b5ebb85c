#include "harness/tune/feasible.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/tune/model/cholesky.h"

namespace benchbench {
namespace {

constexpr std::size_t kMemoryTerms = 3;  // the parent, each worker, each batch held ahead

bool is_ordered(KnobKind kind) noexcept { return kind != KnobKind::flag && kind != KnobKind::category; }

bool over_memory(const TuneProblem& problem, const Observation& o) {
  if (o.outcome == Outcome::out_of_memory) return true;
  return problem.limits.memory_bytes && o.memory_bytes && *o.memory_bytes > *problem.limits.memory_bytes;
}

std::array<double, kMemoryTerms> memory_terms(const Space& space, PointId point) {
  double batch = 1;
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.knobs()[k].kind == KnobKind::batch_size) batch *= space.value(point, k).number;
  const double workers = space.workers(point);
  return {1, workers, workers * space.depth(point) * batch};
}

// Least squares of memory over its terms, and what they miss by.
struct MemoryLaw {
  std::array<double, kMemoryTerms> factor{};
  double error = 0;
  double at(const Space& space, PointId point) const {
    const auto terms = memory_terms(space, point);
    double sum = 0;
    for (std::size_t i = 0; i < kMemoryTerms; ++i) sum += terms[i] * factor[i];
    return sum;
  }
};

std::optional<MemoryLaw> memory_law(const Space& space, std::span<const Observation> records) {
  std::vector<const Observation*> seen;
  double most = 0;
  for (const Observation& o : records)
    if (o.memory_bytes && o.has_rate()) seen.push_back(&o), most = std::max(most, *o.memory_bytes);
  if (seen.size() < 2 * kMemoryTerms) return std::nullopt;
  SquareMatrix normal(kMemoryTerms);
  std::vector<double> x(kMemoryTerms, 0);
  for (const Observation* o : seen) {
    const auto terms = memory_terms(space, o->point);
    for (std::size_t i = 0; i < kMemoryTerms; ++i) {
      x[i] += terms[i] * *o->memory_bytes / most;
      for (std::size_t j = 0; j <= i; ++j) normal.row(i)[j] += terms[i] * terms[j];
    }
  }
  for (std::size_t i = 0; i < kMemoryTerms; ++i) normal.row(i)[i] *= 1 + 1e-9;
  if (!factor(normal)) return std::nullopt;
  solve_lower(normal, x);
  solve_upper(normal, x);
  MemoryLaw law;
  for (std::size_t i = 0; i < kMemoryTerms; ++i) law.factor[i] = x[i] * most;
  double squares = 0;
  for (const Observation* o : seen) squares += std::pow(*o->memory_bytes - law.at(space, o->point), 2);
  law.error = std::sqrt(squares / static_cast<double>(seen.size() - kMemoryTerms));
  return law;
}

void bar_by_memory(const TuneProblem& problem, std::span<const Observation> records, Feasible& out) {
  const Space& space = problem.space;
  for (const Observation& o : records) {
    if (!over_memory(problem, o)) continue;
    for (const PointId p : space.points())
      if (asks_no_less(space, p, o.point)) out.barred[p] = Barred::memory;
  }
  if (!problem.limits.memory_bytes) return;
  const std::optional<MemoryLaw> law = memory_law(space, records);
  if (!law) return;
  for (const PointId p : space.points())
    if (out.barred[p] == Barred::no && law->at(space, p) - 2 * law->error > *problem.limits.memory_bytes)
      out.barred[p] = Barred::memory_likely;
}

// A value with which two points failed and none worked, while other values of its knob did.
void bar_values_that_fail(const Space& space, std::span<const Observation> records, Feasible& out) {
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    std::vector<std::uint32_t> failed(space.knobs()[k].values.size()), worked(failed.size());
    for (const Observation& o : records) {
      if (o.outcome == Outcome::failed) ++failed[space.index(o.point, k)];
      if (o.has_rate()) ++worked[space.index(o.point, k)];
    }
    const bool some_worked = std::any_of(worked.begin(), worked.end(), [](auto n) { return n > 0; });
    for (const PointId p : space.points())
      if (const auto v = space.index(p, k); some_worked && worked[v] == 0 && failed[v] >= 2) out.barred[p] = Barred::failed;
  }
}

// What was measured within the limits stays, whatever a law says of it.
void keep_what_worked(const TuneProblem& problem, std::span<const Observation> records, Feasible& out) {
  for (const Observation& o : records)
    if (o.has_rate() && out.barred[o.point] == Barred::memory_likely && !over_memory(problem, o)) out.barred[o.point] = Barred::no;
}

}  // namespace

bool asks_no_less(const Space& space, PointId a, PointId b) noexcept {
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    const auto ia = space.index(a, k), ib = space.index(b, k);
    if (is_ordered(space.knobs()[k].kind) ? ia < ib : ia != ib) return false;
  }
  return true;
}

Feasible feasible_points(const TuneProblem& problem, std::span<const Observation> records) {
  Feasible out{std::vector<Barred>(problem.space.combinations(), Barred::no), {}};
  bar_values_that_fail(problem.space, records, out);
  for (const Observation& o : records)
    if (o.outcome == Outcome::failed) out.barred[o.point] = Barred::failed;
  bar_by_memory(problem, records, out);
  keep_what_worked(problem, records, out);
  for (const PointId p : problem.space.points())
    if (out.is(p)) out.points.push_back(p);
  return out;
}

}  // namespace benchbench
