// `benchbench selftest`: is this instrument, on this machine, today, right?
#pragma once
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/selftest/fault_run.h"
#include "harness/selftest/known_answers.h"

namespace benchbench::selftest {

struct SelftestOptions {
  const Catalog& catalog;
  bool simulated = false;
  std::uint32_t rounds = 5;  // of the faults; fewer and naming needs 10 % of the step
  // This one alone, with its controls and without known answers.
  const InjectedFault* only = nullptr;
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
};

// Of hybrid waits of 1 ms.
struct WaitLateness {
  double p50_ns = 0, p99_ns = 0;
  std::uint32_t waits = 0;
};

// Truths by what can be said of them.
struct Judged {
  std::uint32_t hit = 0, missed = 0, too_noisy = 0;
  void count(Outcome outcome) noexcept;
  std::uint32_t all() const noexcept { return hit + missed + too_noisy; }
};

// Identical trials against each other: a control against its ground, trial by trial.
struct SameAgainstSame {
  std::uint32_t comparisons = 0;
  std::uint32_t clear_of_zero = 0;  // of their 95 % intervals
  Measured pipelines;  // as Findings::aa_floor: what two steps that should be equal differ by
};

// All trials of all experiments, judged as those of any run. One that several experiments need
// counts for each.
struct TrialCounts {
  std::array<std::uint32_t, 6> by_status{};  // by Status
  // Rule -> how often, the first one's words.
  std::map<std::string, std::pair<std::uint32_t, std::string>> reasons;
};

struct SelftestResult {
  bool simulated = false;
  std::uint32_t rounds = 0;
  Environment environment;  // calibrated; empty in virtual time
  std::optional<WaitLateness> lateness;
  std::vector<KnownAnswer> answers;  // none in virtual time: they are tests there
  std::optional<ObserverCost> observer;
  std::vector<FaultCase> cases;
  Confusion confusion;
  SameAgainstSame same;
  TrialCounts trials;
  double seconds = 0;

  // The largest difference of identical steps that still lets 2 % be seen.
  static constexpr double kNoise = 0.02;
  // A fault or control is hit where it was named as it should be: its intervals allow for the
  // noise. Where it was not and the pipelines differ by more than kNoise, nothing can be said.
  Outcome outcome_of(const FaultCase& k) const noexcept;
  Judged faults() const noexcept;         // and controls
  Judged known_answers() const noexcept;  // without the observer's cost
  // Missed where any truth is missed; else too noisy where any could not be judged.
  Outcome outcome() const noexcept;
  bool hit() const noexcept { return outcome() == Outcome::hit; }
  // What could not be judged, each with the figure that says so; empty where everything could.
  std::string noise() const;
};

struct SelftestProgress {
  std::string doing;  // "known answers", "faults"
  std::uint32_t round = 0, rounds = 0;
  double share = 0;  // of the whole
  double seconds_left = 0;
};

// Takes what SelftestOptions price it at: 3-4 minutes, or some seconds in virtual time.
// InterruptedError on a stop.
SelftestResult run_selftest(const SelftestOptions& options,
                            const std::function<void(const SelftestProgress&)>& progress);

}  // namespace benchbench::selftest
