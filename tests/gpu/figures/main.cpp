// gpu_figures [--quick]: a line a figure of cuda:0, "PASS", "FAIL" or "SKIPPED" first. Exit code 0,
// 1 where one failed, 77 where there is no device. --quick: each figure once, of few steps.
#include <cstdio>
#include <functional>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "tests/gpu/figures/figures.h"

using namespace benchbench;
using namespace benchbench::gpu_figures;

namespace {

bool print(const Line& line) {
  std::printf("%-8s%-72s %8.4f (%s %g)  %s\n", line.passed() ? "PASS" : "FAIL", line.what.c_str(),
              line.value, line.at_least ? "at least" : "at most", line.limit, line.figures.c_str());
  std::fflush(stdout);
  return line.passed();
}

// A figure that cannot be taken costs itself alone, unless the context is broken: then each says
// so.
bool try_figure(const char* what, const std::function<bool()>& figure) {
  try {
    return figure();
  } catch (const Error& error) {
    std::printf("%-8s%s: %s\n", "FAIL", what, error.what());
    return false;
  }
}

bool all_figures(CudaDevice& device, CudaDevice& untimed, Runtime& runtime, const Effort& effort) {
  bool good = true;
  good &= try_figure("kernels of a known time", [&] {
    bool all = true;
    for (const Line& line : spins(device, effort)) all &= print(line);
    return all;
  });
  good &=
      try_figure("pinned slot to device", [&] { return print(slot_to_device(device, effort)); });
  good &= try_figure("host time of a copy call", [&] { return print(copy_call(device, runtime)); });
  good &= try_figure("hidden copy", [&] { return print(hidden_copy(device, runtime, effort)); });
  good &= try_figure("gather of rows", [&] { return print(gather(device, effort)); });
  good &= try_figure("times of events",
                     [&] { return print(event_times(device, untimed, runtime, effort)); });
  return good;
}

}  // namespace

int main(int count, char** words) {
  const Effort effort = count > 1 && std::string_view(words[1]) == "--quick" ? kQuick : Effort{};
  const auto runtime = make_real_runtime();
  try {
    const auto device = cuda::make_cuda_device(0, {}, *runtime);
    const auto untimed = cuda::make_cuda_device(0, {.event_times = false}, *runtime);
    std::printf(
        "# %s, %s, compute capability %d.%d; kernels deviate by %.3f %% at most as calibrated\n",
        device->facts().name.c_str(), device->facts().model.c_str(),
        device->facts().capability / 10, device->facts().capability % 10,
        100 * device->kernels()->fit().residual);
    return all_figures(*device, *untimed, *runtime, effort) ? 0 : 1;
  } catch (const Error& error) {
    std::printf("%-8sall figures of the device: %s\n", "SKIPPED", error.what());
    return error.kind() == ErrorKind::device ? 77 : 1;
  }
}
