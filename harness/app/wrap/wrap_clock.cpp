#include "harness/app/wrap/wrap_clock.h"

#include <algorithm>

namespace benchbench {
namespace {

constexpr Nanoseconds kLineEvery = std::chrono::seconds{20}, kGap = std::chrono::seconds{5};
// A thread that wakes up some times a second takes less.
constexpr double kIdleCores = 0.01;

}  // namespace

WrapClock::WrapClock(Nanoseconds hang_after, Nanoseconds now)
    : hang_after_(hang_after), begun_(now), looked_(now), heard_(now), worked_(now), said_(now) {}

void WrapClock::skip(Nanoseconds gap) noexcept {
  for (Nanoseconds* since : {&begun_, &heard_, &worked_, &said_}) *since += gap;
}

bool WrapClock::line_is_due(bool measures) const noexcept {
  return looked_ - std::max(said_, measures ? heard_ : said_) >= kLineEvery;
}

WrapClock::Due WrapClock::look(Nanoseconds now, std::uint64_t messages, std::int64_t spent_ns,
                               bool measures) {
  if (now - looked_ > kGap) skip(now - looked_);
  looked_ = now;
  if (messages != messages_) heard_ = now;
  const double worth = kIdleCores * static_cast<double>(hang_after_.count());
  if (messages != messages_ || static_cast<double>(spent_ns - spent_ns_) > worth) {
    worked_ = now;
    spent_ns_ = spent_ns;
  }
  messages_ = messages;
  if (now - worked_ >= hang_after_) return Due::hang;
  if (!line_is_due(measures)) return Due::nothing;
  cores_ = static_cast<double>(spent_ns - spent_at_line_ns_) /
           static_cast<double>((now - said_).count());
  said_ = now;
  spent_at_line_ns_ = spent_ns;
  return Due::line;
}

}  // namespace benchbench
