// When what is written is put on the disk, where that may wait.
#pragma once
#include <chrono>

namespace benchbench {

class SyncPace {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kEvery = std::chrono::seconds{1};

  explicit SyncPace(Clock::time_point now) noexcept : last_(now) {}
  void wrote() noexcept { waiting_ = true; }
  void synced(Clock::time_point now) noexcept {
    waiting_ = false;
    last_ = now;
  }
  bool waiting() const noexcept { return waiting_; }
  // Something waits, and the last sync was a second ago.
  bool due(Clock::time_point now) const noexcept { return waiting_ && now - last_ >= kEvery; }

 private:
  Clock::time_point last_;
  bool waiting_ = false;
};

}  // namespace benchbench
