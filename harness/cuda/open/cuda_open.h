// The CUDA module from outside: for programs that must start and run where the module or a driver
// is absent.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cuda/cuda_module.h"

namespace benchbench::cuda {

// What libbenchbench_cuda.so exports, loaded once. DeviceError with the reason where it is absent
// or of another build. Any threads.
const CudaEntry& cuda_entry();

// N of "cuda:N"; -1 of any other name.
int ordinal_of(std::string_view device) noexcept;

// The device of this name. Without kernels where this build has none: launch() is refused then.
// DeviceError as make_cuda_device().
std::unique_ptr<CudaDevice> open_cuda_device(std::string_view name, CudaOptions options,
                                             Runtime& runtime);

// The devices of a machine, as the driver has them.
struct CudaSurvey {
  // The reason where there are none: "cannot open the CUDA driver's library libcuda.so.1: ..."
  std::string why;
  int version = 0;                 // of the driver's interface: 12040 is 12.4
  std::string driver;              // "580.65.06", as NVML has it; "" where there is no NVML
  bool kernels = false;            // this build has those of mock steps
  std::vector<CudaFacts> devices;  // name, model, uuid and memory; by their ordinal
};

// Starts the driver in this process, which keeps it: for a throw-away child.
CudaSurvey survey_here();
// The survey of such a child, so that a driver that crashes or hangs costs nothing. Where there is
// a device, the child stays to the program's end with NVML open: without a user the driver would
// set a device up anew for each trial, which takes seconds and loses its counts of errors. It has
// no context. On the program's first thread.
CudaSurvey survey_of_child();
// Does what that child does, `benchbench probe-module cuda-hold`: answers, and ends with its input.
[[noreturn]] void answer_and_hold();

// One line a fact, and its inverse; what is no such text gives a survey with a reason.
std::string text_of(const CudaSurvey& survey);
CudaSurvey survey_from(std::string_view text);

// Of cuda:0, in this process; and of a child, `benchbench probe-module cuda-link`. `why` where it
// was not measured.
struct LinkSurvey {
  std::string why;
  LinkSpeeds speeds;
};
LinkSurvey link_here(Runtime& runtime);
LinkSurvey link_of_child();
std::string text_of(const LinkSpeeds& speeds);
LinkSurvey link_from(std::string_view text);

// "2 x NVIDIA H100 80GB HBM3"; models that differ are joined by commas.
std::string models_text(const CudaSurvey& survey);
// "13.0, driver 580.65.06", or why there is none: "no CUDA device: ...".
std::string driver_text(const CudaSurvey& survey);

}  // namespace benchbench::cuda
