// A network as torch sees one: named tensors and a forward function. Torch module only.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace benchbench {

struct NamedTensor {
  std::string name;  // as torchvision's state_dict() has it: "layer1.0.conv1.weight"
  at::Tensor tensor;
};

// What the layers are made from, so that two networks of one seed start alike.
struct Initial {
  at::Generator generator;
  at::MemoryFormat memory_format = at::MemoryFormat::Contiguous;
};

// Owns its tensors; layers share them. One thread.
class Network {
 public:
  virtual ~Network() = default;
  // Logits [N, classes], of each token where the input is sequences. `training` decides whether
  // batch normalisation uses, and updates, statistics of the batch.
  virtual at::Tensor forward(at::Tensor input, bool training) = 0;

  // Those that the optimizer moves, and those it does not, in the order of state_dict().
  std::span<const NamedTensor> parameters() const noexcept { return parameters_; }
  std::span<const NamedTensor> buffers() const noexcept { return buffers_; }

  // Moves every tensor to the device, and those of floats to this type, as torch.nn.Module.to()
  // does.
  void move_to(c10::Device device, at::ScalarType floats);

  // For layers: adds a tensor, and returns it.
  at::Tensor parameter(std::string name, at::Tensor values);
  at::Tensor buffer(std::string name, at::Tensor values);

 private:
  std::vector<NamedTensor> parameters_;
  std::vector<NamedTensor> buffers_;
};

// The place of a layer's tensors: `name`, as state_dict() has it, stands in front of their names.
struct LayerPlace {
  Network& net;
  const Initial& initial;
  std::string name;

  LayerPlace below(const std::string& part) const { return {net, initial, name + "." + part}; }
  at::Tensor parameter(const std::string& part, at::Tensor values) const {
    return net.parameter(name + "." + part, std::move(values));
  }
  at::Tensor buffer(const std::string& part, at::Tensor values) const {
    return net.buffer(name + "." + part, std::move(values));
  }
};

// torch.nn.Conv2d without bias, initialised as torchvision's ResNet does: normal, variance 2 /
// (out_channels × k²).
struct Convolution {
  // Padding is kernel / 2: all that a ResNet has.
  Convolution(const LayerPlace& place, std::int64_t in, std::int64_t out, std::int64_t kernel,
              std::int64_t stride);
  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor weight;
  std::int64_t stride;
  std::int64_t padding;
};

// torch.nn.BatchNorm2d with its defaults.
struct BatchNorm {
  BatchNorm(const LayerPlace& place, std::int64_t channels);
  at::Tensor operator()(const at::Tensor& x, bool training) const;
  at::Tensor weight, bias, running_mean, running_var, num_batches_tracked;
};

// torch.nn.Linear with its defaults.
struct Linear {
  Linear(const LayerPlace& place, std::int64_t in, std::int64_t out);
  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor weight, bias;
};

}  // namespace benchbench
