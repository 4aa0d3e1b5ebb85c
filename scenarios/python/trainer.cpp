// The user's own training step.
#include "harness/part/catalog.h"
#include "scenarios/python/hand_over_trainer.h"
#include "scenarios/python/part_keys.h"
#include "scenarios/python/session.h"

namespace benchbench::parts {
namespace {

using namespace python_part;

constexpr Parameter kParameters[] = {
    kScript,
    kModule,
    {"call", text, "",
     "The function of one training step: train_step(batch) or train_step(batch, state), returns "
     "the loss."},
    {"setup", text, "none",
     "A function setup(device), called once before the first step; what it returns is the step's "
     "second argument."},
    {"batch_keys", text, "none",
     "Where batches come from a loader that is not your own: the names of their tensors, as in "
     "\"pixel_values, labels\", if the step takes a dict; none: it gets a list."},
    kInterpreter,
};

constexpr Stage kStages[] = {Stage::forward};

}  // namespace

extern const PartDescription trainer_python_description{
    .kind = PartKind::trainer,
    .name = "python",
    .summary = "Your own training step, in your own Python.",
    .parameters = kParameters,
    .stages = kStages,
    .needs_kernels = false,
    .external = true,
};
PartMaker trainer_python_maker() {
  return {.trainer = make_hand_over_trainer, .external = kExternalMaker};
}

}  // namespace benchbench::parts
