#include "harness/tune/model/process.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace benchbench {

bool factor_covariances(const Kernel& kernel, const Residuals& r, SquareMatrix& matrix) noexcept {
  for (std::size_t i = 0; i < matrix.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix.row(i)[j] = kernel(r.points[i], r.points[j]);
    matrix.row(i)[i] += r.error2[i];
  }
  return factor(matrix);
}

Process::Process(Kernel kernel, const Residuals& r)
    : kernel_(std::move(kernel)), measured_(r.points), weights_(r.value), factor_(r.points.size()) {
  if (!factor_covariances(kernel_, r, factor_))
    throw std::domain_error("the covariances of the measured points are not positive");
  solve_lower(factor_, weights_);
  solve_upper(factor_, weights_);
}

Belief Process::about(std::span<const PointId> points, std::span<const double> mean) const {
  const std::size_t n = factor_.n;
  Belief b{{points.begin(), points.end()}, {}, {}, std::vector<double>(points.size() * n)};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<double> row(b.whitened.data() + i * n, n);
    for (std::size_t j = 0; j < n; ++j) row[j] = kernel_(points[i], measured_[j]);
    b.mean.push_back(mean[i] + std::inner_product(row.begin(), row.end(), weights_.begin(), 0.0));
    solve_lower(factor_, row);
    const double known = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    b.variance.push_back(std::max(1e-10, kernel_(points[i], points[i]) - known));
  }
  return b;
}

double Process::covariance(const Belief& b, std::size_t i, std::size_t j) const noexcept {
  const std::size_t n = factor_.n;
  const double* const a = b.whitened.data() + i * n;
  return kernel_(b.points[i], b.points[j]) -
         std::inner_product(a, a + n, b.whitened.data() + j * n, 0.0);
}

}  // namespace benchbench
