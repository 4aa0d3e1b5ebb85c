#include "harness/pipeline/emulated_storage.h"

#include <algorithm>
#include <cmath>

namespace benchbench {
namespace {

// 80 bits: whole nanoseconds of any size of read are exact.
Nanoseconds transfer(std::uint64_t bytes, double bytes_per_second) {
  if (bytes_per_second <= 0) return Nanoseconds{0};
  const long double ns =
      static_cast<long double>(bytes) * 1e9L / static_cast<long double>(bytes_per_second);
  constexpr long double kLongest = 9e17L;  // 28 years
  return Nanoseconds{std::llround(std::min(ns, kLongest))};
}

}  // namespace

// Takes the connection that is free first; its read's end is put back by end_of().
TimePoint StoreSchedule::connection_free(TimePoint asked) {
  if (figures_.connections == 0 || busy_until_.size() < figures_.connections) return asked;
  const TimePoint earliest = busy_until_.top();
  busy_until_.pop();
  return std::max(asked, earliest);
}

TimePoint StoreSchedule::end_of(TimePoint asked, std::uint64_t bytes, bool follows) {
  const TimePoint start = connection_free(asked);
  const TimePoint first = start + figures_.latency + (follows ? Nanoseconds{0} : figures_.seek);
  TimePoint end = first + transfer(bytes, figures_.connection_bandwidth);
  if (figures_.bandwidth > 0) {
    link_free_ = std::max(first, link_free_) + transfer(bytes, figures_.bandwidth);
    end = std::max(end, link_free_);
  }
  if (figures_.connections > 0) busy_until_.push(end);
  return end;
}

void TimedStore::wait(TimePoint asked, std::uint64_t bytes, bool follows) {
  Guard guard(lock_);
  const TimePoint end = schedule_.end_of(std::min(asked, runtime_.now()), bytes, follows);
  guard.release();
  runtime_.spend_until(end, Spend::hybrid);
}

std::unique_ptr<EmulatedStorage> emulated_storage(const SettingsMap& settings, Runtime& runtime) {
  const auto figures = emulated_figures(settings);
  return figures ? std::make_unique<TimedStore>(*figures, runtime) : nullptr;
}

}  // namespace benchbench
