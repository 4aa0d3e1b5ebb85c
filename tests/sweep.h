// How many cases, and how much of a sweep, a run of the tests takes.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace benchbench::test {

// True where BENCHBENCH_TEST_ALL is set and not empty, as scripts/test --all sets it.
inline bool all_are_asked_for() {
  const char* all = std::getenv("BENCHBENCH_TEST_ALL");
  return all && *all;
}

// Returns `all` where all cases are asked for, else `sample`.
inline std::uint64_t sweep_size(std::uint64_t sample, std::uint64_t all) {
  return all_are_asked_for() ? all : sample;
}

}  // namespace benchbench::test
