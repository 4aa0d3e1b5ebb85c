#include "scenarios/trainers/training_parameters.h"

namespace benchbench::parts {
namespace {
constexpr Parameter kMlpParameters[] = {
    {"hidden_size", ParameterType::integer, "1024", "Width of each hidden layer.", 1, 65536},
    {"hidden_layers", ParameterType::integer, "2",
     "Number of hidden layers; 0 is a linear classifier.", 0, 64},
    kPrecision,
    kLearningRate,
    kMomentum,
    kWeightDecay};
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
};

}  // namespace benchbench::parts
