// How much of a sweep a run of the tests takes.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace benchbench::test {

// Returns `all` where BENCHBENCH_TEST_ALL is set, as scripts/test --all does, else `sample`.
inline std::uint64_t sweep_size(std::uint64_t sample, std::uint64_t all) {
  return std::getenv("BENCHBENCH_TEST_ALL") ? all : sample;
}

}  // namespace benchbench::test
