// `--expect-device`: a device that a run must not go without.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/cuda/open/cuda_open.h"

namespace benchbench {

// Finds out of this machine; tests bring one of their own.
struct DeviceLook {
  std::string root;  // stands before every path
  // The devices as the driver has them, asked of a throw-away child.
  std::function<const cuda::CudaSurvey&()> devices;
};
DeviceLook look_at_this_machine();

// `asked`: "cpu", "cuda" or "cuda:N". nullopt where the machine has it, else why not; UsageError
// where it is none of these.
std::optional<std::string> lacks_device(std::string_view asked, const DeviceLook& look);

}  // namespace benchbench
