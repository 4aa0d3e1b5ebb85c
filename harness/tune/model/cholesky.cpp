#include "harness/tune/model/cholesky.h"

#include <cmath>

namespace benchbench {
namespace {

// Four sums at once: the compiler may not reorder one.
double dot(const double* a, const double* b, std::size_t n) noexcept {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

bool factor(SquareMatrix& m) noexcept {
  for (std::size_t i = 0; i < m.n; ++i) {
    double* const row = m.row(i);
    for (std::size_t j = 0; j < i; ++j) row[j] = (row[j] - dot(row, m.row(j), j)) / m.row(j)[j];
    const double left = row[i] - dot(row, row, i);
    if (!(left > 0)) return false;
    row[i] = std::sqrt(left);
  }
  return true;
}

void solve_lower(const SquareMatrix& f, std::span<double> x) noexcept {
  for (std::size_t i = 0; i < f.n; ++i) x[i] = (x[i] - dot(f.row(i), x.data(), i)) / f.row(i)[i];
}

void solve_upper(const SquareMatrix& f, std::span<double> x) noexcept {
  for (std::size_t i = f.n; i-- > 0;) {
    x[i] /= f.row(i)[i];
    for (std::size_t j = 0; j < i; ++j) x[j] -= f.row(i)[j] * x[i];
  }
}

double half_log_determinant(const SquareMatrix& f) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < f.n; ++i) sum += std::log(f.row(i)[i]);
  return sum;
}

}  // namespace benchbench
