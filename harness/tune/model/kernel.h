// How alike the rates of two points are expected to be, by how far apart their values are.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/tune/space.h"

namespace benchbench {

struct KernelShape {
  // The length of each knob, in octaves of its numbers; a flag's or a category's values are 1
  // apart.
  std::vector<double> length;
  double memory = 1;        // length of what points need of memory, in octaves
  double amplitude = 0.15;  // standard deviation of the log rate about its mean
  // Share of the variance that knobs make together; the rest adds up knob by knob.
  double together = 0.4;
};

// Correlations fall as exp(-distance): rates may jump, and have any number of peaks.
class Kernel {
 public:
  // `memory`: of each combination, in octaves, where it is known: rates may fall at some size of
  // it, whichever knobs ask for it.
  explicit Kernel(const Space& space, std::vector<double> memory = {});
  void set(const KernelShape& shape);
  double operator()(PointId a, PointId b) const noexcept;  // covariance

 private:
  struct Table {
    std::size_t values = 0;
    std::vector<double> distance, correlation;  // values × values
  };
  void fill(Table& table, double length);

  std::vector<Table> tables_;
  std::vector<double> memory_;
  std::vector<std::uint16_t> digits_;  // of each combination, knob by knob
  KernelShape shape_;
};

}  // namespace benchbench
