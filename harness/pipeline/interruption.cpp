#include "harness/pipeline/interruption.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {

void Interruption::check(TimePoint now) const {
  if (stop_ && stop_->load(std::memory_order_relaxed))
    throw InterruptedError("stopped before its window ended");
  if (now >= deadline_)
    throw PartError(fmt::format("timed out after {}", duration_text(timeout_)),
                    "measure.timeout sets the limit");
}

TimePoint Interruption::next_check(const Runtime& runtime) const noexcept {
  if (runtime.simulated()) return deadline_;
  return std::min(deadline_, runtime.now() + std::chrono::milliseconds{50});
}

}  // namespace benchbench
