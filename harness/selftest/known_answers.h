// Rates whose truth is known, on the clock at hand: each beside the difference of two identical
// trials, which says whether this machine could have shown it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/selftest/experiments.h"

namespace benchbench::selftest {

// What can be said of one truth.
enum class Outcome : std::uint8_t {
  hit,
  missed,
  too_noisy,  // by what identical trials differ, neither was shown
};

struct KnownAnswer {
  std::string name;        // "loader_rate of synthetic, 10 ms a batch"
  double truth_ms = 0;     // a step
  double measured_ms = 0;  // mean over rounds and both repeats
  double error = 0;        // share of the truth, signed
  double tolerance = 0;
  // `value`: largest difference of two identical trials in a round, a share; nullopt: no pair.
  Measured repeats;
  // Missed where the error, give or take what identical trials differ by, is more than is allowed;
  // hit where both are within it. Missed too where there was no usable trial at all: an instrument
  // that measures nothing is not right.
  Outcome outcome() const noexcept {
    if (!(measured_ms > 0)) return Outcome::missed;
    if (!repeats) return Outcome::too_noisy;
    const double size = error < 0 ? -error : error;
    if (!(size - repeats->value <= tolerance)) return Outcome::missed;
    return size <= tolerance && repeats->value <= tolerance ? Outcome::hit : Outcome::too_noisy;
  }
};

// What metering the stages costs, as a share of a step of 1 ms: the longer step of observer 1
// against 0, within rounds, with mocks that take no time and no workers, so that nothing hides it.
// (Beside mocks that wait for a deadline it costs nothing that could be seen.)
struct ObserverCost {
  Estimate share;
  double limit = 0.005;
  // Too noisy where the interval holds the limit.
  Outcome outcome() const noexcept {
    if (share.n < 2) return Outcome::too_noisy;
    return share.high <= limit ? Outcome::hit
           : share.low > limit ? Outcome::missed
                               : Outcome::too_noisy;
  }
};

class KnownAnswerRun {
 public:
  struct Known {
    double step_ms, tolerance;
  };
  explicit KnownAnswerRun(BenchOptions options);
  Bench& bench() noexcept { return bench_; }
  Bench& observer_bench() noexcept { return observer_bench_; }
  std::vector<KnownAnswer> answers() const;
  std::optional<ObserverCost> observer_cost() const;

 private:
  struct Twins {
    Known known;
    std::size_t first, second;
  };
  Bench bench_, observer_bench_;
  std::vector<Twins> twins_;
  std::size_t unobserved_ = 0, observed_ = 0;
};

}  // namespace benchbench::selftest
