// The networks of the torch module, for the makers of its trainers and for tests. Torch module
// only.
#pragma once
#include "scenarios/trainers/torch_trainer.h"

namespace benchbench::parts {

NetworkKind describe_resnet18();
NetworkKind describe_resnet50();
NetworkKind describe_mlp();
NetworkKind describe_transformer();

}  // namespace benchbench::parts
