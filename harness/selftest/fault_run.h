// Faults put in and runs without one, measured side by side and judged by fault naming: does it
// find what is there, and nothing else?
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/components/fault.h"
#include "harness/selftest/experiments.h"
#include "harness/selftest/injected_faults.h"

namespace benchbench::selftest {

// A suspect against its ground.
struct FaultCase {
  const InjectedFault* fault = nullptr;  // nullptr: a control, nothing was put in
  Ground ground = Ground::loader;
  double share = 0;  // of the step that the fault is to cost
  Fault found;
  bool hit() const;  // the component named, or none for a control
};

class FaultRun {
 public:
  // `noise` as at ground_settings.
  FaultRun(BenchOptions options, double noise) : bench_(std::move(options)), noise_(noise) {}

  // Each needs its ground measured beside it, which is added once.
  void add_fault(const InjectedFault& fault, double share, double size);
  // The ground again, with other draws: what it differs by is the machine's, or chance.
  void add_control(Ground ground, std::uint64_t seed);
  // Any settings more; told as the fault given.
  void add(const InjectedFault* fault, Ground ground, double share, const Given& more);

  Bench& bench() noexcept { return bench_; }
  std::size_t cases() const noexcept { return cases_.size(); }
  // From the rounds so far.
  std::vector<FaultCase> results() const;
  const Experiment& ground_of(std::size_t index) const {
    return bench_.experiment(cases_.at(index).base);
  }
  const Experiment& suspect_of(std::size_t index) const {
    return bench_.experiment(cases_.at(index).suspect);
  }

 private:
  struct Pair {
    FaultCase told;
    std::size_t base, suspect;
  };
  std::size_t ground(Ground ground);

  Bench bench_;
  double noise_;
  std::optional<std::size_t> grounds_[kGrounds];
  std::vector<Pair> cases_;
};

// Rows are what was put in, columns what was named.
struct Confusion {
  std::vector<std::string> rows;  // the faults put in, "no fault" last where there were controls
  // The nine, then "none", "tie", "wrong": a component of none of them, or no answer.
  std::vector<std::string> columns;
  std::vector<std::vector<std::uint32_t>> counts;
  std::uint32_t cases = 0, hits = 0;
};
Confusion confusion_of(const std::vector<FaultCase>& cases);

// The experiment's base point taken apart; nullopt where it did not run.
std::optional<Substitutions> taken_apart(const Experiment& experiment);

}  // namespace benchbench::selftest
