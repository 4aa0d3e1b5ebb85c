// Environment variables that say something of a run.
#pragma once
#include <span>
#include <string_view>

namespace benchbench {

// A variable that changes how fast a run goes, or what it computes.
struct KnownVariable {
  std::string_view name;
  std::string_view why;         // how it changes a run, in a few words
  std::string_view usual = {};  // a value that changes nothing; "": there is none
};

std::span<const KnownVariable> variables_that_change_runs() noexcept;

// `variable` is "OMP_NUM_THREADS=2" or the name alone; false of one that is set to its usual value,
// or to "", which hides every card where it is CUDA_VISIBLE_DEVICES and else changes nothing.
bool changes_a_run(std::string_view variable) noexcept;

// True if a record keeps it: what changes runs, and what else the libraries of numeric code
// read. The rest steers builds or names a version ("TORCH_CUDA_ARCH_LIST=9.0"): a fact, not a
// doubt.
bool is_recorded(std::string_view variable) noexcept;

}  // namespace benchbench
