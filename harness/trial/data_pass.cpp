#include "harness/trial/data_pass.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/lock.h"
#include "harness/pipeline/device_memory.h"
#include "harness/pipeline/epoch_stream.h"
#include "harness/record/resolved_settings.h"
#include "harness/trial/made_loader.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kTellEvery = std::chrono::milliseconds{100};

// Rows for one batch, of a worker's own.
class Rows {
 public:
  Rows(Device& device, const BatchSpec& spec, std::uint32_t rows)
      : memory_(device, spec.bytes_per_row() * rows, Memory::host), count_(spec.count) {
    std::byte* at = memory_.data();
    for (std::uint8_t t = 0; t < spec.count; ++t) {
      tensors_[t] = {.spec = spec.tensor[t], .rows = static_cast<std::int64_t>(rows), .data = at};
      at += tensors_[t].bytes();
    }
  }
  // Of the ragged tensors of the batch to come; 0 where there are none.
  void set_width(std::uint32_t width) noexcept {
    if (width == 0) return;
    for (TensorView& tensor : std::span(tensors_).first(count_))
      if (tensor.spec.ragged) tensor.spec.row.extent[0] = width;
  }
  RowSpan span(std::size_t rows) const noexcept { return {{tensors_.data(), count_}, 0, rows}; }

 private:
  const DeviceMemory memory_;
  std::uint8_t count_;
  std::array<TensorView, kMaxTensors> tensors_{};
};

// Compares the labels of a worker's rows with those expected. Nothing where a batch has none
// (tokens).
class LabelCheck {
 public:
  LabelCheck(const BatchSpec& spec, const ExpectedLabel& expected) : expected_(expected) {
    for (std::uint8_t t = 0; t < spec.count; ++t)
      if (std::string_view(spec.tensor[t].name) == "label" && spec.tensor[t].dtype == DType::int64)
        tensor_ = t;
  }
  void check(const BatchRequest& request) {
    if (!tensor_ || !expected_) return;
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      std::int64_t found;
      std::memcpy(&found, request.rows.row(*tensor_, i), sizeof found);
      compare(request.samples[i].id, found);
    }
  }
  std::uint64_t wrong() const noexcept { return wrong_; }
  const std::vector<FaultySample>& faults() const noexcept { return faults_; }

 private:
  void compare(SampleId id, std::int64_t found) {
    const std::optional<std::int64_t> expected = expected_(id);
    if (!expected || *expected == found) return;
    ++wrong_;
    keep_fault(faults_, {id, FaultKind::label, "",
                         fmt::format("the label is {}, the manifest has {}", found, *expected)});
  }

  const ExpectedLabel& expected_;
  std::optional<std::uint8_t> tensor_;
  std::uint64_t wrong_ = 0;
  std::vector<FaultySample> faults_;
};

// What the workers share: the epoch's batches, handed out one after the other.
class Epoch0 {
 public:
  Epoch0(Sampler& sampler, std::uint32_t batch, std::uint64_t seed, std::uint64_t samples,
         Runtime& runtime, const std::atomic<bool>* stop)
      : stream_(sampler, batch, false, seed), lock_(runtime), stop_(stop), times_(samples, 0) {}

  std::uint32_t batch_size() const noexcept { return stream_.batch_size(); }
  std::uint64_t samples_to_come() const noexcept { return stream_.samples_per_epoch(); }

  // Fills `refs`, `ids` with the next batch; 0 rows at the end, or once it was ended.
  std::uint32_t take(BatchNumber& number, std::vector<SampleRef>& refs,
                     std::vector<SampleId>& ids) {
    Guard guard(lock_);
    if (ended_ || next_ == stream_.batches_per_epoch() || (stop_ && stop_->load())) return 0;
    number = next_++;
    stream_.draw(number, refs, ids);
    const std::uint32_t rows = stream_.place(number).rows;
    for (std::uint32_t i = 0; i < rows; ++i)
      if (ids[i] < times_.size())
        times_[ids[i]] += times_[ids[i]] < 2;
      else
        ++foreign_;
    return rows;
  }
  void end(std::exception_ptr cause) {
    Guard guard(lock_);
    if (!ended_) cause_ = std::move(cause);
    ended_ = true;
  }
  std::exception_ptr cause() const noexcept { return cause_; }
  std::uint64_t seen() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(times_, [](auto n) { return n > 0; }));
  }
  std::uint64_t duplicated() const {
    return foreign_ +
           static_cast<std::uint64_t>(std::ranges::count_if(times_, [](auto n) { return n > 1; }));
  }

 private:
  EpochStream stream_;
  Lock lock_;
  const std::atomic<bool>* stop_;
  std::vector<std::uint8_t> times_;
  std::uint64_t foreign_ = 0;
  BatchNumber next_ = 0;
  bool ended_ = false;
  std::exception_ptr cause_;
};

class PassWorker final : public Job {
 public:
  PassWorker(WorkerNumber number, Loader& loader, Epoch0& epoch, Device& device, Runtime& runtime,
             const MeterOptions& meter, const ExpectedLabel& expected_label)
      : number_(number),
        loader_(loader),
        epoch_(epoch),
        runtime_(runtime),
        meter_(meter),
        labels_(loader.spec(), expected_label),
        rows_(device, loader.spec(), epoch.batch_size()) {}

