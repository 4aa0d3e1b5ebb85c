// The loader's seam: everything a loader is asked, and by whom.
//
// The harness owns the order of samples (part/sampler.h), the worker threads, the memory of batches
// and the queue to the trainer. A loader is asked for one thing: to fill rows. In a trial:
//
//   factory            the trial's thread, once; Loader is made
//   layout(), spec()   the trial's thread, before there are workers
//   source()           the trial's thread, once; where it returns a BatchSource, the harness
//                      starts no workers
//   worker()           each worker's own thread, once each; without workers the trial's
//   width_of(), expect(), then fill()   the same threads, for every batch
//   ~LoaderWorker      the same threads; all of them before ~Loader
//
// "The trial's thread" is the one that also steps the trainer. Under the simulated clock all
// threads are fibers of one thread; whatever is said of threads here holds for fibers.
//
// Errors: a loader throws Error (core/error.h), as a rule PartError for what went wrong at work and
// ScenarioError for settings that make no sense with the data. Any exception ends the trial: its
// text becomes the record's reason, after the workers have been ended. One bad sample is no reason
// to throw: see StageMeter::fault().
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"
#include "harness/part/column_names.h"
#include "harness/part/emulated_storage.h"
#include "harness/part/external.h"
#include "harness/part/mock_time.h"
#include "harness/part/settings.h"
#include "harness/part/stage_meter.h"
#include "harness/part/tensor.h"

namespace benchbench {

// One sample of a request. `seed` is a function of the round's seed, the epoch and the sample's id,
// and of nothing else. Whatever is drawn for the sample (crop, flip, ...) is drawn from it alone,
// so that the row is the same whichever worker fills it, and another one in the next epoch.
struct SampleRef {
  SampleId id = 0;
  std::uint64_t seed = 0;
};

// The rows of a slot that one request fills: rows first() to first() + count() - 1 of each tensor.
// A view; the memory is the harness's. Copy it freely; it is valid as long as the request that
// holds it.
class RowSpan {
 public:
  RowSpan() = default;
  // `tensors` must stay where they are as long as the span is used.
  RowSpan(std::span<const TensorView> tensors, std::size_t first, std::size_t count) noexcept
      : tensors_(tensors), first_(first), count_(count) {}
  std::size_t count() const noexcept { return count_; }
  // The first row's place in the batch: 0 where the request is a whole batch.
  std::size_t first() const noexcept { return first_; }
  // The tensors of the whole batch, in the order of Loader::spec(). Of a ragged tensor,
  // spec.row.extent[0] is this batch's width, not the spec's.
  std::span<const TensorView> tensors() const noexcept { return tensors_; }
  // Where row `i` of this span (0 to count() - 1) of tensor `tensor` starts:
  // tensors()[tensor].spec.bytes_per_row() bytes, contiguous, row-major. The bytes behind it are
  // the next row's, perhaps another worker's.
  std::byte* row(std::size_t tensor, std::size_t i) const noexcept {
    const TensorView& t = tensors_[tensor];
    return t.data + (first_ + i) * t.spec.bytes_per_row();
  }

