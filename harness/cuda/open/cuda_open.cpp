#include "harness/cuda/open/cuda_open.h"

#include <charconv>

#include "harness/core/error.h"
#include "harness/part/module.h"

namespace benchbench::cuda {

const CudaEntry& cuda_entry() {
  using Entry = const CudaEntry* (*)();
  return *reinterpret_cast<Entry>(module_symbol("cuda", kCudaEntry))();
}

int ordinal_of(std::string_view device) noexcept {
  if (!device.starts_with("cuda:")) return -1;
  device.remove_prefix(5);
  int ordinal = -1;
  const auto [end, error] = std::from_chars(device.data(), device.data() + device.size(), ordinal);
  return error == std::errc{} && end == device.data() + device.size() ? ordinal : -1;
}

std::unique_ptr<CudaDevice> open_cuda_device(std::string_view name, CudaOptions options,
                                             Runtime& runtime) {
  const CudaEntry& entry = cuda_entry();
  options.kernels = options.kernels && !entry.kernels.bytes.empty();
  return entry.make_device(ordinal_of(name), options, runtime);
}

}  // namespace benchbench::cuda
