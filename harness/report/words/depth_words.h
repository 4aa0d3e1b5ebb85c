// Sentences on the step that other numbers of batches ahead would give.
#pragma once
#include <string>

#include "harness/analysis/findings.h"

namespace benchbench {

// All depths and the other order, with the band that constant and exponential times would make.
std::string depth_line(const DepthForetold& depth);
// "prefetch_factor=8" of a DataLoader in Python, "prefetch_factor: 8" of a loader of the harness's.
std::string depth_setting(const DepthForetold& depth, std::uint32_t prefetch);
std::string order_setting(const DepthForetold& depth, bool in_order);

}  // namespace benchbench
