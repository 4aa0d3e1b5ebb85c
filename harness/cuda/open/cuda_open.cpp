#include "harness/cuda/open/cuda_open.h"

#include "harness/core/error.h"
#include "harness/core/parse_number.h"
#include "harness/part/module.h"

namespace benchbench::cuda {

const CudaEntry& cuda_entry() {
  using Entry = const CudaEntry* (*)();
  return *reinterpret_cast<Entry>(module_symbol("cuda", kCudaEntry))();
}

int ordinal_of(std::string_view device) noexcept {
  int ordinal = -1;
  return device.starts_with("cuda:") && read_number(device.substr(5), ordinal) ? ordinal : -1;
}

std::unique_ptr<CudaDevice> open_cuda_device(std::string_view name, CudaOptions options,
                                             Runtime& runtime) {
  const CudaEntry& entry = cuda_entry();
  options.kernels = options.kernels && !entry.kernels.bytes.empty();
  return entry.make_device(ordinal_of(name), options, runtime);
}

}  // namespace benchbench::cuda
