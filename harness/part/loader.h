// The loader's seam. The harness owns the sampler (which samples, in which order), the workers, the slots and the
// queue; a loader fills rows.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"
#include "harness/part/emulated_storage.h"
#include "harness/part/settings.h"
#include "harness/part/stage_meter.h"
#include "harness/part/tensor.h"

namespace benchbench {

// One sample of a request. `seed` depends on scenario seed, epoch and sample alone: augmentation is the same whichever
// worker does it.
struct SampleRef {
  SampleId id = 0;
  std::uint64_t seed = 0;
};

// The rows of a slot that a request fills. Row i of tensor t starts at row(t, i).
class RowSpan {
 public:
  RowSpan() = default;
  RowSpan(std::span<const TensorView> tensors, std::size_t first, std::size_t count) noexcept
      : tensors_(tensors), first_(first), count_(count) {}
  std::size_t count() const noexcept { return count_; }
  std::size_t first() const noexcept { return first_; }
  std::span<const TensorView> tensors() const noexcept { return tensors_; }
  std::byte* row(std::size_t tensor, std::size_t i) const noexcept {
    const TensorView& t = tensors_[tensor];
    return t.data + (first_ + i) * t.spec.bytes_per_row();
  }

 private:
  std::span<const TensorView> tensors_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

// An order to fill rows: samples.size() == rows.count(). A whole batch, or with work_unit: sample a part of one.
struct BatchRequest {
  Epoch epoch = 0;
  BatchNumber batch = 0;
  std::span<const SampleRef> samples;
  RowSpan rows;
  // When it was issued: a worker that takes it later was at work until then, or on its way. A loader that keeps to a
  // known time counts from here what a wake-up costs. kNotKnown where nobody says.
  TimePoint issued = kNotKnown;
};

using WorkerNumber = std::uint32_t;

// Lives on one thread. fill() writes every row of the request straight into the slot. After a throw it is dead.
class LoaderWorker {
 public:
  virtual ~LoaderWorker() = default;
  virtual void fill(const BatchRequest& request, StageMeter& meter) = 0;
};

// How samples lie on storage: what samplers that care for locality need. Views live as long as the loader.
struct Layout {
  std::uint64_t samples = 0;
  std::span<const std::uint64_t> shard_ends;   // ids < shard_ends[0] are in shard 0, ...; empty: no shards
  std::span<const std::uint32_t> lengths;      // per sample, for bucketing; empty: all alike
};

// The samples of one batch after the other, in order, over all epochs, for ever. One thread at a time.
class RequestFeed {
 public:
  virtual ~RequestFeed() = default;
  // Without rows. Its views live until the next call.
  virtual BatchRequest next() = 0;
};

// A batch in memory of the loader's own.
struct SourceBatch {
  std::array<TensorView, kMaxTensors> tensors{};   // each with rows = samples
  std::uint8_t tensor_count = 0;
  std::uint64_t samples = 0;
  std::span<const SampleId> ids;   // in row order; empty where it does not know: conservation is "not measured" then
  Epoch epoch = 0;
  BatchNumber batch = 0;
  void* handle = nullptr;          // the source's own
};

// What a loader with its own workers is told of the scenario.
struct SourceContext {
  Runtime& runtime;
  RequestFeed& requests;
  std::uint32_t num_workers = 0;
  std::uint32_t max_jobs = 1;
  bool in_order = true;
  bool pin_memory = false;
  std::span<StageMeter* const> meters = {};   // one a worker; without workers one, of the thread that calls next()
};

// A loader's own supply of batches: own workers, own queue, own memory. Takes its first request in the first next().
class BatchSource {
 public:
  virtual ~BatchSource() = default;   // every batch has been given back
  // The next batch; waits for it. Throws what a worker threw; it is dead then. One thread.
  virtual SourceBatch next() = 0;
  // The trainer needs it no longer. Any thread.
  virtual void give_back(const SourceBatch& batch) noexcept = 0;
  // Ends its workers after what they are at; next() is not asked again. Batches handed out stay as they are. Idempotent.
  virtual void stop() noexcept = 0;
  // Batches its workers are done with so far, got or not, and those they died of too. Any thread.
  virtual std::uint64_t made() const noexcept = 0;
  // CPU time of its workers so far; nullopt where it does not know. Any thread.
  virtual std::optional<Nanoseconds> cpu_time() const noexcept { return std::nullopt; }
};

class Loader {
 public:
  virtual ~Loader() = default;
  virtual Layout layout() const = 0;
  virtual BatchSpec spec() const = 0;
  // Labels are below this: what a classifier must be made for. 0 where the loader does not know.
  virtual std::uint32_t classes() const { return 0; }
  // How wide the ragged tensors of a batch of these samples are: extent[0] of their rows, 1..the spec's. 0 where nothing is
  // ragged. Asked once a batch, in request order, before expect(); depends on the samples alone.
  virtual std::uint32_t width_of(std::span<const SampleRef>) const { return 0; }
  // Issued, not yet filled: for reads in flight ahead of decode. Any thread; the request's views live until it is filled.
  virtual void expect(const BatchRequest&) {}
  // The page cache is about to be emptied of the data set, and mapped pages stay in it: maps none. Nobody is in fill(), and
  // every expected request is filled.
  virtual void unmap_pages() {}
  // What people should know of how it works here, found out as it was made ("io_uring, 16 reads in flight"); empty where
  // there is nothing to say. Valid as long as the loader.
  virtual std::string_view note() const { return {}; }
  // Where the loader has workers of its own: it is asked instead of worker(), once, on the trainer's thread. nullptr: the
  // harness's workers do the work. worker() is still asked where no batches are to be supplied: for the batch that mode
  // trainer repeats, and for `verify`.
  virtual std::unique_ptr<BatchSource> source(const SourceContext&) { return nullptr; }
  // Called on the worker's own thread; the loader outlives its workers.
  virtual std::unique_ptr<LoaderWorker> worker(WorkerNumber number, Runtime& runtime) = 0;
};

// Where the data set's bytes are, once made: see part/sample_format.h.
struct DatasetPlace {
  std::string_view format;    // image_folder, tar, hdf5
  std::string_view path;      // folder or file
};

// One batch made before, for loaders that hand over the same batch for ever.
struct PrototypeBatch {
  BatchSpec spec;
  std::uint64_t rows = 0;
  std::array<const std::byte*, kMaxTensors> data{};   // per tensor, rows × bytes_per_row
};

class Catalog;

struct LoaderContext {
  const Settings& settings;           // the loader's own parameters
  DatasetPlace dataset;               // empty for loaders that need none
  std::uint32_t batch_size = 1;
  std::uint32_t num_workers = 0;
  std::uint64_t seed = 0;
  const PrototypeBatch* prototype = nullptr;   // for cached_batch
  const Catalog* catalog = nullptr;            // for loaders that open a sample format
  EmulatedStorage* store = nullptr;                // where dataset.storage plays one: asked after each read
  std::span<const std::int64_t> times = {};    // for replay: ns of each batch, in order; valid as long as the loader
  bool simulated = false;                      // its workers will run in virtual time
};

using LoaderFactory = std::unique_ptr<Loader> (*)(const LoaderContext&);

}  // namespace benchbench
