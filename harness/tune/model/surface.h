// What is believed of every point's rate, given the levels of those that were measured: a Gaussian process about the
// scaling law, or about a constant where the law explains less.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/tune/model/cholesky.h"
#include "harness/tune/model/kernel.h"
#include "harness/tune/model/scaling.h"

namespace benchbench {

// Of the points asked about, in their order; logarithms of rates.
struct Belief {
  std::vector<PointId> points;
  std::vector<double> mean, variance;
  std::vector<double> whitened;   // points × measured: covariances come from it
  std::vector<double> prior;      // points × points would be large: computed as needed
};

class Surface {
 public:
  // `levels` must not be empty.
  Surface(const Space& space, const Levels& levels);
  Belief about(std::span<const PointId> points) const;
  double covariance(const Belief& belief, std::size_t i, std::size_t j) const;

  const KernelShape& shape() const noexcept { return shape_; }
  const std::optional<ScalingLaw>& law() const noexcept { return law_; }  // nullopt: a constant explains more

 private:
  double mean_at(PointId point) const;
  void learn_shape(const Levels& levels, double constant);

  const Space& space_;
  Kernel kernel_;
  KernelShape shape_;
  std::optional<ScalingLaw> law_;
  double constant_ = 0;
  std::vector<PointId> measured_;
  std::vector<double> weights_;   // K⁻¹ (y - mean)
  SquareMatrix factor_{0};
};

}  // namespace benchbench
