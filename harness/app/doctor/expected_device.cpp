#include "harness/app/doctor/expected_device.h"

#include <fmt/format.h>

#include "harness/app/doctor/cuda_devices.h"
#include "harness/app/doctor/devices.h"
#include "harness/core/error.h"

namespace benchbench {

DeviceLook look_at_this_machine() { return {"", cuda_devices}; }

std::optional<std::string> lacks_device(std::string_view asked, const DeviceLook& look) {
  if (asked == "cpu") return std::nullopt;
  const int ordinal = asked == "cuda" ? 0 : cuda::ordinal_of(asked);
  if (ordinal < 0)
    throw UsageError(fmt::format("--expect-device {}: expected cpu, cuda or cuda:N", asked));
  const cuda::CudaSurvey& survey = look.devices();
  const DoctorCheck seen = check_cuda(survey, look.root);
  if (survey.devices.empty()) return seen.value;
  if (static_cast<std::size_t>(ordinal) < survey.devices.size()) return std::nullopt;
  return fmt::format("there is no cuda:{}: {}", ordinal, seen.value);
}

}  // namespace benchbench
