// Which worker makes which batch.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/part/loader.h"
#include "harness/record/resolved_settings.h"

namespace benchbench {

// Assigns requests, in the order they are issued, to inboxes: one that all share, or one a worker.
// Not thread-safe: the batch scheduler's lock guards it.
class Dispatcher {
 public:
  Dispatcher(Dispatch how, std::uint32_t workers);
  std::uint32_t inboxes() const noexcept { return how_ == Dispatch::shared ? 1 : workers_; }
  std::uint32_t inbox_of(WorkerNumber worker) const noexcept {
    return how_ == Dispatch::shared ? 0 : worker;
  }
  std::uint32_t assign(BatchNumber batch) noexcept;
  // The trainer got a batch of this inbox.
  void got(std::uint32_t inbox) noexcept;

 private:
  std::uint32_t least_loaded() noexcept;

  Dispatch how_;
  std::uint32_t workers_;
  std::uint32_t last_ = 0;                  // inbox assigned last; ties go on from it
  std::vector<std::uint32_t> outstanding_;  // by inbox
};

}  // namespace benchbench
