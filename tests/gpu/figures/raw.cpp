#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/gpu/figures/figures.h"

namespace benchbench::gpu_figures {
namespace {

constexpr std::uint32_t kChanges = 4000;  // of the global timer
constexpr std::uint64_t kMostRead = std::uint64_t{512} << 20;
constexpr int kReadTries = 5;

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

// A line: the best rate at which `read` reads memory. The stream is kept busy until all is queued.
template <class Read>
std::string read_rate(CudaDevice& device, const char* name, std::size_t bytes, Read read) {
  Accelerator& on = *device.accelerator();
  const auto stream = on.make_stream();
  const auto from = on.make_event(), to = on.make_event();
  double best = 0;
  for (int i = 0; i < kReadTries; ++i) {
    on.launch(*stream, {.time = std::chrono::milliseconds{1}});
    on.record(*from, *stream);
    read(*stream);
    on.record(*to, *stream);
    on.synchronize(*stream);
    best = std::max(best, static_cast<double>(bytes) / to_seconds(on.between(*from, *to)));
  }
  return fmt::format("{}: {} MiB read at {:.1f} GB/s", name, bytes >> 20, best * 1e-9);
}

// The two kernels that read memory have the same loop.
void read_memory(CudaDevice& device, std::vector<std::string>& lines) {
  const auto bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(kMostRead, device.memory_left().left / 4));
  std::byte* const data = device.allocate(bytes, Memory::device);
  std::byte* const sum = device.allocate(4, Memory::device);
  const TensorView view{{"range", DType::uint8, {}}, static_cast<std::int64_t>(bytes), data};
  lines.push_back(read_rate(device, "touch", bytes, [&](DeviceStream& stream) {
    device.kernels()->touch(static_cast<cuda::Stream>(stream.native()), data, bytes, sum);
  }));
  lines.push_back(read_rate(device, "busy", bytes, [&](DeviceStream& stream) {
    device.accelerator()->launch(stream, {.reads = {&view, 1}, .sum = sum});
  }));
  device.deallocate(sum, 4, Memory::device);
  device.deallocate(data, bytes, Memory::device);
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
  read_memory(device, lines);
  return lines;
}

}  // namespace benchbench::gpu_figures
