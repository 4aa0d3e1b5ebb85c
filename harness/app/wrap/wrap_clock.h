// Decides how long a wrapped script is waited for: as long as it works. Pure.
#pragma once
#include <cstdint>

#include "harness/core/units.h"

namespace benchbench {

// Times are of any one clock.
class WrapClock {
 public:
  enum class Due : std::uint8_t { nothing, line, hang };

  // `hang_after`: without a message and without CPU time.
  // `cores`: that there are.
  WrapClock(Nanoseconds hang_after, Nanoseconds now, double cores);

  // At least once in some seconds: a longer gap was a stop of this program, and does not count.
  // `messages`: that came so far; a fetch, a step and a stretch are each followed by one.
  // `spent_ns`: CPU time of all of the script's processes so far; under 1 % of a core counts as
  // none, and is not read where a message comes while it measures. A line is due each 20 s, with
  // `measures` only where no message comes. A hang is due once, until the script works again; lines
  // come each three minutes until then.
  Due look(Nanoseconds now, std::uint64_t messages, std::int64_t spent_ns, bool measures);

  // Since the begin, without gaps; since the last message; cores in use since the last
  // line, hang or message.
  Nanoseconds passed() const noexcept { return looked_ - begun_; }
  Nanoseconds silent() const noexcept { return looked_ - heard_; }
  double cores() const noexcept { return cores_; }
  // True if a message came, or CPU time was used, before the last look.
  bool works() const noexcept { return worked_ == looked_; }
  // True at each look from the one on at which a hang was due, until it works again.
  bool stands_still() const noexcept { return looked_ - worked_ >= hang_after_; }

 private:
  bool line_is_due(bool measures) const noexcept;
  void skip(Nanoseconds gap) noexcept;
  void count_cores_from(Nanoseconds now, std::int64_t spent_ns) noexcept;

  const Nanoseconds hang_after_;
  const double most_cores_;
  Nanoseconds begun_, looked_, heard_, worked_, said_, counted_;
  std::uint64_t messages_ = 0;
  std::int64_t spent_ns_ = 0, counted_ns_ = 0;
  bool hangs_ = false, measured_ = false;
  double cores_ = 0;
};

}  // namespace benchbench