  // The epoch is ended outside the catch: its lock may park, and fibers share the exception state
  // of their thread.
  void run() override {
    std::exception_ptr cause;
    try {
      const auto worker = loader_.worker(number_, runtime_);
      std::vector<SampleRef> refs(epoch_.batch_size());
      std::vector<SampleId> ids(epoch_.batch_size());
      BatchNumber batch = 0;
      while (const std::uint32_t count = epoch_.take(batch, refs, ids)) {
        rows_.set_width(loader_.width_of({refs.data(), count}));
        const BatchRequest request{
            .epoch = 0, .batch = batch, .samples = {refs.data(), count}, .rows = rows_.span(count)};
        loader_.expect(request);
        worker->fill(request, meter_);
        labels_.check(request);
        done_.fetch_add(count, std::memory_order_relaxed);
      }
    } catch (...) {
      cause = std::current_exception();
    }
    if (cause) epoch_.end(std::move(cause));
    finished_.store(true, std::memory_order_release);
  }
  bool finished() const noexcept { return finished_.load(std::memory_order_acquire); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  const ThreadMeter& meter() const noexcept { return meter_; }
  const LabelCheck& labels() const noexcept { return labels_; }

 private:
  WorkerNumber number_;
  Loader& loader_;
  Epoch0& epoch_;
  Runtime& runtime_;
  ThreadMeter meter_;
  LabelCheck labels_;
  Rows rows_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> finished_{false};
};

using Workers = std::vector<std::unique_ptr<PassWorker>>;

void tell(const Workers& workers, const Epoch0& epoch, const PassProgress& progress) {
  std::uint64_t done = 0, bytes = 0;
  for (const auto& w : workers) done += w->done(), bytes += w->meter().totals().payload_bytes;
  if (progress) progress(done, epoch.samples_to_come(), bytes);
}

void run_all(const Workers& workers, const Epoch0& epoch, Runtime& runtime,
             const PassProgress& progress) {
  std::vector<std::unique_ptr<Task>> tasks;
  for (const auto& w : workers) tasks.push_back(runtime.spawn("verify", *w));
  while (!std::ranges::all_of(workers, [](const auto& w) { return w->finished(); })) {
    runtime.spend(kTellEvery / 5, Spend::sleep);
    tell(workers, epoch, progress);
  }
  for (auto& task : tasks) task->join();
}

// Takes from the archive what it shows when it is opened: its labels, and what it did not read.
void look_at_archive(const ExecutorContext& context, DataPass& pass) {
  const DatasetPlace& place = context.dataset;
  if (place.format.empty()) return;
  const auto archive = context.catalog.maker(PartKind::sample_format, place.format)
                           .format.open(place.path, place.columns);
  pass.remark = archive->remark();
  if (archive->payload().data == DataKind::tokens) return;
  pass.classes = archive->classes();
  std::unordered_set<std::int64_t> met;
  for (SampleId id = 0; id < archive->layout().samples; ++id) met.insert(archive->label_of(id));
  pass.labels_met = static_cast<std::uint32_t>(met.size());
}

}  // namespace

DataPass pass_over_data(const SettingsMap& settings, const ExecutorContext& context,
                        Runtime& runtime, const PassProgress& progress) {
  const ResolvedSettings resolved = resolve(settings);
  const LoaderSettings& o = resolved.loader;
  const RoundSeeds seeds = seeds_of(resolved, 0);
  const auto device = make_cpu_device();
  const PrefixedSettings own(settings, "loader.");
  const std::uint32_t workers = std::max(1u, o.num_workers);
  // No emulated storage: it takes time and proves nothing.
  const LoaderOrder order{.catalog = context.catalog,
                          .use = o.use,
                          .settings = own,
                          .dataset = context.dataset,
                          .batch_size = o.batch_size,
                          .num_workers = workers,
                          .seed = seeds.loader,
                          .times = context.loader_times,
                          .simulated = runtime.simulated()};
  const auto loader = make_loader(order);
  const auto sampler = make_sampler(order, {.access = o.access, .seed = seeds.order}, *loader);
  DataPass pass;
  pass.samples = loader->layout().samples;
  pass.workers = workers;
  const TimePoint begin = runtime.now();
  Epoch0 epoch(*sampler,
               static_cast<std::uint32_t>(
                   std::min<std::uint64_t>(o.batch_size, std::max<std::uint64_t>(1, pass.samples))),
               seeds.loader, pass.samples, runtime, context.stop);
  const MeterOptions meter{0, 1, &context.expected_digest};
  Workers all;
  for (WorkerNumber w = 0; w < workers; ++w)
    all.push_back(std::make_unique<PassWorker>(w, *loader, epoch, *device, runtime, meter,
                                               context.expected_label));
  run_all(all, epoch, runtime, progress);
  if (epoch.cause()) std::rethrow_exception(epoch.cause());
  if (context.stop && context.stop->load())
    throw InterruptedError("stopped before all samples were read");
  pass.seconds = to_seconds(runtime.now() - begin);
  pass.seen = epoch.seen();
  pass.duplicated = epoch.duplicated();
  for (const auto& w : all) {
    pass.totals += w->meter().totals();
    pass.labels_wrong += w->labels().wrong();
    for (const FaultySample& f : w->meter().faults()) keep_fault(pass.faults, f);
    for (const FaultySample& f : w->labels().faults()) keep_fault(pass.faults, f);
  }
  std::ranges::sort(pass.faults, {}, &FaultySample::id);
  look_at_archive(context, pass);
  return pass;
}

}  // namespace benchbench
