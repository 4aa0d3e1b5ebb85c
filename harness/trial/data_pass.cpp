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
#include "harness/pipeline/epoch_stream.h"
#include "harness/pipeline/slot_ring.h"
#include "harness/record/resolved_settings.h"
#include "harness/trial/made_loader.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kTellEvery = std::chrono::milliseconds{100};

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

  // Draws the next batch into the slot; false at the end, or once it was ended.
  bool take(RingSlot& slot) {
    Guard guard(lock_);
    if (ended_ || next_ == stream_.batches_per_epoch() || (stop_ && stop_->load())) return false;
    slot.begin(next_, stream_.place(next_));
    stream_.draw(next_++, slot.refs, slot.sample_ids);
    for (const SampleId id : slot.ids)
      if (id < times_.size())
        times_[id] += times_[id] < 2;
      else
        ++foreign_;
    return true;
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

// The parts that the workers use; all of them outlive the workers.
struct PassParts {
  Loader& loader;
  Epoch0& epoch;
  Device& device;
  Runtime& runtime;
};

class PassWorker final : public Job {
 public:
  PassWorker(WorkerNumber number, const PassParts& parts, const MeterOptions& meter,
             const ExpectedLabel& expected_label)
      : number_(number),
        parts_(parts),
        meter_(meter),
        labels_(parts.loader.spec(), expected_label),
        slots_(parts.device, parts.runtime, parts.loader.spec(), parts.epoch.batch_size(), 1,
               Memory::host, false) {}

  // The epoch is ended outside the catch: its lock may park, and fibers share the exception state
  // of their thread.
  void run() override {
    std::exception_ptr cause;
    try {
      fill_batches();
    } catch (...) {
      cause = std::current_exception();
    }
    if (cause) parts_.epoch.end(std::move(cause));
    finished_.store(true, std::memory_order_release);
  }
  bool finished() const noexcept { return finished_.load(std::memory_order_acquire); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  const ThreadMeter& meter() const noexcept { return meter_; }
  const LabelCheck& labels() const noexcept { return labels_; }

 private:
  void fill_batches() {
    const auto worker = parts_.loader.worker(number_, parts_.runtime);
    RingSlot& slot = slots_.issue();
    slot.issued = kNotKnown;
    while (parts_.epoch.take(slot)) {
      slot.announce(parts_.loader);
      const BatchRequest request = slot.request(0, static_cast<std::uint32_t>(slot.samples));
      worker->fill(request, meter_);
      labels_.check(request);
      done_.fetch_add(slot.samples, std::memory_order_relaxed);
    }
  }

  WorkerNumber number_;
  const PassParts& parts_;
  ThreadMeter meter_;
  LabelCheck labels_;
  SlotRing slots_;  // one, for its rows
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

void add_findings(const Workers& workers, DataPass& pass) {
  for (const auto& w : workers) {
    pass.totals += w->meter().totals();
    pass.labels_wrong += w->labels().wrong();
    for (const FaultySample& f : w->meter().faults()) keep_fault(pass.faults, f);
    for (const FaultySample& f : w->labels().faults()) keep_fault(pass.faults, f);
  }
  std::ranges::sort(pass.faults, {}, &FaultySample::id);
}

// Gives every sample to the workers once. Throws what one of them died of, InterruptedError on a
// stop.
void pass_over_epoch(const PassParts& parts, const ExecutorContext& context,
                     const PassProgress& progress, DataPass& pass) {
  const TimePoint begin = parts.runtime.now();
  const MeterOptions meter{0, 1, &context.expected_digest};
  Workers all;
  for (WorkerNumber w = 0; w < pass.workers; ++w)
    all.push_back(std::make_unique<PassWorker>(w, parts, meter, context.expected_label));
  run_all(all, parts.epoch, parts.runtime, progress);
  if (parts.epoch.cause()) std::rethrow_exception(parts.epoch.cause());
  if (context.stop && context.stop->load())
    throw InterruptedError("stopped before all samples were read");
  pass.seconds = to_seconds(parts.runtime.now() - begin);
  pass.seen = parts.epoch.seen();
  pass.duplicated = parts.epoch.duplicated();
  add_findings(all, pass);
}

std::uint32_t count_labels(const SampleArchive& archive) {
  std::unordered_set<std::int64_t> met;
  for (SampleId id = 0; id < archive.layout().samples; ++id) met.insert(archive.label_of(id));
  return static_cast<std::uint32_t>(met.size());
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
  pass.labels_met = count_labels(*archive);
}

}  // namespace

DataPass pass_over_data(const SettingsMap& settings, const ExecutorContext& context,
                        Runtime& runtime, const PassProgress& progress) {
  const ResolvedSettings resolved = resolve(settings);
  const LoaderSettings& o = resolved.loader;
  const RoundSeeds seeds = seeds_of(resolved, 0);
  const auto device = make_cpu_device();
  const PrefixedSettings own(settings, "loader.");
  DataPass pass;
  pass.workers = std::max(1u, o.num_workers);
  // No emulated storage: it takes time and proves nothing.
  const LoaderOrder order{.catalog = context.catalog,
                          .use = o.use,
                          .settings = own,
                          .dataset = context.dataset,
                          .batch_size = o.batch_size,
                          .num_workers = pass.workers,
                          .seed = seeds.loader,
                          .times = context.loader_times,
                          .simulated = runtime.simulated()};
  const auto loader = make_loader(order);
  const auto sampler = make_sampler(order, {.access = o.access, .seed = seeds.order}, *loader);
  pass.samples = loader->layout().samples;
  Epoch0 epoch(*sampler,
               static_cast<std::uint32_t>(
                   std::min<std::uint64_t>(o.batch_size, std::max<std::uint64_t>(1, pass.samples))),
               seeds.loader, pass.samples, runtime, context.stop);
  pass_over_epoch({*loader, epoch, *device, runtime}, context, progress, pass);
  look_at_archive(context, pass);
  return pass;
}

}  // namespace benchbench
