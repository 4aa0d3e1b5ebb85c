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
  WrapClock(Nanoseconds hang_after, Nanoseconds now);

  // At least once in some seconds: a longer gap was a stop of this program, and does not count.
  // `messages`: that came so far; a fetch, a step and a stretch are each followed by one.
  // `spent_ns`: CPU time of all of the script's processes so far; under 1 % of a core counts as
  // none. `measures`: a line is due only where no message comes.
  Due look(Nanoseconds now, std::uint64_t messages, std::int64_t spent_ns, bool measures);

  // Since the begin, without gaps; since the last message; cores in use since the last line.
  Nanoseconds passed() const noexcept { return looked_ - begun_; }
  Nanoseconds silent() const noexcept { return looked_ - heard_; }
  double cores() const noexcept { return cores_; }
  // It is waited for once more.
  void start_over() noexcept { heard_ = worked_ = looked_; }

 private:
  bool line_is_due(bool measures) const noexcept;
  void skip(Nanoseconds gap) noexcept;

  const Nanoseconds hang_after_;
  Nanoseconds begun_, looked_, heard_, worked_, said_;
  std::uint64_t messages_ = 0;
  std::int64_t spent_ns_ = 0, spent_at_line_ns_ = 0;
  double cores_ = 0;
};

}  // namespace benchbench
