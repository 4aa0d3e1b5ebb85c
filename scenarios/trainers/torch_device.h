// The device that torch computes on, as a step needs it: steps hold nothing of CUDA. Torch modules
// only.
#pragma once
#include <c10/core/Device.h>

#include <memory>

#include "harness/part/device.h"

namespace benchbench {

// Work of a device that is captured once and replayed. The device that made it outlives it. One
// thread.
class TorchGraph {
 public:
  virtual ~TorchGraph() = default;
  // From begin() to end(), what torch enqueues on the current stream is captured instead of run.
  virtual void begin() = 0;
  virtual void end() = 0;
  // Enqueues what was captured, on the current stream.
  virtual void replay() = 0;
  // Ends a capture after an error in it, so that the stream takes other work.
  virtual void give_up() noexcept = 0;
};

// Ends what a call began, where it is destroyed.
class TorchScope {
 public:
  virtual ~TorchScope() = default;
};

// The trial's thread makes all calls. All may throw torch's errors.
class TorchDevice {
 public:
  virtual ~TorchDevice() = default;
  virtual c10::Device device() const noexcept = 0;
  // Makes torch enqueue this thread's work on `stream` until the scope ends, backward passes
  // included. nullptr, where a step is the thread's own work, changes nothing.
  virtual std::unique_ptr<TorchScope> use_stream(DeviceStream* stream) = 0;
  // Returns when everything that the device was given, on whichever stream, is done.
  virtual void synchronize() = 0;
  // Returns a graph, never nullptr. Graphs of one device share their memory: they are replayed in
  // the order in which they were captured.
  virtual std::unique_ptr<TorchGraph> make_graph() = 0;
  // Gives memory that torch keeps for later back to the device's driver. No tensor of this device
  // is needed any more.
  virtual void release_memory() = 0;
};

// The function that libbenchbench_torch_cuda.so exports under this name. Makes cuda:`ordinal`, or
// returns nullptr and writes the reason to `why`, cut to `room` bytes.
using TorchCudaMaker = TorchDevice* (*)(int ordinal, char* why, std::size_t room);
inline constexpr const char* kTorchCudaMaker = "benchbench_torch_cuda";

// The processor. Throws PartError where a graph is asked for.
std::unique_ptr<TorchDevice> make_torch_cpu();

// The device of this name: "cpu" or "cuda:N". DeviceError where torch cannot use it: it has no
// CUDA, a library is missing (with the package that brings it), or the machine lacks the device.
std::unique_ptr<TorchDevice> make_torch_device(const Device& device);

}  // namespace benchbench
