// A ratio that the project set itself as a goal, measured against a peer in the same process.
#pragma once
#include <benchmark/benchmark.h>

#include <span>
#include <string>
#include <vector>

#include "harness/micro/figures/paired.h"
#include "harness/micro/workbench.h"

namespace benchbench::micro {

struct FigureResult {
  std::vector<double> ratios;  // of the rates, ours over the peer's, one a round
  std::string ours, peer;      // what each was, with its unit: "1,234 samples/s"
};

struct Figure {
  std::string_view name;  // its row is figures/NAME
  std::string_view peer;
  double goal;  // at least
  // Throws where it cannot be measured here: the row then says "not shown" and why.
  FigureResult (*measure)(Workbench& bench);
};

// Says what a side is whose work takes these seconds.
using Words = std::function<std::string(double seconds)>;
// Returns the words of a side that makes these samples: "1234 samples/s".
Words samples_a_second(double samples);
// Measures both sides in rounds; `words` are of their medians.
FigureResult measure_in_rounds(int rounds, const Side& ours, const Side& peer, const Words& words);

// "0.98 of PEER, 95 % interval 0.97..0.99, 21 rounds, goal 0.95: reached". As scripts/compare_peers
// has it: reached and missed only where the whole interval is on that side, else not shown.
std::string verdict_on(const Figure& figure, std::span<const double> ratios);

// Counters of the row.
void count_ratio(benchmark::State& state, const Interval& ratio);
// Puts it on the row: counters and a label.
void show(benchmark::State& state, const Figure& figure, const FigureResult& measured);
// The row says "not shown" and why.
void not_shown(benchmark::State& state, const Figure& figure, std::string_view why);

void register_figures(Workbench& bench, std::span<const Figure> figures);

}  // namespace benchbench::micro
