// A CUDA device as torch's steps need it. All that includes CUDA's headers for torch is here.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "harness/part/module.h"
#include "scenarios/trainers/torch_device.h"

// Declared by a header of torch that needs cuBLAS's.
namespace at::cuda {
TORCH_CUDA_CPP_API void clearCublasWorkspaces();
}

namespace benchbench {
namespace {

class CudaStreamScope final : public TorchScope {
 public:
  explicit CudaStreamScope(c10::cuda::CUDAStream stream) : guard_(stream) {}

 private:
  c10::cuda::CUDAStreamGuard guard_;
};

class CudaGraph final : public TorchGraph {
 public:
  CudaGraph(c10::DeviceIndex index, at::cuda::MempoolId_t pool) : index_(index), pool_(pool) {}
  void begin() override { graph_.capture_begin(pool_); }
  void end() override { graph_.capture_end(); }
  void replay() override { graph_.replay(); }
  // An end that fails leaves torch's memory with the capture: it is taken off here.
  void give_up() noexcept override {
    try {
      graph_.capture_end();
    } catch (...) {
      try {
        c10::cuda::CUDACachingAllocator::endAllocateToPool(index_, pool_);
      } catch (...) {
      }
    }
  }

 private:
  const c10::DeviceIndex index_;
  const at::cuda::MempoolId_t pool_;
  at::cuda::CUDAGraph graph_;
};

class TorchCuda final : public TorchDevice {
 public:
  explicit TorchCuda(c10::DeviceIndex index) : index_(index) { c10::cuda::set_device(index); }
  c10::Device device() const noexcept override { return {c10::kCUDA, index_}; }

  std::unique_ptr<TorchScope> use_stream(DeviceStream* stream) override {
    if (!stream) return nullptr;
    return std::make_unique<CudaStreamScope>(
        c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(stream->native()), index_));
  }
  void synchronize() override {
    const c10::cuda::CUDAGuard guard(index_);
    c10::cuda::device_synchronize();
  }
  std::unique_ptr<TorchGraph> make_graph() override {
    if (pool_ == at::cuda::MempoolId_t{}) pool_ = at::cuda::graph_pool_handle();
    return std::make_unique<CudaGraph>(index_, pool_);
  }
  // cuBLAS's workspaces, of which torch keeps one for each stream that it has seen, are among it.
  void release_memory() override {
    at::cuda::clearCublasWorkspaces();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }

 private:
  const c10::DeviceIndex index_;
  at::cuda::MempoolId_t pool_{};
};

TorchDevice* make_device(int ordinal) {
  const int devices = c10::cuda::device_count_ensure_non_zero();
  if (ordinal < devices) return new TorchCuda(static_cast<c10::DeviceIndex>(ordinal));
  throw DeviceError("torch sees " + std::to_string(devices) +
                    " CUDA devices, and no cuda:" + std::to_string(ordinal));
}

}  // namespace
}  // namespace benchbench

extern "C" benchbench::TorchDevice* benchbench_torch_cuda(int ordinal, char* why,
                                                          std::size_t room) {
  const auto say = [&](const char* words) {
    const std::size_t n = std::min(room - 1, std::strlen(words));
    std::memcpy(why, words, n);
    why[n] = '\0';
    return nullptr;
  };
  try {
    return benchbench::make_device(ordinal);
  } catch (const c10::Error& e) {
    return say(e.what_without_backtrace());
  } catch (const std::exception& e) {
    return say(e.what());
  }
}

// For `probe-module`: why torch finds no CUDA device, "" where it finds one.
extern "C" const char* benchbench_torch_cuda_reason() {
  static std::string reason;
  try {
    c10::cuda::device_count_ensure_non_zero();
    reason.clear();
  } catch (const c10::Error& e) {
    reason = std::string("torch finds no CUDA device: ") + e.what_without_backtrace();
  }
  return reason.c_str();
}

// It has no parts of its own: those of the torch module use it.
extern "C" const benchbench::ModuleTable* benchbench_module() {
  static const benchbench::ModuleTable table{BENCHBENCH_SEAM, BENCHBENCH_MODULE_REQUIREMENT,
                                             nullptr, 0};
  return &table;
}
