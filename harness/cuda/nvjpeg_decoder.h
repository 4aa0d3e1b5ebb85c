// Rows of a batch from JPEG files, on a CUDA device: nvJPEG decodes, one kernel does the rest.
#pragma once
#include <memory>
#include <vector>

#include "harness/cuda/cuda_queue.h"

namespace benchbench::cuda {

// Files that the library's call for batches takes are decoded together, others (progressive ones)
// one by one. Scene, queue and kernels outlive it. DeviceError where the library is missing or
// refuses.
std::unique_ptr<DeviceDecoder> make_nvjpeg_decoder(const CudaScene& scene, CudaQueue& queue,
                                                   CudaKernels& kernels);

}  // namespace benchbench::cuda
