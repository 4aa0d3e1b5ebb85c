// `benchbench micro`: the instrument, every part of the catalogue alone and the figures, with
// Google Benchmark.
#pragma once
#include "harness/part/catalog.h"

namespace benchbench {

// Runs the benchmarks that --benchmark_filter names (all without one) and prints to stdout as
// Google Benchmark does. argv as main() has it. Returns an exit code: 0, or 2 for an unknown flag
// and where nothing matches.
int run_micro(const Catalog& catalog, int argc, char** argv);

}  // namespace benchbench
