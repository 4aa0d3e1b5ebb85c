// How many batches may be on their way.
#pragma once
#include <cstdint>

namespace benchbench {

// At most `max_jobs` batches are issued and not yet got by the trainer. Not thread-safe: the batch
// scheduler's lock guards it.
class Credits {
 public:
  explicit Credits(std::uint32_t max_jobs) noexcept : max_jobs_(max_jobs) {}
  std::uint32_t max_jobs() const noexcept { return max_jobs_; }
  std::uint32_t used() const noexcept { return used_; }
  bool take() noexcept {
    if (used_ == max_jobs_) return false;
    ++used_;
    return true;
  }
  void give_back() noexcept { --used_; }

 private:
  std::uint32_t max_jobs_;
  std::uint32_t used_ = 0;
};

}  // namespace benchbench
