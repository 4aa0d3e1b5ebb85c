#include "mocks/trainers/core_work.h"

#include <algorithm>
#include <cstring>

namespace benchbench {
namespace {

// Copies of 64 KiB take some 5-20 us: fine enough to spread, coarse enough that reading the clock
// between two does not show.
constexpr std::size_t kPiece = 64 * 1024;
constexpr std::uint64_t kLargestBuffers = 64 * 1024 * 1024;

}  // namespace

CoreWork::CoreWork(Runtime& runtime, std::uint64_t traffic) : runtime_(runtime) {
  for (int i = 0; i < 16; ++i) lanes_[i] = static_cast<float>(i) / 16;
  if (traffic == 0 || runtime.simulated()) return;
  half_ =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(traffic / 2, kPiece, kLargestBuffers / 2));
  from_ = std::make_unique<std::byte[]>(half_);
  to_ = std::make_unique<std::byte[]>(half_);
  std::memset(from_.get(), 1, half_);
  std::memset(to_.get(), 2, half_);
}

void CoreWork::run(const Order& order) {
  const TimePoint computed = order.start + order.compute;
  std::uint64_t moved = 0;
  for (;;) {
    const TimePoint now = runtime_.now();
    const bool computing = now < computed;
    if (!computing && moved >= order.traffic) return;
    const double share = order.memory.count() > 0
                             ? std::min(1.0, static_cast<double>((now - order.start).count()) /
                                                 static_cast<double>(order.memory.count()))
                             : 1;
    const auto due = static_cast<std::uint64_t>(share * static_cast<double>(order.traffic));
    if (moved < due)
      moved += copy_some(due - moved);
    else if (computing)
      compute_some();
    else
      rest(order, moved);
  }
}

// A byte copied is one read and one written.
std::uint64_t CoreWork::copy_some(std::uint64_t left) {
  const std::size_t piece = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::min(kPiece, half_ - at_), (left + 1) / 2));
  std::memcpy(to_.get() + at_, from_.get() + at_, piece);
  asm volatile("" : : "r"(to_.get()) : "memory");  // somebody might look at it
  at_ += piece;
  if (at_ == half_) at_ = 0;
  return 2 * piece;
}

// About a microsecond of multiply-adds.
void CoreWork::compute_some() noexcept {
  for (int round = 0; round < 256; ++round)
    for (float& lane : lanes_) lane = lane * 0.999F + 0.001F;
  asm volatile("" : : "r"(lanes_) : "memory");
}

// Nothing to compute and the next piece is not due yet.
void CoreWork::rest(const Order& order, std::uint64_t moved) {
  const double next = static_cast<double>(std::min(moved + 2 * kPiece, order.traffic)) /
                      static_cast<double>(order.traffic);
  const auto wait = static_cast<std::int64_t>(next * static_cast<double>(order.memory.count())) + 1;
  runtime_.spend_until(order.start + Nanoseconds{wait}, Spend::hybrid);
}

}  // namespace benchbench
