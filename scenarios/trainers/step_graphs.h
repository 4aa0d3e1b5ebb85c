// A step as CUDA graphs: its parts are captured once for each buffer that batches come in. Torch
// module only.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <map>
#include <memory>

#include "scenarios/trainers/torch_device.h"

namespace benchbench {

// One thread.
class StepGraphs {
 public:
  enum Part : std::uint8_t { forward, backward, optimizer };
  static constexpr std::size_t kParts = 3;
  struct Captured {
    std::array<std::unique_ptr<TorchGraph>, kParts> parts;  // nullptr: the step has no such part
    at::Tensor loss;
  };

  explicit StepGraphs(TorchDevice& on) : on_(on) {}

  // The graphs for the batch whose first tensor is at `buffer`; empty ones before the first call.
  Captured& find(const void* buffer) { return captured_[buffer]; }
  // Captures what `work` enqueues. PartError with torch's words where that cannot be captured.
  void capture(Captured& to, Part part, const std::function<void()>& work);

 private:
  TorchDevice& on_;
  std::map<const void*, Captured> captured_;
};

}  // namespace benchbench
