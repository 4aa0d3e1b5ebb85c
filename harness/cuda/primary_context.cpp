#include "harness/cuda/primary_context.h"

#include <atomic>

#include "harness/core/error.h"
#include "harness/cuda/driver_error.h"

namespace benchbench::cuda {
namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

thread_local std::uint64_t PrimaryContext::entered_ = 0;

PrimaryContext::PrimaryContext(const DriverTable& driver, DeviceId device)
    : driver_(driver), device_(device), id_(next_id()) {
  const Result result = driver_.context_retain(&context_, device_);
  if (result == kDeviceUnavailable)
    throw DeviceError("cuDevicePrimaryCtxRetain failed: " + error_text(driver_, result),
                      "another process has the device for itself (compute mode), "
                      "or it was lost: look at nvidia-smi");
  check(driver_, result, "cuDevicePrimaryCtxRetain");
  try {
    enter();
  } catch (...) {
    // With a lost device the driver refuses, and may have set it all the same.
    (void)driver_.context_set(nullptr);
    (void)driver_.context_release(device_);
    throw;
  }
}

PrimaryContext::~PrimaryContext() {
  if (entered_ == id_) {
    if (is_current()) (void)driver_.context_set(nullptr);
    entered_ = 0;
  }
  (void)driver_.context_release(device_);
}

bool PrimaryContext::is_current() const noexcept {
  Context current = nullptr;
  return driver_.context_get(&current) == kSuccess && current == context_;
}

void PrimaryContext::enter_anew() const {
  check(driver_, driver_.context_set(context_), "cuCtxSetCurrent");
  entered_ = id_;
}

void PrimaryContext::try_to_enter() const noexcept try { enter(); } catch (const Error&) {
}

}  // namespace benchbench::cuda
