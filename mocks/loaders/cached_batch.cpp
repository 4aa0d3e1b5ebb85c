// One batch for ever: the trainer's side measured without a loader. The batch is one that the
// scenario's own loader made.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "harness/core/error.h"
#include "harness/part/part_maker.h"

namespace benchbench::parts {
namespace {

// The sampler orders a whole epoch at once, so an epoch has a modest length: 1024 batches.
constexpr std::uint64_t kBatchesPerEpoch = 1024;

class CachedBatchWorker final : public LoaderWorker {
 public:
  explicit CachedBatchWorker(const PrototypeBatch& prototype) : prototype_(prototype) {}

  // The harness recycles a handful of slots, so each is written once and handed over as it is ever
  // after: no copy in the steady state, as a loader that has its batch ready would cost nothing.
  void fill(const BatchRequest& request, StageMeter&) override {
    const RowSpan& rows = request.rows;
    if (rows.count() == 0 || rows.tensors().empty()) return;
    std::size_t& written = written_[rows.row(0, 0)];
    if (written >= rows.count()) return;
    for (std::size_t t = 0; t < rows.tensors().size(); ++t) write(rows, t);
    written = rows.count();
  }

 private:
  void write(const RowSpan& rows, std::size_t tensor) const {
    const std::size_t bytes = prototype_.spec.tensor[tensor].bytes_per_row();
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::size_t from = (rows.first() + i) % prototype_.rows;
      std::memcpy(rows.row(tensor, i), prototype_.data[tensor] + from * bytes, bytes);
    }
  }

  const PrototypeBatch& prototype_;
  // First row of a span -> rows written there.
  std::unordered_map<const std::byte*, std::size_t> written_;
};

class CachedBatch final : public Loader {
 public:
  explicit CachedBatch(const LoaderContext& context) {
    if (!context.prototype || context.prototype->rows == 0)
      throw PartError("cached_batch was given no batch to repeat",
                      "cached_batch is for mode trainer, in place of the loader; use a real loader "
                      "or synthetic");
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
        "Repeats one batch, made once by the scenario's own loader: the most the trainer can "
        "consume.",
    .simulated = true,
    .mock = true,
};

PartMaker loader_cached_batch_maker() { return part_maker<CachedBatch>(); }

}  // namespace benchbench::parts
