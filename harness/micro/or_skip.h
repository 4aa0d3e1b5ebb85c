// A benchmark that cannot run here says why and the rest go on.
#pragma once
#include <benchmark/benchmark.h>

#include <exception>

namespace benchbench::micro {

// Runs the body of a benchmark; what it throws becomes the row's error, with a loop that ran no
// iterations where it had not begun one.
template <class Body>
void or_skip(benchmark::State& state, Body body) {
  try {
    body();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace benchbench::micro
