// Which points are still worth a trial, by what failed and by the memory that was seen.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/tune/problem.h"

namespace benchbench {

enum class Barred : std::uint8_t {
  no,
  failed,   // it did, or a value of it that never worked while others did
  invalid,  // twice, and never measured otherwise
  memory,  // over the limit, or out of memory: itself, or a point that asks for no more of anything
  memory_likely,  // the memory seen at other points says so
};

struct Feasible {
  std::vector<Barred> barred;   // by combination; of canonical points only
  std::vector<PointId> points;  // those not barred, ascending
  bool is(PointId p) const noexcept { return barred[p] == Barred::no; }
};

Feasible feasible_points(const TuneProblem& problem, Observations records);

// Does a ask for no less than b of workers, depth, counts, batch size and flags, and for the same
// categories?
bool asks_no_less(const Space& space, PointId a, PointId b) noexcept;

}  // namespace benchbench
