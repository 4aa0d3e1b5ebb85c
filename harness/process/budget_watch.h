// Keeps a run within its time: asked before each planned run, told what each took. Knows no clock.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

// Seconds count from the first trial on.
struct RunBudget {
  double aim = 0;                   // trials are to end by then; 0: there is no budget
  double most = 0;                  // and must have ended by then, whatever they do
  std::uint32_t least_rounds = 2;   // fewer, and the budget ended before the minimum
  std::uint32_t wanted_rounds = 3;  // up to this many may use the time between the two
  // Seconds of one run of each trial, by its index; may be shorter than the plan's.
  std::vector<double> planned;
};

enum class BudgetSays : std::uint8_t { go_on, enough, out_of_time };

class BudgetWatch {
 public:
  BudgetWatch(RunBudget budget, std::span<const PlannedRun> todo)
      : budget_(std::move(budget)), todo_(todo) {}
  // Before todo[at] starts at `now`. A round starts only where all of it will fit, and a trial that
  // was seen before only where it will; the rounds of the minimum go as far as there is time.
  BudgetSays look(std::size_t at, double now) const;
  // What a run of a trial took. A trial not seen yet is taken to differ from its plan as those seen
  // did.
  void learn(std::uint32_t trial, double seconds);
  double expected(std::uint32_t trial) const;
  // Takes the place of what was left to do. What was learned stays.
  void go_on_with(std::span<const PlannedRun> todo) noexcept { todo_ = todo; }
  // Nothing may run on after it; nullopt without a budget.
  std::optional<double> deadline() const noexcept;
  // What an end before todo[at] means.
  BudgetSays end_at(std::size_t at) const noexcept;

 private:
  bool starts_round(std::size_t at) const noexcept;
  double seconds_of_round(std::size_t at) const;
  double planned(std::uint32_t trial) const noexcept;
  const RunBudget budget_;
  std::span<const PlannedRun> todo_;
  std::map<std::uint32_t, double> seen_;
  double took_ = 0, was_planned_ = 0;  // of the trials seen
};

}  // namespace benchbench
