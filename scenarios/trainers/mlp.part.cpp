#include "harness/part/parameter_list.h"
#include "scenarios/trainers/network_parameters.h"

namespace benchbench::parts {
namespace {
constexpr std::array kOwnParameters = {
    Parameter{"hidden_size", ParameterType::integer, "1024", "Width of each hidden layer.", 1,
              65536},
    Parameter{"hidden_layers", ParameterType::integer, "2",
              "Number of hidden layers; 0 is a linear classifier.", 0, 64},
};
constexpr auto kMlpParameters = joined(kOwnParameters, kNetworkParameters);
}  // namespace

extern const PartDescription trainer_mlp_description{
    .kind = PartKind::trainer,
    .name = "mlp",
    .summary =
        "A training step of a multi-layer perceptron in libtorch on the flattened image: a light "
        "step, so that most of the work is the loader's.",
    .data = DataKind::image,
    .parameters = kMlpParameters,
    .stages = kTrainingStages,
    .on_device = OnDevice::cuda,
    .needs_kernels = false,
    .check = check_network,
};

}  // namespace benchbench::parts
