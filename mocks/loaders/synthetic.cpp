// A loader whose times are known: made-up images that take a time to make, drawn from a distribution.
#include "harness/part/catalog.h"
#include "mocks/loaders/staged_worker.h"

namespace benchbench::parts {
namespace {

constexpr auto kParameters = joined(kImageParameters, kStageTimeParameters);

class Synthetic final : public Loader {
 public:
  explicit Synthetic(const LoaderContext& context) : work_(context) {}
  Layout layout() const override { return work_.images.layout(); }
  BatchSpec spec() const override { return work_.images.spec(); }
  std::uint32_t classes() const override { return work_.images.classes(); }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<StagedWorker>(work_, runtime);
  }

 private:
  StagedWork work_;
};

}  // namespace

extern const PartDescription loader_synthetic_description;
const PartDescription loader_synthetic_description{
    .kind = PartKind::loader,
    .name = "synthetic",
    .summary =
        "Makes up images, each stage, sample or batch in a time you set: constant, uniform, exponential or "
        "lognormal.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kMadeStages,
    .simulated = true,
    .mock = true,
    .substitutions = kStageSubstitutions,
};

PartMaker loader_synthetic_maker() {
  PartMaker maker;
  maker.loader = [](const LoaderContext& context) -> std::unique_ptr<Loader> {
    return std::make_unique<Synthetic>(context);
  };
  return maker;
}

}  // namespace benchbench::parts
