// What most mock trainers are beside their step: nothing in flight, no loss, no parameters, no
// leases held.
#pragma once
#include <limits>

#include "harness/part/trainer.h"

namespace benchbench {

class MockTrainer : public Trainer {
 public:
  void finish() override {}
  double loss() override { return std::numeric_limits<double>::quiet_NaN(); }
  std::uint64_t parameters() const noexcept override { return 0; }
  std::uint32_t holds() const noexcept override { return 0; }
};

}  // namespace benchbench
