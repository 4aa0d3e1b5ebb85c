// The child's ear: reads the control pipe on a thread of its own, so that "stop" and the end of the
// supervisor are heard while a trial runs.
#pragma once
#include <atomic>
#include <deque>
#include <optional>

#include "harness/core/lock.h"
#include "harness/process/frame.h"

namespace benchbench {

class ControlListener final : public Job {
 public:
  explicit ControlListener(Runtime& runtime) : runtime_(runtime), lock_(runtime) {}
  // Reads until the pipe ends. Where it ends while busy() is set, the supervisor is gone: ends all
  // that this process started, in whatever group, and its own group. Where it cannot be read while
  // busy() is not set: ends this process.
  void run() override;
  // The next frame; nullopt at the end of the pipe. "stop" never comes here.
  std::optional<Frame> next();
  const std::atomic<bool>& stop() const noexcept { return stop_; }
  void set_busy(bool busy) noexcept { busy_.store(busy); }

 private:
  bool hear_all();
  void deliver(Frame frame);
  void close();
  Runtime& runtime_;
  Lock lock_;
  Waiters arrived_;
  std::deque<Frame> frames_;
  bool closed_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<bool> busy_{false};
};

}  // namespace benchbench
