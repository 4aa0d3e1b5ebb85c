#include "scenarios/trainers/network.h"

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace benchbench {

at::Tensor Network::parameter(std::string name, at::Tensor values) {
  values.set_requires_grad(true);
  parameters_.push_back({std::move(name), values});
  return values;
}

at::Tensor Network::buffer(std::string name, at::Tensor values) {
  buffers_.push_back({std::move(name), values});
  return values;
}

void Network::move_to(c10::Device device, at::ScalarType floats) {
  const auto move = [&](const NamedTensor& of) {
    at::Tensor tensor = of.tensor;
    const auto type = tensor.is_floating_point() ? floats : tensor.scalar_type();
    tensor.set_data(tensor.detach().to(device, type));
  };
  std::ranges::for_each(parameters_, move);
  std::ranges::for_each(buffers_, move);
}

Convolution::Convolution(const LayerPlace& place, std::int64_t in, std::int64_t out,
                         std::int64_t kernel, std::int64_t stride_)
    : stride(stride_), padding(kernel / 2) {
  // Kaiming, fan_out, relu.
  const double deviation = std::sqrt(2.0 / static_cast<double>(out * kernel * kernel));
  at::Tensor values =
      at::empty({out, in, kernel, kernel}).normal_(0.0, deviation, place.initial.generator);
  weight = place.parameter("weight", values.contiguous(place.initial.memory_format));
}

at::Tensor Convolution::operator()(const at::Tensor& x) const {
  return at::conv2d(x, weight, {}, {stride, stride}, {padding, padding});
}

BatchNorm::BatchNorm(const LayerPlace& place, std::int64_t channels)
    : weight(place.parameter("weight", at::ones({channels}))),
      bias(place.parameter("bias", at::zeros({channels}))),
      running_mean(place.buffer("running_mean", at::zeros({channels}))),
      running_var(place.buffer("running_var", at::ones({channels}))),
      num_batches_tracked(place.buffer("num_batches_tracked", at::zeros({}, at::kLong))) {}

at::Tensor BatchNorm::operator()(const at::Tensor& x, bool training) const {
  // nn.BatchNorm2d does: one small operation a layer is part of its time.
  if (training) num_batches_tracked.add_(1);
  constexpr double momentum = 0.1, epsilon = 1e-5;
  return at::batch_norm(x, weight, bias, running_mean, running_var, training, momentum, epsilon,
                        true);
}

Linear::Linear(const LayerPlace& place, std::int64_t in, std::int64_t out) {
  // kaiming_uniform with a = √5, and the bias's own.
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  const auto drawn = [&](at::IntArrayRef sizes) {
    return at::empty(sizes).uniform_(-bound, bound, place.initial.generator);
  };
  weight = place.parameter("weight", drawn({out, in}));
  bias = place.parameter("bias", drawn({out}));
}

at::Tensor Linear::operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }

}  // namespace benchbench
