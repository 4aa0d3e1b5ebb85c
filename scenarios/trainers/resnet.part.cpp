#include "harness/part/parameter_list.h"
#include "scenarios/trainers/network_parameters.h"

namespace benchbench::parts {
namespace {
constexpr auto kResnetParameters = joined(kNetworkParameters, std::array{kMemoryFormat});

constexpr PartDescription resnet(std::string_view name, std::string_view summary) {
  return {.kind = PartKind::trainer,
          .name = name,
          .summary = summary,
          .data = DataKind::image,
          .parameters = kResnetParameters,
          .stages = kTrainingStages,
          .on_device = OnDevice::cuda,
          .needs_kernels = false,
          .channels = 3,
          .check = check_network};
}
}  // namespace

extern const PartDescription trainer_resnet18_description = resnet(
    "resnet18",
    "A ResNet-18 training step in libtorch: forward, cross-entropy, backward, SGD. Architecture, "
    "names and initial weights as in torchvision.");

extern const PartDescription trainer_resnet50_description = resnet(
    "resnet50",
    "A ResNet-50 training step in libtorch: forward, cross-entropy, backward, SGD. Architecture, "
    "names and initial weights as in torchvision.");

}  // namespace benchbench::parts
