// Which wrong version runs. scripts/check_mutants compiles all of them into one copy of the tree;
// the environment variable BENCHBENCH_MUTANT holds the number of the one that takes effect.
#pragma once
#include <cstdlib>
#include <type_traits>

// A wrong version may leave a name without use, or two statements on one line.
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"

// True if mutant `number` takes effect.
inline bool benchbench_mutant_runs(int number) {
  static const int chosen = [] {
    const char* text = std::getenv("BENCHBENCH_MUTANT");
    return text ? std::atoi(text) : 0;
  }();
  return number == chosen;
}

// The same for a body that may also be evaluated by the compiler, which takes the right version.
constexpr bool benchbench_mutant(int number) {
  return !std::is_constant_evaluated() && benchbench_mutant_runs(number);
}
