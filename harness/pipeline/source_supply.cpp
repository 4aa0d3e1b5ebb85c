#include "harness/pipeline/source_supply.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/pipeline/supply.h"

namespace benchbench {

std::unique_ptr<SourceSupply> SourceSupply::of(Loader& loader, EpochStream& stream, Device& device,
                                               Runtime& runtime, const SupplyOptions& options) {
  std::unique_ptr<SourceSupply> supply(new SourceSupply(loader, stream, runtime, options));
  std::vector<StageMeter*> meters;
  for (const auto& meter : supply->meters_) meters.push_back(meter.get());
  supply->source_ = loader.source({.runtime = runtime,
                                   .requests = *supply,
                                   .num_workers = options.num_workers,
                                   .max_jobs = options.max_jobs,
                                   .in_order = options.in_order,
                                   .pin_memory = options.memory == Memory::pinned,
                                   .trainer_holds = options.trainer_holds,
                                   .meters = meters});
  if (!supply->source_) return nullptr;
  // One elsewhere pins by itself.
  if (options.memory != Memory::pinned || loader.own_rows() > 0) return supply;
  supply->pinned_ = std::make_unique<PinnedRoom>(device, loader.spec(), options.batch_size,
                                                 supply->slots_.size());
  if (!supply->on_demand_) supply->meters_.push_back(std::make_unique<ThreadMeter>(options.meters));
  return supply;
}

SourceSupply::SourceSupply(const Loader& loader, EpochStream& stream, Runtime& runtime,
                           const SupplyOptions& options)
    : stream_(stream),
      runtime_(runtime),
      on_demand_(options.num_workers == 0),
      in_order_(options.in_order),
      tensors_(loader.spec().count),
      own_rows_(loader.own_rows()),
      lock_(runtime),
      refs_(options.batch_size),
      ids_(options.batch_size),
      slots_lock_(runtime) {
  for (std::uint32_t i = 0; i < options.trainer_holds + 2; ++i) {
    free_.push_back(slots_.emplace_back(std::make_unique<Leased>()).get());
    slots_.back()->place = i;
  }
  for (std::uint32_t w = 0; w < std::max(1u, options.num_workers); ++w)
    meters_.push_back(std::make_unique<ThreadMeter>(options.meters));
}

BatchRequest SourceSupply::next() {
  Guard guard(lock_);
  const BatchNumber batch = counts_.batches;
  const BatchPlace place = stream_.place(batch);
  stream_.draw(batch, refs_, ids_);
  counts_.add(place);
  return {.epoch = place.epoch,
          .batch = batch,
          .samples = std::span(refs_).first(place.rows),
          .rows = {}};
}

BatchLease SourceSupply::get() {
  Leased& slot = take_slot();
  const TimePoint begun = on_demand_ ? runtime_.now() : TimePoint{};
  slot.from = source_->next();  // where it throws there is no other get
  slot.filled = on_demand_ ? TimePoint{} : kNotKnown;
  slot.tensors = slot.from.tensors;
  slot.tensor_count = slot.from.tensor_count;
  slot.ids = slot.from.ids;
  slot.samples = slot.from.samples;
  slot.epoch = slot.from.epoch;
  slot.batch = slot.from.batch;
  BatchLease lease(slot, *this);
  check(slot.from);
  if (pinned_) pin(slot);
  slot.made_in = on_demand_ ? runtime_.now() - begun : Nanoseconds{0};
  ++got_batches_;
  got_samples_ += slot.samples;
  return lease;
}

void SourceSupply::pin(Leased& slot) {
  const StageScope scope(*meters_.back(), runtime_, slot.batch, Stage::pin);
  pinned_->take(slot, slot.place);
}

// An order of its own has no place in the sampler's.
void SourceSupply::check_own(const SourceBatch& batch) const {
  if (batch.batch != got_batches_)
    throw PartError(fmt::format("the loader delivered batch {} instead of batch {}", batch.batch,
                                got_batches_));
  if (batch.samples == 0 || batch.samples > own_rows_ || batch.tensor_count != tensors_ ||
      !batch.ids.empty())
    throw PartError(fmt::format("batch {} has {} samples in {} tensors; expected 1 to {} in {}",
                                batch.batch, batch.samples, batch.tensor_count, own_rows_,
                                tensors_));
}

// What it can be held to without its ids.
void SourceSupply::check(const SourceBatch& batch) const {
  if (own_rows_ > 0) return check_own(batch);
  const BatchPlace place = stream_.place(batch.batch);
  if (in_order_ && batch.batch != got_batches_)
    throw PartError(fmt::format(
        "the loader delivered batch {} instead of batch {}, although loader.in_order is true",
        batch.batch, got_batches_));
  if (batch.samples != place.rows || batch.epoch != place.epoch || batch.tensor_count != tensors_)
    throw PartError(fmt::format(
        "batch {} has {} samples of epoch {} in {} tensors; expected {} of epoch {} in {}",
        batch.batch, batch.samples, batch.epoch, batch.tensor_count, place.rows, place.epoch,
        tensors_));
}

SourceSupply::Leased& SourceSupply::take_slot() {
  Guard guard(slots_lock_);
  if (free_.empty())
    throw PartError(fmt::format(
        "the trainer keeps {} batches at once, more than its holds() declares", slots_.size()));
  Leased& slot = *free_.back();
  free_.pop_back();
  return slot;
}

void SourceSupply::give_back(BatchSlot& given) noexcept {
  Leased& slot = static_cast<Leased&>(given);
  source_->give_back(slot.from);
  Guard guard(slots_lock_);
  free_.push_back(&slot);
}

RequestCounts SourceSupply::counts() {
  Guard guard(lock_);
  return counts_;
}

Samples SourceSupply::in_flight() {
  const RequestCounts counted = counts();
  return {counted.issued - counted.dropped -
          std::min(counted.issued - counted.dropped, got_samples_)};
}

MeterTotals SourceSupply::totals() const noexcept {
  MeterTotals sum;
  for (const auto& meter : meters_) sum += meter->totals();
  return sum;
}

void SourceSupply::keep_values(bool keep) noexcept {
  for (const auto& meter : meters_) meter->keep_values(keep);
}

void SourceSupply::trace(TraceRecorder& recorder) noexcept {
  for (std::uint32_t w = 0; w < meters(); ++w)
    meters_[w]->trace(on_demand_ || (pinned_ && w + 1 == meters()) ? recorder.trainer()
                                                                   : recorder.worker(w));
}

}  // namespace benchbench
