// The side of a script while it is measured: whether another round could change the answer.
#pragma once
#include "harness/analysis/rates/verdict.h"
#include "harness/part/wrapped.h"
#include "harness/trial/readings/resources.h"

namespace benchbench {

// One thread. Says what the report will say of the same rounds, but for those that are found to be
// of no use there.
class SideCertainty {
 public:
  // `overlaps`: the loader has workers.
  explicit SideCertainty(bool overlaps) { rates_.overlaps = overlaps; }

  // `used`: of the machine meanwhile, as far as it was seen.
  void add(const WrapStretch& stretch, const std::optional<ResourceUse>& used);
  bool is_settled() const;

 private:
  PointRates rates_;
  std::optional<double> others_s_ = 0;  // CPU seconds of other programs; nullopt: not known
  double measured_s_ = 0;
};

}  // namespace benchbench
