#include "harness/app/doctor/cuda_devices.h"

namespace benchbench {

const cuda::CudaSurvey& cuda_devices() {
  static const cuda::CudaSurvey survey = cuda::survey_of_child();
  return survey;
}

CudaThere cuda_there(bool simulated) {
  if (simulated) return {.why = "CUDA devices have no virtual time"};
  const cuda::CudaSurvey& survey = cuda_devices();
  return {static_cast<std::uint32_t>(survey.devices.size()), survey.kernels, survey.why};
}

void add_devices(Environment& environment) {
  const cuda::CudaSurvey& survey = cuda_devices();
  if (survey.devices.empty()) return;
  environment.cuda = driver_text(survey);
  environment.gpus = models_text(survey);
  environment.gpu_uuids.clear();
  for (const cuda::CudaFacts& device : survey.devices) environment.gpu_uuids.push_back(device.uuid);
}

}  // namespace benchbench
