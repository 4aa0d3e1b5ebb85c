#include "harness/pipeline/supply.h"

#include <algorithm>

namespace benchbench {
namespace {

// Saves the reading of a clock where a batch is ready.
constexpr TimePoint kAtOnce = TimePoint::min();

std::uint32_t slots_needed(const SupplyOptions& options) {
  return options.max_jobs + options.trainer_holds + 1;  // and one in step()
}

}  // namespace

// The clock stands in `handing_over` outside of fills; only its `filling` is a worker's.
struct Supply::Inline {
  explicit Inline(const MeterOptions& options) : meter(options), clock(options.observer > 0) {}
  ThreadMeter meter;
  WorkerClock clock;
  std::unique_ptr<Filler> filler;
};

SupplyOptions supply_options(const LoaderSettings& o, std::uint64_t seed,
                             std::uint32_t trainer_holds, const MeterOptions& meters) {
  return {.num_workers = o.num_workers,
          .batch_size = o.batch_size,
          .max_jobs = o.max_jobs,
          .in_order = o.in_order,
          .drop_last = o.drop_last,
          .dispatch = o.dispatch,
          .work_unit = o.work_unit,
          .seed = seed,
          .trainer_holds = trainer_holds,
          .memory = o.pin_memory ? Memory::pinned : Memory::host,
          .meters = meters};
}

Supply::Supply(const SupplyOptions& options, Loader& loader, Sampler& sampler, Device& device,
               Runtime& runtime)
    : runtime_(runtime),
      stream_(sampler, options.batch_size, options.drop_last && loader.own_rows() == 0,
              options.seed),
      source_(SourceSupply::of(loader, stream_, device, runtime, options)),
      slots_(device, runtime, loader.spec(), options.batch_size,
             source_ ? 0 : slots_needed(options),
             // A loader with rows of its own decides itself whether its batches are pinned.
             loader.own_rows() > 0 ? Memory::host : options.memory,
             options.num_workers > 0 || options.trainer_holds > 0),
      scheduler_({runtime, stream_, slots_, loader}, options.max_jobs, options.dispatch,
                 options.num_workers == 0 ? WorkUnit::batch : options.work_unit,
                 options.num_workers),
      queue_(runtime, options.max_jobs, options.in_order, options.meters.observer > 0 && !source_,
             options.num_workers > 0),
      shop_{runtime, loader, scheduler_, queue_},
      pool_(shop_, source_ ? 0 : options.num_workers, options.meters) {
  if (options.num_workers == 0 && !source_) inline_ = std::make_unique<Inline>(options.meters);
}

Supply::~Supply() { stop(); }

void Supply::start() {
  if (source_) return;  // it starts with the first get()
  scheduler_.open();
  if (inline_) inline_->filler = std::make_unique<Filler>(shop_, 0, inline_->meter, inline_->clock);
  pool_.start();
}

BatchLease Supply::get(const Interruption& interruption) {
  if (source_) {
    interruption.check(runtime_.now());
    return source_->get();
  }
  if (inline_) inline_->filler->fill_one(true);
  RingSlot* slot = queue_.get(kAtOnce);
  while (!slot) {
    interruption.check(runtime_.now());
    slot = queue_.get(interruption.next_check(runtime_));
  }
  stay_ += slot->got_at - slot->ready_at;
  BatchLease lease = slots_.lease(*slot);
  scheduler_.got(*slot);
  return lease;
}

void Supply::stop() {
  if (source_) source_->stop();
  pool_.stop();
  queue_.close(nullptr);
  if (inline_) inline_->filler.reset();  // as the pool's workers have ended
}

bool Supply::all_filled() {
  if (source_) return source_->made() == source_->counts().batches;
  return inline_ || queue_.closed() ||
         pool_.times(runtime_.now()).batches == scheduler_.counts().batches;
}

QueueFacts Supply::queue_facts() const noexcept {
  const TimePoint now = runtime_.now();
  QueueFacts facts = queue_.facts(now);
  if (facts.seen_ns > 0) facts.stay_ns = (stay_ + slots_.stay_of_ready(now)).count();
  return facts;
}

Samples Supply::in_flight() const {
  if (source_) return source_->in_flight();
  return slots_.samples_in(SlotState::issued) + slots_.samples_in(SlotState::ready);
}

bool Supply::half_filled() const noexcept {
  bool any = false;
  slots_.for_each(SlotState::issued, [&](const RingSlot& slot) { any = any || slot.next_row > 0; });
  return any;
}

WorkerTimes Supply::times(TimePoint now) const noexcept {
  if (source_) {
    WorkerTimes times;
    times.batches = source_->made();
    return times;
  }
  if (!inline_) return pool_.times(now);
  WorkerTimes times = inline_->clock.times(now);
  times.queue_ns = times.slot_wait_ns = 0;
  return times;
}

MeterTotals Supply::totals() const noexcept {
  if (source_) return source_->totals();
  return inline_ ? inline_->meter.totals() : pool_.totals();
}

std::optional<Nanoseconds> Supply::cpu_time() const {
  if (inline_) return std::nullopt;
  if (source_) return source_->cpu_time();
  return pool_.cpu_time();
}

void Supply::keep_values(bool keep) noexcept {
  if (source_) source_->keep_values(keep);
  if (inline_) inline_->meter.keep_values(keep);
  pool_.keep_values(keep);
}

void Supply::trace(TraceRecorder& recorder) noexcept {
  if (source_) source_->trace(recorder);
  queue_.trace(recorder.queue());
  pool_.trace(recorder);
  if (!inline_) return;
  inline_->meter.trace(recorder.trainer());
  inline_->clock.trace(recorder.trainer());
}

const ThreadMeter& Supply::meter(std::uint32_t worker) const noexcept {
  if (source_) return source_->meter(worker);
  return inline_ ? inline_->meter : pool_.meter(worker);
}

}  // namespace benchbench
