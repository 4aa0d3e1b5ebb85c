#include "harness/trial/warm_up.h"

#include <cmath>

namespace benchbench {

bool WarmUp::capped() const noexcept {
  if (limits_.cap) return time_ >= *limits_.cap;
  return looked_at_time_ >= 2 * limits_.window && looked_at_ >= 10;
}

bool WarmUp::done_after(Nanoseconds step) noexcept {
  ++steps_;
  time_ += step;
  if (limits_.fixed) {
    steady_ = true;
    return time_ >= *limits_.fixed;
  }
  if (steps_ > limits_.prefetched) {
    ++looked_at_;
    looked_at_time_ += step;
    block_.add(step);
    if (block_.steps() >= 3 && block_.time() >= limits_.window / 4) {
      steady_ = std::abs(block_.slope_share()) <= limits_.slope;
      if (steady_) return true;
      block_ = {};
    }
  }
  return capped();
}

}  // namespace benchbench
