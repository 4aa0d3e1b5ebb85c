// Refusals of the driver as errors of ours.
#pragma once
#include <string>
#include <string_view>

#include "harness/cuda/driver_api.h"

namespace benchbench::cuda {

// After this error every further call of the process fails: its context is broken, or the device is
// gone.
bool breaks_context(Result result) noexcept;

// "CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure"; of a number that the driver does
// not know, that.
std::string error_text(const DriverTable& driver, Result result);

// DeviceError that names the call ("cuMemcpyHtoDAsync_v2") and what the driver says; PartError
// where its memory is full or the context is broken: the device is there.
[[noreturn]] void throw_driver_error(const DriverTable& driver, Result result,
                                     std::string_view call);

inline void check(const DriverTable& driver, Result result, std::string_view call) {
  if (result != kSuccess) [[unlikely]]
    throw_driver_error(driver, result, call);
}

}  // namespace benchbench::cuda
