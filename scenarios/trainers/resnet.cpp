// ResNet v1.5 as torchvision has it (the stride of a bottleneck is in its 3 × 3 convolution): same
// structure, same names, same order in state_dict(), same initial distribution.
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>

#include <array>
#include <optional>

#include "harness/core/error.h"
#include "scenarios/trainers/networks.h"

namespace benchbench::parts {
namespace {

// Two 3 × 3 convolutions (ResNet-18), or 1 × 1, 3 × 3, 1 × 1 to four times the width (ResNet-50),
// beside a shortcut.
class Block {
 public:
  Block(const LayerPlace& place, std::int64_t in, std::int64_t width, std::int64_t stride,
        bool bottleneck) {
    const std::int64_t out = bottleneck ? 4 * width : width;
    if (bottleneck) {
      add(place, in, width, 1, 1);
      add(place, width, width, 3, stride);
      add(place, width, out, 1, 1);
    } else {
      add(place, in, width, 3, stride);
      add(place, width, width, 3, 1);
    }
    if (stride != 1 || in != out) {
      shortcut_.emplace(Convolution(place.below("downsample.0"), in, out, 1, stride),
                        BatchNorm(place.below("downsample.1"), out));
    }
  }

  at::Tensor operator()(const at::Tensor& input, bool training) const {
    at::Tensor x = input;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      x = layers_[i].second(layers_[i].first(x), training);
      if (i + 1 < layers_.size()) at::relu_(x);
    }
    x.add_(shortcut_ ? shortcut_->second(shortcut_->first(input), training) : input);
    return at::relu_(x);
  }

 private:
  void add(const LayerPlace& place, std::int64_t in, std::int64_t out, std::int64_t kernel,
           std::int64_t stride) {
    const std::string number = std::to_string(layers_.size() + 1);
    Convolution convolution(place.below("conv" + number), in, out, kernel, stride);
    layers_.emplace_back(std::move(convolution), BatchNorm(place.below("bn" + number), out));
  }

  std::vector<std::pair<Convolution, BatchNorm>> layers_;
  std::optional<std::pair<Convolution, BatchNorm>> shortcut_;
};

class ResNet final : public Network {
 public:
  ResNet(const Initial& initial, std::span<const int> depths, bool bottleneck, std::int64_t classes)
      : conv1_({*this, initial, "conv1"}, 3, 64, 7, 2), bn1_({*this, initial, "bn1"}, 64) {
    std::int64_t in = 64;
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
      const std::int64_t width = std::int64_t{64} << stage;
      for (int i = 0; i < depths[stage]; ++i) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
        blocks_.emplace_back(LayerPlace{*this, initial, name}, in, width,
                             stage > 0 && i == 0 ? 2 : 1, bottleneck);
        in = bottleneck ? 4 * width : width;
      }
    }
    classifier_.emplace(LayerPlace{*this, initial, "fc"}, in, classes);
  }

  at::Tensor forward(at::Tensor x, bool training) override {
    x = bn1_(conv1_(x), training);
    at::relu_(x);
    x = at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
    for (const Block& block : blocks_) x = block(x, training);
    return (*classifier_)(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  Convolution conv1_;
  BatchNorm bn1_;
  std::vector<Block> blocks_;
  std::optional<Linear> classifier_;
};

template <int Depth>
std::unique_ptr<Network> make_resnet(const NetworkRequest& request) {
  static constexpr std::array<int, 4> depths =
      Depth == 18 ? std::array{2, 2, 2, 2} : std::array{3, 4, 6, 3};
  if (find_image(request.batch).row.extent[2] != 3)
    throw PartError("a ResNet takes images of 3 channels");
  return std::make_unique<ResNet>(request.initial, depths, Depth == 50, request.classes);
}

}  // namespace

NetworkKind describe_resnet18() { return {.make = make_resnet<18>}; }
NetworkKind describe_resnet50() { return {.make = make_resnet<50>}; }

PartMaker trainer_resnet18_maker() { return torch_trainer_maker<describe_resnet18>(); }
PartMaker trainer_resnet50_maker() { return torch_trainer_maker<describe_resnet50>(); }

}  // namespace benchbench::parts
