// Simulated surfaces by family, from seeds: what a pipeline's rate may look like over its knobs.
#pragma once
#include <cstdint>

#include "tests/known_answer/tune/surface_case.h"

namespace benchbench::test {

inline constexpr const char* kFamilies[] = {"scaling",       "memory cliff", "memory limit",
                                            "several peaks", "flat",         "interactions",
                                            "random peaks",  "few good"};
inline constexpr std::size_t kFamilyCount = std::size(kFamilies);

// Grids of 60 to 200 points, budget a quarter of the grid's cost.
SurfaceCase surface_of(std::size_t family, std::uint64_t seed);

}  // namespace benchbench::test
