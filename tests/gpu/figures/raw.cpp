#include <fmt/format.h>

#include <map>

#include "tests/gpu/figures/figures.h"

namespace benchbench::gpu_figures {
namespace {

constexpr std::uint32_t kChanges = 4000;  // of the global timer

// A line for each train, with all times that it took.
void read_trains(const cuda::CudaKernels& kernels, unsigned timer, const char* name,
                 std::vector<std::string>& lines) {
  std::string last;
  for (const cuda::SpinTrain& train : kernels.time_trains(timer)) {
    const std::string what =
        fmt::format("{}: {} x {} ticks, ns:", name, train.kernels, train.amount);
    if (what != last) lines.push_back(last = what);
    lines.back() += fmt::format(" {}", train.time.count());
  }
}

}  // namespace

std::vector<std::string> read_raw(CudaDevice& device) {
  const cuda::CudaKernels& kernels = *device.kernels();
  std::vector<std::string> lines;
  read_trains(kernels, cuda::kGlobalTimer, "global timer", lines);
  read_trains(kernels, cuda::kClockTimer, "clock", lines);
  std::map<std::uint64_t, int> steps;
  for (const std::uint64_t step : kernels.time_timer(kChanges)) ++steps[step];
  for (const auto& [step, times] : steps)
    lines.push_back(fmt::format("global timer: {} of {} steps are {} ns", times, kChanges, step));
  return lines;
}

}  // namespace benchbench::gpu_figures