 private:
  std::span<const TensorView> tensors_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

// An order to fill rows: row i of `rows` with sample i of `samples`, samples.size() ==
// rows.count(). A whole batch, or with loader.work_unit: sample a part of one. A batch may hold
// fewer samples than loader.batch_size: the last one of an epoch, where loader.drop_last is false.
struct BatchRequest {
  Epoch epoch = 0;
  BatchNumber batch = 0;  // also the step that stages are billed to: StageMeter::record(batch, ...)
  std::span<const SampleRef> samples;
  RowSpan rows;
  // When it was issued: a worker that takes it later was at work until then, or on its way. A
  // loader that keeps to a known time counts from here what a wake-up costs. kNotKnown where nobody
  // says.
  TimePoint issued = kNotKnown;
};

using WorkerNumber = std::uint32_t;

// What one thread needs to fill rows: file handles, decoders, scratch memory. Made by
// Loader::worker(). One thread at a time has it, so it needs no locks: the one that made it, to its
// end. (With --interference and no workers it is made and destroyed on the trial's thread, and
// fills on another.) What it shares with others belongs to the Loader.
class LoaderWorker {
 public:
  virtual ~LoaderWorker() = default;
  // Writes every byte of every row of the request, straight into the slot, and no byte beside them:
  // the memory holds an older batch's bytes. Returns when the rows are whole; the request and its
  // views are not valid after that.
  //
  // A sample that cannot be read or decoded: write a blank row (the label where it is known, else
  // zeros), tell meter.fault() once, and go on. What is thrown instead ends the trial: it comes out
  // of the trainer's get(), with worker and batch added to an Error's context; the others finish
  // the fill they are in, and the worker that threw is destroyed without another call.
  //
  // Throw for whatever is not known to be that sample's fault: only PartError of a reader says that
  // it is.
  //
  // `meter` is this thread's own, and valid during the call.
  virtual void fill(const BatchRequest& request, StageMeter& meter) = 0;
};

// How samples lie on storage: what orders that care for locality or length need.
struct Layout {
  // Ids are 0 to samples - 1. At least 1.
  std::uint64_t samples = 0;
  // Ascending; ids below shard_ends[0] are in shard 0, and so on; the last is `samples`. Empty: no
  // shards.
  std::span<const std::uint64_t> shard_ends;
  // Of each sample, in elements, for bucketing. Empty: all alike.
  std::span<const std::uint32_t> lengths;
};

// The samples of one batch after the other, in order, over all epochs, for ever. Made by the
// harness for a BatchSource. One thread at a time, not always the same.
class RequestFeed {
 public:
  virtual ~RequestFeed() = default;
  // The next batch's samples: without rows, and with `issued` not known. Its views are valid until
  // the next call. Throws what the sampler throws.
  virtual BatchRequest next() = 0;
};

// A batch in memory of the loader's own, as a BatchSource hands it over. A value: the harness keeps
// a copy until give_back(), and what it points to must live until then.
struct SourceBatch {
  // Laid out as Loader::spec() has them, each with rows = samples.
  std::array<TensorView, kMaxTensors> tensors{};
  std::uint8_t tensor_count = 0;
  std::uint64_t samples = 0;
  // In row order; empty where it does not know: sample accounting is "not measured" then.
  std::span<const SampleId> ids;
  Epoch epoch = 0;  // this and the next: of the request that it answers
  BatchNumber batch = 0;
  void* handle = nullptr;  // the source's own, to know the batch by in give_back()
};

// What a loader with workers of its own is told of the scenario. Valid during the call of
// Loader::source(), the array that `meters` views included; runtime, feed and the meters themselves
// outlive the source.
struct SourceContext {
  Runtime& runtime;
  RequestFeed& requests;
  std::uint32_t num_workers = 0;  // 0: next() itself makes the batch, on the thread that calls it
  std::uint32_t max_jobs = 1;     // batches that may be under way or ready and not got
  bool in_order = true;           // false: batches may come in any order
  bool pin_memory = false;
  std::uint32_t trainer_holds = 0;  // batches that the trainer may keep beside the one in its step
  // One a worker; without workers one, of the thread that calls next().
  std::span<StageMeter* const> meters = {};
};

// A loader's own supply of batches: own workers, own queue, own memory. Made by Loader::source() on
// the trial's thread. It takes its first request in the first next(), not before; one of a loader
// with own_rows() takes none, and numbers its batches from 0 as they come. Destroyed on the trial's
// thread, after stop(), when every batch has been given back; also where next() was never called.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // The next batch; waits for it. One thread: the trial's, or with --interference that which drains
  // it. Throws what a worker threw; it is dead then, and only stop(), give_back(), made() and
  // cpu_time() are called on it. The harness checks number, epoch, samples and tensors of a batch
  // against the request (number, rows and tensors where there are own_rows()), and ends the trial
  // where they disagree.
  virtual SourceBatch next() = 0;
  // The trainer needs it no longer: once for each batch of next(), in any order, also after stop().
  // Any thread.
  virtual void give_back(const SourceBatch& batch) noexcept = 0;
  // Returns when its workers have ended, after what they are at; next() is not asked again. Batches
  // handed out stay as they are. Idempotent. The trial's thread, never during next(); also where
  // next() was never called.
  virtual void stop() noexcept = 0;
  // Batches its workers are done with so far, got or not, and those they died of too: equal to the
  // requests taken when nothing is under way. Any thread.
  virtual std::uint64_t made() const noexcept = 0;
  // CPU time of its workers so far; nullopt where it does not know. Any thread.
  virtual std::optional<Nanoseconds> cpu_time() const noexcept { return std::nullopt; }
};

// What all workers share: the opened data set, settings, tables. Made by the row's LoaderFactory on
// the trial's thread; destroyed there when its workers and its source have ended. Where nothing
// else is said, members are called on the trial's thread, and answer the same every time.
//
// Beside a trial's own loader others of the same row may live in the process: the one that makes
// the batch which mode trainer repeats, and the one that runs beside the trainer with
// --interference. Keep nothing in globals.
class Loader {
 public:
  virtual ~Loader() = default;
  // Views live as long as the loader.
  virtual Layout layout() const = 0;
  // The tensors of a batch, without the batch dimension. Slots are laid out by it once.
  virtual BatchSpec spec() const = 0;
  // Labels are 0 to classes() - 1: what a classifier must be made for. 0 where the loader does not
  // know; the trainer is then made for dataset.synthesize.classes, or for 1000.
  virtual std::uint32_t classes() const { return 0; }
  // The label of a sample, 0 to classes() - 1, which its row holds as well: dataset.keep_by: class
  // chooses by it. nullopt where the loader does not know it before it reads the sample.
  virtual std::optional<std::int64_t> find_label(SampleId) const { return std::nullopt; }
  // How wide the ragged tensors of a batch of these samples are: extent[0] of their rows, 1 to the
  // spec's. 0 where nothing is ragged. Depends on the samples' ids alone. Any thread: in a trial
  // one call at a time, once a batch, in request order and before its expect(); `data --verify`
  // asks from several threads at once. Not asked for batches of a BatchSource.
  virtual std::uint32_t width_of(std::span<const SampleRef>) const { return 0; }
  // The request is to be filled soon: for reads in flight ahead of decode. `request` is the whole
  // batch, also where several workers will share its rows. Its `samples` stay valid until the last
  // of its rows is filled, or the workers have ended: a batch that was expected may never be
  // filled. Any thread, as width_of(); should not wait, since the other workers wait for it
  // meanwhile. What it throws ends the trial as what fill() throws. Not called for batches of a
  // BatchSource.
  virtual void expect(const BatchRequest&) {}
  // The page cache is about to be emptied of the data set, and mapped pages would stay in it:
  // unmaps what is mapped. No worker is in fill(), and every request that was expected is filled;
  // without workers some may be expected and not filled.
  virtual void unmap_pages() {}
  // What people should know of how it works here ("io_uring, 16 reads in flight"); empty where
  // there is nothing to say. Asked once it is made and again when the workers have ended: it may
  // say then what it found out meanwhile. Valid as long as the loader.
  virtual std::string_view note() const { return {}; }
  // Of a mock that is to take a certain time: of all fills of the workers that have ended. Asked
  // when they all have.
  virtual MockTime mock_time() const noexcept { return {}; }
  // Where the loader has workers of its own: asked once, before any worker(). nullptr: the
  // harness's workers do the work. worker() is asked all the same where no batches are to be
  // supplied: for the batch that mode trainer repeats, and for `data --verify`.
  virtual std::unique_ptr<BatchSource> source(const SourceContext&) { return nullptr; }
  // A loader of the same samples that leaves decoding to a device: its tensors are those of spec()
  // with encoded_tensor() in the place of "image", and files_of() says where the bytes are. This
  // loader need not live on. Asked once, before any worker(), where loader.decode.backend is a
  // device's; nullptr of loaders without that setting.
  virtual std::unique_ptr<Loader> leave_decoding() { return nullptr; }
  // Returns, for such a loader, a file for each row of the batch whose rows of encoded_tensor()
  // begin at `rows`; valid until that slot is filled again. On the trial's thread, while workers
  // fill others.
  virtual std::span<const EncodedFile> files_of(const std::byte* rows) const {
    static_cast<void>(rows);
    return {};
  }
  // Not 0 where batches come in an order, in epochs and in sizes of the loader's own: rows that one
  // has at most. There is a source() then, and it takes no requests; no sampler is asked, nothing
  // is accounted for, layout() need not be exact, and worker() fills rows with whatever comes next.
  // Asked once it is made; does not change.
  virtual std::uint32_t own_rows() const noexcept { return 0; }
  // Of a loader in a process of its own, once its source has ended; nullopt for every other.
  virtual std::optional<ExternalResult> external_result() { return std::nullopt; }
  // Called on the worker's own thread, several threads at once; `number` is 0 to num_workers - 1 (0
  // on the trial's thread, where there are no workers). Loader and runtime outlive the worker. What
  // it throws ends the trial as what fill() throws.
  virtual std::unique_ptr<LoaderWorker> worker(WorkerNumber number, Runtime& runtime) = 0;
};

// Where the data set's bytes are, once made: see part/sample_format.h.
struct DatasetPlace {
  std::string_view format;  // a row of the catalogue: image_folder, tar, hdf5; see SampleFormat
  std::string_view path;    // folder or file, as FormatPart::open takes it
  ColumnNames columns = {};
};

// Batches made before, for loaders that hand over the same ones for ever.
struct PrototypeBatch {
  BatchSpec spec;          // of ragged tensors as wide as these batches are
  std::uint64_t rows = 0;  // of each
  std::array<const std::byte*, kMaxTensors> data{};  // per tensor, batches × rows × bytes_per_row
  std::uint64_t batches = 1;
};

class Catalog;

// What a loader is made with. Valid during the factory's call, settings and the text of `dataset`
// included: copy what is needed later. What pointers and spans lead to outlives the loader.
struct LoaderContext {
  const Settings& settings;       // every parameter of its description
  DatasetPlace dataset;           // for loaders whose description says that they need one
  std::uint32_t batch_size = 1;   // samples of a batch, at most
  std::uint32_t num_workers = 0;  // of the harness; 0: the trial's thread fills
  std::uint64_t seed = 0;         // the round's; of a sample's draws see SampleRef
  const PrototypeBatch* prototype = nullptr;  // for cached_batch; null where none was made
  const Catalog* catalog = nullptr;           // for loaders that open a sample format
  // Null, or what dataset.storage plays: to be asked after each read.
  EmulatedStorage* store = nullptr;
  std::span<const std::int64_t> times = {};  // for replay: ns of each batch, in order
  std::uint64_t first_time = 0;              // the one of them that this round's first batch takes
  bool simulated = false;                    // its workers will run in virtual time
  const ExternalTerms* external = nullptr;   // for a loader in a process of its own; null: no terms
};

// Makes a loader, never nullptr. Throws ScenarioError where settings or data do not fit together,
// PartError where the data cannot be opened, DeviceError where this machine lacks what was asked
// for (the trial is then SKIPPED with the reason).
using LoaderFactory = std::unique_ptr<Loader> (*)(const LoaderContext&);

}  // namespace benchbench
