// Makes what a network is fed with from the batches of the loader. Torch module only.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>

#include "harness/part/trainer.h"

namespace benchbench {

struct NetworkInput {
  at::Tensor data;
  at::Tensor target;  // int64
  // True where `data` is the batch's own memory, which it needs as long as it lives.
  bool in_place = false;
};

// One thread.
class BatchInput {
 public:
  virtual ~BatchInput() = default;
  // Views of the batch's memory, or tensors made from it on the device and the current stream.
  virtual NetworkInput make(const BatchLease& batch) const = 0;
};

// The place, the layout and the type that a step wants its input in.
struct InputLayout {
  c10::Device device;
  at::MemoryFormat format = at::MemoryFormat::Contiguous;
  at::ScalarType type = at::kFloat;
};

// The index of the tensor of this name. PartError where there is none: "this trainer takes"
// `wanted`.
std::size_t find_tensor(const BatchSpec& batch, std::string_view name, const char* wanted);
// A view of the batch's memory, which is on `device`.
at::Tensor view_memory(void* data, at::IntArrayRef sizes, at::ScalarType type, c10::Device device);

// The tensor "image" of labelled images, uint8 or float32 [H, W, C]. PartError where `batch` is
// none.
const TensorSpec& find_image(const BatchSpec& batch);

// Images [N, C, H, W] with one label each. Float rows come normalised; bytes are normalised here,
// on the device, as `batch` says, else by ImageNet's mean and deviation, and those of another
// number of channels than three are scaled to 0..1. PartError where `batch` has no labelled images.
std::unique_ptr<BatchInput> make_image_input(const BatchSpec& batch, const InputLayout& layout);

}  // namespace benchbench
