#include "harness/cuda/driver_error.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench::cuda {
namespace {

constexpr std::string_view kBrokenHint =
    "what ran before may have caused it: asynchronous work reports its errors at a later call; "
    "look at the kernel log for Xid lines";
constexpr std::string_view kLostHint =
    "the device does not answer as it should: "
    "look at nvidia-smi and at the kernel log for Xid lines";

bool is_hardware(Result result) noexcept {
  return result == kUncorrectableEcc || result == kUncorrectableNvlink || result == kContained ||
         result == kUnknown;
}

}  // namespace

bool breaks_context(Result result) noexcept {
  switch (result) {
    case kUncorrectableEcc:
    case kUncorrectableNvlink:
    case kContained:
    case kIllegalAddress:
    case kLaunchTimeout:
    case kContextDestroyed:
    case kAssert:
    case kLaunchFailed:
    case kTensorMemoryLeak:
    case kMpsClientEnded:
    case kExternalDevice:
    case kUnknown:
      return true;
    default:
      return result >= kHardwareStack && result < kLaunchFailed;
  }
}

std::string error_text(const DriverTable& driver, Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.error_name(result, &name) != kSuccess || !name)
    return fmt::format("error {}, which the driver does not name", result);
  if (driver.error_text(result, &text) != kSuccess || !text)
    return fmt::format("{} ({})", name, result);
  return fmt::format("{} ({}): {}", name, result, text);
}

void throw_driver_error(const DriverTable& driver, Result result, std::string_view call) {
  const std::string said = fmt::format("{} failed: {}", call, error_text(driver, result));
  if (result == kOutOfMemory)
    throw PartError(said,
                    "reduce loader.batch_size or trainer.in_flight; nvidia-smi shows which other "
                    "processes use the device");
  if (!breaks_context(result)) throw DeviceError(said);
  throw PartError(
      said + "; the CUDA context of this process is broken: no further call can succeed",
      is_hardware(result) ? kLostHint : kBrokenHint);
}

}  // namespace benchbench::cuda
