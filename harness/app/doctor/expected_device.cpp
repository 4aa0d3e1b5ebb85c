#include "harness/app/doctor/expected_device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>

#include "harness/app/doctor/devices.h"
#include "harness/core/error.h"
#include "harness/part/module.h"

namespace benchbench {
namespace {

constexpr std::string_view kCuda = "cuda";

// 0 of "cuda"; nullopt where it is neither that nor "cuda:N".
std::optional<int> ordinal_of(std::string_view asked) {
  if (asked == kCuda) return 0;
  if (!asked.starts_with("cuda:")) return std::nullopt;
  const std::string_view digits = asked.substr(5);
  int ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return error == std::errc{} && end == digits.data() + digits.size() && ordinal >= 0 ? std::optional(ordinal) : std::nullopt;
}

}  // namespace

std::string start_cuda_driver() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return fmt::format("libcuda.so.1 does not load: {}", ::dlerror());
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  if (!init || !count) return "libcuda.so.1 has no cuInit: it is another library";
  if (const int error = init(0)) return fmt::format("the CUDA driver does not start: cuInit gives error {}", error);
  int devices = 0;
  if (const int error = count(&devices)) return fmt::format("the CUDA driver cannot count its devices: error {}", error);
  return devices > 0 ? "" : "the CUDA driver has no device";
}

DeviceLook look_at_this_machine() {
  return {"", [] { return probe_module("cuda-driver"); }};
}

std::optional<std::string> lacks_device(std::string_view asked, const DeviceLook& look) {
  if (asked == "cpu") return std::nullopt;
  const auto ordinal = ordinal_of(asked);
  if (!ordinal) throw UsageError(fmt::format("--expect-device {}: expected cpu, cuda or cuda:N", asked));
  const DoctorCheck seen = check_cuda(look.root);
  if (seen.verdict != DoctorVerdict::ok) return seen.value;
  if (const int gpus = gpu_count(look.root); *ordinal >= gpus) return fmt::format("there is no cuda:{}: {}", *ordinal, seen.value);
  const std::string reason = look.driver_starts();
  return reason.empty() ? std::nullopt : std::optional(reason);
}

}  // namespace benchbench
