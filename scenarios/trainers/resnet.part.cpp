#include "scenarios/trainers/training_parameters.h"

namespace benchbench::parts {
namespace {
constexpr Parameter kResnetParameters[] = {kPrecision, kMemoryFormat, kLearningRate, kMomentum, kWeightDecay};
}  // namespace

extern const PartDescription trainer_resnet18_description;
const PartDescription trainer_resnet18_description{
    .kind = PartKind::trainer,
    .name = "resnet18",
    .summary =
        "A ResNet-18 training step in libtorch: forward, cross-entropy, backward, SGD. "
        "Structure, names and initial weights as in torchvision.",
    .data = DataKind::image,
    .parameters = kResnetParameters,
    .stages = kTrainingStages,
};

extern const PartDescription trainer_resnet50_description;
const PartDescription trainer_resnet50_description{
    .kind = PartKind::trainer,
    .name = "resnet50",
    .summary =
        "A ResNet-50 training step in libtorch: forward, cross-entropy, backward, SGD. "
        "Structure, names and initial weights as in torchvision.",
    .data = DataKind::image,
    .parameters = kResnetParameters,
    .stages = kTrainingStages,
};

}  // namespace benchbench::parts
