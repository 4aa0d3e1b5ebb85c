// A Gaussian process: what the residuals of measured points say of all others.
#pragma once
#include <span>
#include <vector>

#include "harness/tune/model/cholesky.h"
#include "harness/tune/model/kernel.h"

namespace benchbench {

// Of the points asked about, in their order; logarithms of rates.
struct Belief {
  std::vector<PointId> points;
  std::vector<double> mean, variance;
  std::vector<double> whitened;  // points × measured: covariances come from it
};

struct Residuals {
  std::vector<PointId> points;  // measured, each once
  std::vector<double> value;    // about the mean that is assumed
  std::vector<double> error2;   // squared standard errors
};

// Puts the factor of the measured points' covariances, with their errors, into a matrix of their
// number. False where the covariances are not positive.
bool factor_covariances(const Kernel& kernel, const Residuals& residuals,
                        SquareMatrix& matrix) noexcept;

class Process {
 public:
  // Throws std::domain_error where the covariances are not positive: two points alike, both without
  // an error.
  Process(Kernel kernel, const Residuals& residuals);
  // `mean`: what is assumed of each point.
  Belief about(std::span<const PointId> points, std::span<const double> mean) const;
  double covariance(const Belief& belief, std::size_t i, std::size_t j) const noexcept;

 private:
  Kernel kernel_;
  std::vector<PointId> measured_;
  std::vector<double> weights_;  // K⁻¹ times the residuals
  SquareMatrix factor_;
};

}  // namespace benchbench
