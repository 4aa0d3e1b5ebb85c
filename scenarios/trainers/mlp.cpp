#include <ATen/ops/relu.h>

#include "scenarios/trainers/networks.h"

namespace benchbench::parts {
namespace {

// Flatten, then hidden layers with ReLU, then the classifier; names as torch.nn.Sequential would
// give them.
class Mlp final : public Network {
 public:
  Mlp(const Initial& initial, std::int64_t inputs, std::int64_t width, std::int64_t hidden,
      std::int64_t classes) {
    std::int64_t in = inputs;
    for (std::int64_t i = 0; i <= hidden; ++i, in = width) {
      const LayerPlace place{*this, initial, "layers." + std::to_string(2 * i)};
      layers_.emplace_back(place, in, i < hidden ? width : classes);
    }
  }

  at::Tensor forward(at::Tensor x, bool) override {
    // Rows lie as [H, W, C]; which feature is first is all the same to a perceptron, so flattening
    // copies nothing.
    x = x.permute({0, 2, 3, 1}).flatten(1);
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) x = at::relu(layers_[i](x));
    return layers_.back()(x);
  }

 private:
  std::vector<Linear> layers_;
};

std::unique_ptr<Network> make_mlp(const NetworkRequest& request) {
  const Settings& settings = request.settings;
  return std::make_unique<Mlp>(request.initial, find_image(request.batch).row.elements(),
                               settings.integer("hidden_size"), settings.integer("hidden_layers"),
                               request.classes);
}

}  // namespace

NetworkKind describe_mlp() { return {.make = make_mlp}; }

PartMaker trainer_mlp_maker() { return torch_trainer_maker<describe_mlp>(); }

}  // namespace benchbench::parts
