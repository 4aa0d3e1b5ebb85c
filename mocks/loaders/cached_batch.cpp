// The same batches over and over: a loader that has its batches ready. In mode trainer it stands in
// for the scenario's own loader, which made the batch.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "harness/core/error.h"
#include "harness/part/part_maker.h"
#include "mocks/loaders/made_images.h"

namespace benchbench::parts {
namespace {

// The sampler orders a whole epoch at once, so an epoch has a modest length: 1024 batches.
constexpr std::uint64_t kBatchesPerEpoch = 1024;

constexpr std::string_view kPlaces[] = {"host", "pinned", "device"};

constexpr std::string_view kDTypes[] = {"none", "uint8", "float32"};

// Without a default, so that a batch of another loader's has no shape besides.
constexpr auto kShape = [] {
  auto shape = kShapeParameters;
  for (Parameter& p : shape) {
    p.standard = "none";
    if (!p.choices.empty()) p.choices = kDTypes;
  }
  return shape;
}();

constexpr auto kParameters = joined(
    std::array{
        Parameter{"of.use", ParameterType::text, "none",
                  "The loader that makes the batch, once; its keys are below `of` too. Without it, "
                  "and without keys of the shape: the scenario's own loader where an axis names "
                  "this one next to it, else synthetic."},
        Parameter{"distinct", ParameterType::integer, "1",
                  "Batches that come in turn. More than one cost a copy wherever a slot last held "
                  "another one.",
                  1, 1e4},
        choice_parameter("at", "host",
                         "Where the batch is: host; pinned, as with pin_memory; device, as with "
                         "trainer.copy: once, where steps run on a device with memory of its own.",
                         kPlaces)},
    kShape);

class CachedBatchWorker final : public LoaderWorker {
 public:
  explicit CachedBatchWorker(const PrototypeBatch& prototype) : prototype_(prototype) {}

  // The harness recycles a handful of slots, so each is written once and handed over as it is ever
  // after: no copy in the steady state, as a loader that has its batch ready would cost nothing.
  void fill(const BatchRequest& request, StageMeter&) override {
    const RowSpan& rows = request.rows;
    if (rows.count() == 0 || rows.tensors().empty()) return;
    Written& written = written_[rows.row(0, 0)];
    const std::uint64_t which = request.batch % prototype_.batches;
    if (written.which == which && written.rows >= rows.count()) return;
    for (std::size_t t = 0; t < rows.tensors().size(); ++t) write(rows, t, which);
    written = {which, rows.count()};
  }

 private:
  struct Written {
    std::uint64_t which = 0;
    std::size_t rows = 0;
  };

  void write(const RowSpan& rows, std::size_t tensor, std::uint64_t which) const {
    const std::size_t bytes = prototype_.spec.tensor[tensor].bytes_per_row();
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::size_t from = which * prototype_.rows + (rows.first() + i) % prototype_.rows;
      std::memcpy(rows.row(tensor, i), prototype_.data[tensor] + from * bytes, bytes);
    }
  }

  const PrototypeBatch& prototype_;
  // First row of a span -> what was written there last.
  std::unordered_map<const std::byte*, Written> written_;
};

class CachedBatch final : public Loader {
 public:
  explicit CachedBatch(const LoaderContext& context) {
    if (!context.prototype || context.prototype->rows == 0)
      throw PartError("cached_batch was given no batch to repeat",
                      "loader.of names the loader that makes it");
    prototype_ = *context.prototype;
  }
  Layout layout() const override { return {prototype_.rows * kBatchesPerEpoch, {}, {}}; }
  BatchSpec spec() const override { return prototype_.spec; }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    return std::make_unique<CachedBatchWorker>(prototype_);
  }

 private:
  PrototypeBatch prototype_;
};

}  // namespace

extern const PartDescription loader_cached_batch_description{
    .kind = PartKind::loader,
    .name = "cached_batch",
    .summary =
        "Repeats one batch, which another loader made once: what costs nothing but the hand-over.",
    .data = DataKind::image,
    .parameters = kParameters,
    .simulated = true,
    .mock = true,
    .check = check_images,
};

PartMaker loader_cached_batch_maker() { return part_maker<CachedBatch>(); }

}  // namespace benchbench::parts
