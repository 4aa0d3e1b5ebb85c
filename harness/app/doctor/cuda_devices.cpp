#include "harness/app/doctor/cuda_devices.h"

#include <stdlib.h>

#include <optional>

namespace benchbench {
namespace {

constexpr const char* kHandedOver = "BENCHBENCH_CUDA_DEVICES";

std::optional<cuda::CudaSurvey>& known() {
  static std::optional<cuda::CudaSurvey> survey = [] {
    const char* const handed_over = ::getenv(kHandedOver);
    return handed_over ? std::optional(cuda::survey_from(handed_over)) : std::nullopt;
  }();
  return survey;
}

}  // namespace

const cuda::CudaSurvey& cuda_devices() {
  std::optional<cuda::CudaSurvey>& survey = known();
  if (!survey) {
    survey = cuda::survey_of_child();
    ::setenv(kHandedOver, text_of(*survey).c_str(), 1);
  }
  return *survey;
}

CudaThere cuda_there(bool simulated) {
  if (simulated) return {.why = "CUDA devices have no virtual time"};
  const cuda::CudaSurvey& survey = cuda_devices();
  CudaThere there{.devices = static_cast<std::uint32_t>(survey.devices.size()),
                  .kernels = survey.kernels,
                  .why = survey.why};
  for (const cuda::CudaFacts& device : survey.devices) there.memory.push_back(device.memory);
  return there;
}

void add_known_devices(Environment& environment) {
  const std::optional<cuda::CudaSurvey>& survey = known();
  if (!survey || survey->devices.empty()) return;
  environment.cuda = driver_text(*survey);
  environment.gpus = models_text(*survey);
  environment.gpu_uuids.clear();
  for (const cuda::CudaFacts& device : survey->devices)
    environment.gpu_uuids.push_back(device.uuid);
}

}  // namespace benchbench
