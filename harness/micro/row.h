// Rows of benchmarks, and what they count.
#pragma once
#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <string>

namespace benchbench::micro {

// Registers a row of this name. What its body throws becomes the row's error, with a loop that ran
// no iterations where it had not begun one, and the rest go on.
template <class Body>
auto* add_row(const std::string& name, Body body) {
  return benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  });
}

// Counts what all iterations did: samples, and the bytes of each.
inline void count_samples(benchmark::State& state, std::uint64_t samples, std::uint64_t bytes) {
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  state.SetBytesProcessed(static_cast<std::int64_t>(samples * bytes));
}

// Counts each iteration as one item.
inline void count_iterations(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// Returns the time of one of `things` that each iteration does.
inline benchmark::Counter time_of_one(std::uint64_t things) {
  return {static_cast<double>(things),
          benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert};
}

}  // namespace benchbench::micro
