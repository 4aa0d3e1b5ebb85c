// Streams, events, copies and kernels of one CUDA device.
#pragma once
#include "harness/cuda/cuda_device.h"
#include "harness/cuda/primary_context.h"

namespace benchbench::cuda {

// What all of one device's parts use; each outlives them.
struct CudaScene {
  const Driver& driver;
  const CudaFacts& facts;
  const PrimaryContext& context;
  Runtime& runtime;
  CudaWait wait = CudaWait::spin;
  std::vector<std::string> nvjpeg = {};  // files of the library, as load_nvjpeg() takes them
};

class CudaQueue final : public Accelerator {
 public:
  // `kernels` outlives it; nullptr: launch(), normalize() and gather() are refused.
  CudaQueue(const CudaScene& scene, CudaKernels* kernels) : scene_(scene), kernels_(kernels) {}
  int ordinal() const noexcept override { return scene_.facts.ordinal; }
  std::unique_ptr<DeviceStream> make_stream() override;
  std::unique_ptr<DeviceEvent> make_event() override { return make_event(true); }
  std::unique_ptr<DeviceEvent> make_event(bool has_time);
  void record(DeviceEvent& event, DeviceStream& stream) override;
  void wait(DeviceStream& stream, const DeviceEvent& event) override;
  void copy(DeviceStream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
            DeviceCopy way, Memory host) override;
  void launch(DeviceStream& stream, const DeviceKernel& kernel) override;
  void normalize(DeviceStream& stream, const DeviceNormalization& job) override;
  void synchronize(DeviceStream& stream) override;
  Nanoseconds between(const DeviceEvent& from, const DeviceEvent& to) override;
  DeviceCalls calls() const noexcept override { return calls_; }
  void gather(DeviceStream& stream, const DeviceGather& job) override;
  std::unique_ptr<DeviceDecoder> make_decoder() override;
  void resize(DeviceStream& stream, const ResizeParameter& job, DType type);

 private:
  // Enters the context and counts a launch. DeviceError where there are no kernels.
  CudaKernels& begin_launch(DeviceStream& stream);

  const CudaScene scene_;
  CudaKernels* const kernels_;
  DeviceCalls calls_;
};

}  // namespace benchbench::cuda
