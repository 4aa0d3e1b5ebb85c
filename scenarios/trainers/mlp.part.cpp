#include "scenarios/trainers/training_parameters.h"

namespace benchbench::parts {
namespace {
constexpr Parameter kMlpParameters[] = {
    {"hidden_size", ParameterType::integer, "1024", "Width of each hidden layer.", 1, 65536},
    {"hidden_layers", ParameterType::integer, "2", "Number of hidden layers; 0 is a linear classifier.", 0,
     64},
    kPrecision,
    kLearningRate,
    kMomentum,
    kWeightDecay};
}  // namespace

extern const PartDescription trainer_mlp_description{
    .kind = PartKind::trainer,
    .name = "mlp",
    .summary =
        "A multi-layer perceptron's training step in libtorch on the flattened image: a light step that "
        "leaves most of the work to the loader.",
    .data = DataKind::image,
    .parameters = kMlpParameters,
    .stages = kTrainingStages,
};

}  // namespace benchbench::parts
