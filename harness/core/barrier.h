// A meeting point: nobody goes on before all have come.
#pragma once
#include "harness/core/lock.h"

namespace benchbench {

// `parties` threads or fibers meet again and again; a step between two meetings takes as long as
// the slowest of them. Any threads; must outlive every call.
class Barrier {
 public:
  Barrier(Runtime& runtime, std::uint32_t parties) noexcept
      : runtime_(runtime), parties_(parties), lock_(runtime) {}

  // Returns true when the last of the parties has come, in whichever order those that waited are
  // woken. False, at once and to those that wait too, after close().
  bool arrive_and_wait();
  // Ends it, so that the others of one that has died do not wait for ever. Idempotent.
  void close();

 private:
  Runtime& runtime_;
  const std::uint32_t parties_;
  Lock lock_;
  Waiters waiting_;
  std::uint32_t arrived_ = 0;
  std::uint64_t meeting_ = 0;  // so that one that is woken late is not counted among the next
  bool closed_ = false;
};

}  // namespace benchbench
