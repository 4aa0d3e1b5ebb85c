// A number of one trial by round, and what is made of several. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace benchbench {

// Estimates that compare two of these pair them by round.
using ByRound = std::map<std::uint32_t, double>;
using RepeatsByRound = std::map<std::uint32_t, std::vector<double>>;

std::vector<double> values_in(const ByRound& numbers);
// Returns b - a in the rounds that have both.
std::vector<double> differences_within(const ByRound& a, const ByRound& b);
// Returns the means of each round's repeats.
ByRound mean_by_round(const RepeatsByRound& repeats);

}  // namespace benchbench
