#include "harness/tune/model/memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/tune/model/cholesky.h"

namespace benchbench {
namespace {

using MemoryTerms = std::array<double, kMemoryTerms>;

MemoryTerms memory_terms(const Space& space, PointId point) noexcept {
  const double workers = space.workers(point);
  return {1, workers, workers * space.depth(point) * space.batch_size(point)};
}

struct Needed {
  MemoryTerms terms{};
  double bytes = 0;
};

double bytes_by(const MemoryTerms& terms, const MemoryTerms& factor) {
  return std::inner_product(terms.begin(), terms.end(), factor.begin(), 0.0);
}

std::vector<Needed> needed_by(const Space& space, Observations records) {
  std::vector<Needed> out;
  for (const Observation& o : with_rate(records))
    if (o.memory_bytes) out.push_back({memory_terms(space, o.point), *o.memory_bytes});
  return out;
}

// The largest value of each term.
MemoryTerms units_of(const std::vector<Needed>& all) {
  MemoryTerms unit{};
  for (const Needed& n : all)
    for (std::size_t i = 0; i < kMemoryTerms; ++i) unit[i] = std::max(unit[i], n.terms[i]);
  return unit;
}

// Returns the solution of the normal equations, each term in units of its largest value.
std::optional<MemoryTerms> solved(const std::vector<Needed>& all) {
  const MemoryTerms unit = units_of(all);
  if (std::ranges::any_of(unit, [](double most) { return most <= 0; })) return std::nullopt;
  SquareMatrix normal(kMemoryTerms);
  std::vector<double> x(kMemoryTerms, 0);
  for (std::size_t i = 0; i < kMemoryTerms; ++i) {
    for (const Needed& n : all) x[i] += n.terms[i] / unit[i] * n.bytes;
    for (std::size_t j = 0; j <= i; ++j)
      for (const Needed& n : all) normal.row(i)[j] += n.terms[i] / unit[i] * n.terms[j] / unit[j];
    normal.row(i)[i] *= 1 + 1e-6;
  }
  if (!factor(normal)) return std::nullopt;
  solve_lower(normal, x);
  solve_upper(normal, x);
  MemoryTerms out{};
  for (std::size_t i = 0; i < kMemoryTerms; ++i) out[i] = x[i] / unit[i];
  return out;
}

}  // namespace

double MemoryLaw::at(const Space& space, PointId point) const noexcept {
  return bytes_by(memory_terms(space, point), factor);
}

std::optional<MemoryLaw> fitted_memory(const Space& space, Observations records) {
  const std::vector<Needed> all = needed_by(space, records);
  if (all.size() < 2 * kMemoryTerms) return std::nullopt;
  const std::optional<MemoryTerms> factors = solved(all);
  if (!factors) return std::nullopt;
  MemoryLaw law{*factors, 0};
  double squares = 0;
  for (const Needed& n : all) {
    const double off = n.bytes - bytes_by(n.terms, law.factor);
    squares += off * off;
  }
  law.error = std::sqrt(squares / static_cast<double>(all.size() - kMemoryTerms));
  return law;
}

}  // namespace benchbench
