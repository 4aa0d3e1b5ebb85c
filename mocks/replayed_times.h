// Times measured before, taken again one after another and round and round, from the context's
// `first_time` on.
#pragma once
#include <array>
#include <span>
#include <string>

#include "harness/core/error.h"
#include "mocks/service_time.h"

namespace benchbench {

// Both replays have them; the harness reads the file and hands the times over.
inline constexpr std::array kReplayParameters = {
    Parameter{"times", ParameterType::text, "",
              "Source of the times: a CSV file or the folder of a stored run."},
    Parameter{"column", ParameterType::text, "none",
              "Column with the times, for a CSV file that has more than one."},
    kWaitParameter,
};

class ReplayedTimes {
 public:
  // `what` is timed: "batch", "step". The values must outlive this.
  ReplayedTimes(std::span<const std::int64_t> times, std::uint64_t first, const std::string& what)
      : times_(times), first_(first) {
    if (times.empty())
      throw ScenarioError("replay was given no times of a " + what,
                          "set times to a CSV file with at least one time, or to the folder of a "
                          "stored run with series");
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] < 0)
        throw ScenarioError("time " + std::to_string(i + 1) + " of a " + what +
                                " to be replayed is negative: " + std::to_string(times[i]) + " ns",
                            "0 or more");
  }
  Nanoseconds of(std::uint64_t number) const noexcept {
    return Nanoseconds{times_[(first_ + number) % times_.size()]};
  }

 private:
  std::span<const std::int64_t> times_;
  std::uint64_t first_;
};

}  // namespace benchbench
