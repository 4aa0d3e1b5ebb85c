// What is believed of every point's rate, given the levels of those that were measured: Gaussian
// processes about the scaling law, or about a constant where the law explains less.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/tune/levels.h"
#include "harness/tune/model/process.h"
#include "harness/tune/model/scaling.h"

namespace benchbench {

// Twice: as the measured points suggest, and as if rates may jump between any two values all the
// same. Peaks that no point has hinted at are believed in by the second alone.
struct Beliefs {
  Belief learned, wary;
};

class Surface {
 public:
  // `levels` must not be empty; `memory` as Kernel's.
  Surface(const Space& space, const Levels& levels, std::vector<double> memory);
  Beliefs about(std::span<const PointId> points) const;
  const Process& learned() const noexcept { return *learned_; }

  const KernelShape& shape() const noexcept { return shape_; }
  // nullopt where a constant explains more.
  const std::optional<ScalingLaw>& law() const noexcept { return law_; }

 private:
  double mean_at(PointId point) const;
  Residuals residuals_of(std::span<const Level> levels) const;
  void learn_shape(Kernel& kernel, const Levels& levels);

  const Space& space_;
  KernelShape shape_;
  std::optional<ScalingLaw> law_;
  double constant_ = 0;
  std::optional<Process> learned_, wary_;
};

}  // namespace benchbench
