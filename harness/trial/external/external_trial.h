// A trial whose loader and step are both in a process of its own: the external executor.
#pragma once
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "harness/part/external.h"
#include "harness/trial/external/tree_watch.h"
#include "harness/trial/readings/resources.h"
#include "harness/trial/trial_parts.h"

namespace benchbench {

// As far as it came; what ended it early is in `cause`.
struct ExternalTrial {
  ExternalWay way = ExternalWay::none;
  std::uint32_t num_workers = 0;
  std::int64_t loaded_ns = 0;  // starting the process and loading the user's code
  CacheFacts cache;
  std::optional<ExternalResult> run;
  std::optional<TreeSeen> tree;  // of the window
  std::optional<MemoryGrowth> memory;
  std::optional<std::uint64_t> peak_memory;
  std::optional<ResourceUse> used;  // of the machine and this process, over the window
  std::optional<double> clock_slew_ppm;
  ProbeResults probes;
  Nanoseconds edge_cost{0};  // CPU time of what is read besides, where segments begin
  std::vector<std::string> notices;
  std::exception_ptr cause;
};

// Runs it on this thread. Whatever its process started has ended when it returns. Throws nothing.
ExternalTrial run_external(const TrialContext& context, ExternalWay way);

}  // namespace benchbench
