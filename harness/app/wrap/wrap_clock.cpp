#include "harness/app/wrap/wrap_clock.h"

#include <algorithm>
#include <utility>

namespace benchbench {
namespace {

constexpr Nanoseconds kLineEvery = std::chrono::seconds{20}, kGap = std::chrono::seconds{5};
// The time between lines once a hang was due.
constexpr Nanoseconds kSeldom = std::chrono::minutes{3};
// A thread that wakes up some times a second takes less.
constexpr double kIdleCores = 0.01;

}  // namespace

WrapClock::WrapClock(Nanoseconds hang_after, Nanoseconds now, double cores)
    : hang_after_(hang_after),
      most_cores_(cores),
      begun_(now),
      looked_(now),
      heard_(now),
      worked_(now),
      said_(now),
      counted_(now) {}

void WrapClock::skip(Nanoseconds gap) noexcept {
  for (Nanoseconds* since : {&begun_, &heard_, &worked_, &said_, &counted_}) *since += gap;
}

void WrapClock::count_cores_from(Nanoseconds now, std::int64_t spent_ns) noexcept {
  counted_ = now;
  counted_ns_ = spent_ns;
}

bool WrapClock::line_is_due(bool measures) const noexcept {
  return looked_ - std::max(said_, measures ? heard_ : said_) >= (hangs_ ? kSeldom : kLineEvery);
}

WrapClock::Due WrapClock::look(Nanoseconds now, std::uint64_t messages, std::int64_t spent_ns,
                               bool measures) {
  const bool speaks = messages != messages_, spoke = heard_ == looked_;
  if (now - looked_ > kGap) skip(now - looked_);
  looked_ = now;
  if (speaks) heard_ = now;
  // The first reading after a message has all that was used while none was made.
  if ((std::exchange(measured_, measures) || measures) && (speaks || spoke))
    count_cores_from(now, spent_ns);
  const double worth = kIdleCores * static_cast<double>(hang_after_.count());
  if (speaks || static_cast<double>(spent_ns - spent_ns_) > worth) {
    worked_ = now;
    spent_ns_ = spent_ns;
    hangs_ = false;
  }
  messages_ = messages;
  const bool hang = stands_still() && !std::exchange(hangs_, true);
  if (!hang && !line_is_due(measures)) return Due::nothing;
  // A process that is found late brings what it has used before.
  cores_ = std::min(most_cores_,
                    static_cast<double>(spent_ns - counted_ns_) /
                        static_cast<double>(std::max(now - counted_, Nanoseconds{1}).count()));
  said_ = now;
  count_cores_from(now, spent_ns);
  return hang ? Due::hang : Due::line;
}

}  // namespace benchbench
