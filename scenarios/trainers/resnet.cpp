// ResNet v1.5 as torchvision has it (the stride of a bottleneck is in its 3 × 3 convolution): same
// structure, same names, same order in state_dict(), same initial distribution.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/trainers/torch_trainer.h"

namespace benchbench::parts {
namespace {

// Two 3 × 3 convolutions (ResNet-18), or 1 × 1, 3 × 3, 1 × 1 to four times the width (ResNet-50),
// beside a shortcut.
class Block {
 public:
  Block(Network& net, const std::string& name, const Initial& initial, std::int64_t in,
        std::int64_t width, std::int64_t stride, bool bottleneck) {
    const std::int64_t out = bottleneck ? 4 * width : width;
    if (bottleneck) {
      add(net, name, initial, in, width, 1, 1);
      add(net, name, initial, width, width, 3, stride);
      add(net, name, initial, width, out, 1, 1);
    } else {
      add(net, name, initial, in, width, 3, stride);
      add(net, name, initial, width, width, 3, 1);
    }
    if (stride != 1 || in != out) {
      shortcut_.emplace(Convolution(net, name + ".downsample.0", initial, in, out, 1, stride),
                        BatchNorm(net, name + ".downsample.1", out));
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
  void add(Network& net, const std::string& name, const Initial& initial, std::int64_t in,
           std::int64_t out, std::int64_t kernel, std::int64_t stride) {
    const std::string number = std::to_string(layers_.size() + 1);
    Convolution convolution(net, name + ".conv" + number, initial, in, out, kernel, stride);
    layers_.emplace_back(std::move(convolution), BatchNorm(net, name + ".bn" + number, out));
  }

  std::vector<std::pair<Convolution, BatchNorm>> layers_;
  std::optional<std::pair<Convolution, BatchNorm>> shortcut_;
};

class ResNet final : public Network {
 public:
  ResNet(const Initial& initial, std::span<const int> depths, bool bottleneck, std::int64_t classes)
      : conv1_(*this, "conv1", initial, 3, 64, 7, 2), bn1_(*this, "bn1", 64) {
    std::int64_t in = 64;
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
      const std::int64_t width = std::int64_t{64} << stage;
      for (int i = 0; i < depths[stage]; ++i) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
        blocks_.emplace_back(*this, name, initial, in, width, stage > 0 && i == 0 ? 2 : 1,
                             bottleneck);
        in = bottleneck ? 4 * width : width;
      }
    }
    classifier_.emplace(*this, "fc", initial, in, classes);
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
std::unique_ptr<Network> make_resnet(const Initial& initial, std::int64_t classes) {
  static constexpr std::array<int, 4> depths =
      Depth == 18 ? std::array{2, 2, 2, 2} : std::array{3, 4, 6, 3};
  return std::make_unique<ResNet>(initial, depths, Depth == 50, classes);
}

template <int Depth>
std::unique_ptr<Network> make_requested(const NetworkRequest& request) {
  if (request.channels != 3) throw PartError("a ResNet takes images of 3 channels");
  return make_resnet<Depth>(request.initial, request.classes);
}

template <int Depth>
PartMaker resnet_maker() {
  return {.trainer = [](const TrainerContext& context) {
    return make_torch_trainer(context, HasMemoryFormat::yes, make_requested<Depth>);
  }};
}

}  // namespace

// Each tensor's values from the file of its name in `folder`, as they lie in memory; no more and no
// fewer files.
void load_state(const Network& network, const std::filesystem::path& folder) {
  std::size_t files = 0;
  const auto read = [&](const NamedTensor& to) {
    at::Tensor values = at::empty(to.tensor.sizes(), to.tensor.scalar_type());
    std::ifstream in(folder / to.name, std::ios::binary);
    if (!in.read(static_cast<char*>(values.data_ptr()),
                 static_cast<std::streamsize>(values.nbytes())) ||
        in.peek() != std::char_traits<char>::eof()) {
      throw PartError("no " + std::to_string(values.nbytes()) + " bytes in " +
                      (folder / to.name).string());
    }
    to.tensor.detach().copy_(values);
    ++files;
  };
  std::ranges::for_each(network.parameters(), read);
  std::ranges::for_each(network.buffers(), read);
  const auto there = std::distance(std::filesystem::directory_iterator(folder), {});
  if (static_cast<std::size_t>(there) != files) {
    throw PartError(std::to_string(there) + " tensors in " + folder.string() +
                    ", this network has " + std::to_string(files));
  }
}

PartMaker trainer_resnet18_maker() { return resnet_maker<18>(); }
PartMaker trainer_resnet50_maker() { return resnet_maker<50>(); }

}  // namespace benchbench::parts

// For the test against torchvision, which finds it by dlsym(): logits[n × 1000] in evaluation mode
// of `images` [n, 3, size, size] under the state dict in folder `weights`. Returns "" or the
// reason, valid until the next call.
extern "C" const char* benchbench_torch_resnet_logits(int depth, const char* weights,
                                                      const float* images, std::int64_t n,
                                                      std::int64_t size, float* logits) {
  using namespace benchbench;
  static std::string reason;
  reason.clear();
  try {
    const c10::NoGradGuard no_grad;
    const Initial initial{at::detail::createCPUGenerator(0)};
    const auto network =
        depth == 50 ? parts::make_resnet<50>(initial, 1000) : parts::make_resnet<18>(initial, 1000);
    parts::load_state(*network, weights);
    const at::Tensor input = at::from_blob(const_cast<float*>(images), {n, 3, size, size});
    const at::Tensor out = network->forward(input, false).contiguous();
    std::copy_n(out.const_data_ptr<float>(), out.numel(), logits);
  } catch (const std::exception& e) {
    reason = e.what();
  }
  return reason.c_str();
}
