// The networks of the torch module, for the makers of its trainers and for tests. Torch module
// only.
#pragma once
#include "harness/part/catalog.h"
#include "scenarios/trainers/torch_trainer.h"

namespace benchbench::parts {

NetworkKind describe_resnet18();
NetworkKind describe_resnet50();
NetworkKind describe_mlp();
NetworkKind describe_transformer();

// Returns the maker of trainers of such a network.
template <NetworkKind (*describe)()>
PartMaker torch_trainer_maker() {
  return {.trainer = [](const TrainerContext& context) {
    return make_torch_trainer(context, describe());
  }};
}

}  // namespace benchbench::parts
