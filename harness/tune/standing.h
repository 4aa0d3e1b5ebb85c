// Where a search stands after its records.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/tune/choice.h"
#include "harness/tune/propose.h"

namespace benchbench {

// Returns true where a sample's work, or a step's, may depend on the knob's value.
bool changes_the_work(KnobKind kind) noexcept;

// Those of one purpose, in their order.
std::vector<Observation> records_for(Observations records, Purpose purpose);
double spent_runs(Observations records) noexcept;
// What a trial costs at most: the most of those with a rate so far, or half as much again as their
// mean; else a round's share of a full run.
double trial_cost(const TuneProblem& problem, Observations records) noexcept;

// Why nothing above the ceiling is looked for, and its rate; nullopt where nothing limits.
struct Ceiling {
  double rate = 0;
  Stop stop = Stop::no;
};
std::optional<Ceiling> ceiling_of(const TuneProblem& problem, Observations records);

// A surface, what it says, and what follows. nullopt where no feasible point has a rate.
struct SearchState {
  Surface surface;
  Standing standing;
  std::optional<Ceiling> ceiling;
  // The chance that some point beats the best by `worth`, at most the sum of the points' own.
  double chance = 1;
};
// What the best is within `worth` of; Stop::no: of nothing.
Stop limit_of(const TuneProblem& problem, const SearchState& state) noexcept;
// Are the present settings at the limit too, so that nothing dearer can be worth having? false
// where nothing limits.
bool present_is_at_limit(const TuneProblem& problem, const SearchState& state) noexcept;
// Returns the chance that some point is faster than the one of the index `than`, whose logarithm it
// beats by `by`: at most the sum of the points' own, without that of the index `but`.
double chance_of_faster(const Standing& standing, std::size_t than, double by,
                        std::optional<std::size_t> but = {});
// Rates are those of the search alone; what failed or needed too much memory did so in any record.
std::optional<SearchState> search_state(const TuneProblem& problem, Observations records);

}  // namespace benchbench
