// gpu_figures [--quick] [--raw]: a line a figure of cuda:0, "PASS", "FAIL" or "SKIPPED" first. Exit
// code 0, 1 where one failed, 77 where there is no device. --quick: of fewer steps and tries.
// --raw: lines that begin with "RAW" first, of what the calibration of kernels is made from,
// whether it succeeds or not, and of the rates at which both kernels that read memory do so.
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>
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

void print_raw(Runtime& runtime) try {
  const auto device = cuda::make_cuda_device(0, {.worst_deviation = INFINITY}, runtime);
  for (const std::string& line : read_raw(*device)) std::printf("%-8s%s\n", "RAW", line.c_str());
} catch (const Error& error) {
  std::printf("%-8snone: %s\n", "RAW", error.what());
}

bool all_figures(CudaDevice& device, Runtime& runtime, const Effort& effort) {
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
  good &=
      try_figure("times of events", [&] { return print(event_times(device, runtime, effort)); });
  return good;
}

void print_device(const CudaDevice& device, const cuda::SpinFit& fit) {
  const cuda::CudaFacts& facts = device.facts();
  std::printf(
      "# %s, %s, compute capability %d.%d; kernels deviate by %.3f %% at most as calibrated; a "
      "kernel "
      "takes %.2f us besides its time, an event %.2f us\n",
      facts.name.c_str(), facts.model.c_str(), facts.capability / 10, facts.capability % 10,
      100 * fit.residual, 1e-3 * fit.kernel, 1e-3 * fit.event);
}

}  // namespace

int main(int count, char** words) {
  const std::set<std::string_view> asked(words + 1, words + count);
  const auto runtime = make_real_runtime();
  try {
    if (asked.contains("--raw")) print_raw(*runtime);
    const auto device = cuda::make_cuda_device(0, {}, *runtime);
    print_device(*device, device->kernels()->fit());
    return all_figures(*device, *runtime, asked.contains("--quick") ? kQuick : Effort{}) ? 0 : 1;
  } catch (const Error& error) {
    std::printf("%-8sall figures of the device: %s\n", "SKIPPED", error.what());
    return error.kind() == ErrorKind::device ? 77 : 1;
  }
}
