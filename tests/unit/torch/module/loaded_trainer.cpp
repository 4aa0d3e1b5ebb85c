// Trainers whose networks begin with given weights.
#include <filesystem>
#include <map>
#include <string_view>

#include "scenarios/trainers/networks.h"
#include "tests/unit/torch/module/state.h"

namespace benchbench::test {
namespace {

NetworkKind described;
std::filesystem::path folder;

std::unique_ptr<Network> make_loaded(const NetworkRequest& request) {
  auto network = described.make(request);
  load_state(*network, folder);
  return network;
}

}  // namespace
}  // namespace benchbench::test

// A trainer `name` that begins with the state dict in folder `weights`; the caller owns it.
extern "C" benchbench::Trainer* benchbench_test_loaded_trainer(
    const benchbench::TrainerContext& context, std::string_view name, const char* weights) {
  using namespace benchbench;
  const std::map<std::string_view, NetworkKind (*)()> known = {
      {"resnet18", parts::describe_resnet18},
      {"resnet50", parts::describe_resnet50},
      {"mlp", parts::describe_mlp},
      {"transformer", parts::describe_transformer}};
  test::described = known.at(name)();
  test::folder = weights;
  return make_torch_trainer(context,
                            {.make = test::make_loaded, .make_input = test::described.make_input})
      .release();
}
