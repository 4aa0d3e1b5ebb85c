// The time that the rounds of a script have taken, with all that it did in between. Pure: times are
// the stretches' own.
#pragma once
#include <optional>

#include "harness/part/wrapped.h"

namespace benchbench {

// One thread.
class SpentRounds {
 public:
  // `batch`: a batch of the script as it is.
  void ask(const WrapStretchOrder& asked, Nanoseconds batch);
  void add(const WrapStretch& stretch);

  // Returns the time from the first stretch's warm-up to the last one's end.
  Nanoseconds in_all() const noexcept;
  // Returns the time of a round with stretches of this length, by those that are over: one at
  // least.
  Nanoseconds expect_round(Nanoseconds stretch) const noexcept;
  // Returns the length of stretches whose round takes that time, below 0 where none does.
  Nanoseconds fit_stretch(Nanoseconds round) const noexcept;

 private:
  double around() const noexcept;
  double measured_by_length() const noexcept;

  std::uint32_t rounds_ = 0;
  double asked_ = 0, measured_ = 0;  // ns of stretches
  std::uint32_t stretches_ = 0;
  std::optional<std::int64_t> begin_;
  std::int64_t end_ = 0;
};

}  // namespace benchbench
