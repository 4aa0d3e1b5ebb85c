// How alike the rates of two points are expected to be, by how far apart their values are.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/tune/space.h"

namespace benchbench {

struct KernelShape {
  std::vector<double> length;  // of each knob, in octaves of its numbers; a flag's or a category's values are 1 apart
  double amplitude = 0.15;     // standard deviation of the log rate about its mean
  double together = 0.4;       // share of the variance that knobs make together; the rest adds up knob by knob
};

// Correlations fall as exp(-distance): rates may jump, and have any number of peaks.
class Kernel {
 public:
  explicit Kernel(const Space& space);
  void set(const KernelShape& shape);
  double operator()(PointId a, PointId b) const noexcept;  // covariance

 private:
  struct Table {
    std::size_t values = 0;
    std::vector<double> distance, correlation;  // values × values
  };
  void fill(Table& table, double length);

  const Space& space_;
  std::vector<Table> tables_;
  std::vector<std::uint16_t> digits_;  // of each combination, knob by knob
  KernelShape shape_;
};

}  // namespace benchbench
