// What the steps of a window took, one value a step.
#pragma once
#include <cstdint>
#include <vector>

namespace benchbench {

// ns. Of the first 4,194,304 steps of a window; what is made of them knows no later ones.
struct StepSeries {
  std::vector<std::int64_t> get_blocked, step;
  std::vector<std::int64_t> after;       // what followed the step; empty where nothing ever did
  std::vector<std::int64_t> checkpoint;  // the part of it that was a checkpoint; empty likewise
  // How long a worker filled its batch; empty where none ever did.
  std::vector<std::int64_t> made = {};
  std::vector<std::int64_t> core_wait = {};  // LoopTimes::core_wait_ns; empty likewise
  // The end of the step, from the window's begin, with what is nobody's cut out.
  std::vector<std::int64_t> end;

  std::size_t size() const noexcept { return step.size(); }
};

}  // namespace benchbench
