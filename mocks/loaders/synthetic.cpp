// A loader whose times are known: made-up images that take a time to make, drawn from a
// distribution.
#include "harness/part/part_maker.h"
#include "mocks/loaders/image_loader.h"
#include "mocks/loaders/staged_worker.h"

namespace benchbench::parts {
namespace {

constexpr auto kParameters = joined(kImageParameters, kStageTimeParameters);

}  // namespace

extern const PartDescription loader_synthetic_description{
    .kind = PartKind::loader,
    .name = "synthetic",
    .summary =
        "Synthetic images, with a given time per stage, sample or batch: constant, uniform, "
        "exponential or lognormal.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kMadeStages,
    .simulated = true,
    .mock = true,
    .substitutions = kStageSubstitutions,
    .check = check_staged,
};

PartMaker loader_synthetic_maker() { return part_maker<ImageLoader<StagedWork, StagedWorker>>(); }

}  // namespace benchbench::parts
