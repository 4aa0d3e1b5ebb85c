// `--expect-device`: a device that a run must not go without.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace benchbench {

// "" where a CUDA driver starts and has at least one device, else why not. Of this process: a broken driver may crash it.
std::string start_cuda_driver();

// Finds out of this machine; tests bring one of their own.
struct DeviceLook {
  std::string root;                            // stands before every path
  std::function<std::string()> driver_starts;  // as start_cuda_driver(), from a throw-away child
};
DeviceLook look_at_this_machine();

// `asked`: "cpu", "cuda" or "cuda:N". nullopt where the machine has it, else why not; UsageError where it is none of these.
std::optional<std::string> lacks_device(std::string_view asked, const DeviceLook& look);

}  // namespace benchbench
