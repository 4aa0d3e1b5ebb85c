// Linear equations of a symmetric positive matrix, by Cholesky's factor. Small and dense.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace benchbench {

// Row by row, the lower triangle; size n·n.
struct SquareMatrix {
  std::size_t n = 0;
  std::vector<double> at;
  explicit SquareMatrix(std::size_t size) : n(size), at(size * size) {}
  double* row(std::size_t i) noexcept { return at.data() + i * n; }
  const double* row(std::size_t i) const noexcept { return at.data() + i * n; }
};

// Replaces the lower triangle by its factor. False where the matrix is not positive.
bool factor(SquareMatrix& matrix) noexcept;
// x becomes L⁻¹ x.
void solve_lower(const SquareMatrix& factor, std::span<double> x) noexcept;
// x becomes L⁻ᵀ x.
void solve_upper(const SquareMatrix& factor, std::span<double> x) noexcept;
double half_log_determinant(const SquareMatrix& factor) noexcept;

}  // namespace benchbench
