#include "harness/pipeline/dispatcher.h"

namespace benchbench {

Dispatcher::Dispatcher(Dispatch how, std::uint32_t workers)
    : how_(how),
      workers_(workers),
      last_(workers - 1),
      outstanding_(how == Dispatch::shared ? 1 : workers) {}

std::uint32_t Dispatcher::assign(BatchNumber batch) noexcept {
  std::uint32_t inbox = 0;
  if (how_ == Dispatch::round_robin) inbox = static_cast<std::uint32_t>(batch % workers_);
  if (how_ == Dispatch::least_loaded) inbox = least_loaded();
  ++outstanding_[inbox];
  return inbox;
}

void Dispatcher::got(std::uint32_t inbox) noexcept { --outstanding_[inbox]; }

std::uint32_t Dispatcher::least_loaded() noexcept {
  std::uint32_t best = last_ + 1 == workers_ ? 0 : last_ + 1;
  for (std::uint32_t i = 1, at = best; i < workers_; ++i) {
    at = at + 1 == workers_ ? 0 : at + 1;
    if (outstanding_[at] < outstanding_[best]) best = at;
  }
  return last_ = best;
}

}  // namespace benchbench
