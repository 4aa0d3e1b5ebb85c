#include "harness/micro/alone.h"

#include <algorithm>

#include "harness/trial/made_loader.h"

namespace benchbench::micro {
namespace {

// ns a batch or a step, for those that replay
constexpr std::int64_t kTimes[] = {1, 1, 1, 1};

// Rows of the plainest kind, for a loader that hands over what another made.
PrototypeBatch prototype_in(std::vector<std::byte>& rows, std::uint32_t batch_size) {
  PrototypeBatch batch;
  batch.rows = batch_size;
  batch.spec = labelled({.name = "image", .dtype = DType::uint8, .row = {{224, 224, 3}, 3}});
  rows.resize(batch.spec.bytes_per_row() * batch_size);
  batch.data[0] = rows.data();
  batch.data[1] = rows.data() + batch.spec.tensor[0].bytes_per_row() * batch_size;
  return batch;
}

}  // namespace

// The requests of the loader's own workers.
class LoaderAlone::Feed final : public RequestFeed {
 public:
  Feed(EpochStream& stream)
      : stream_(stream), refs_(stream.batch_size()), ids_(stream.batch_size()) {}
  BatchRequest next() override {
    const BatchPlace place = stream_.place(batch_);
    stream_.draw(batch_, refs_, ids_);
    return {.epoch = place.epoch,
            .batch = batch_++,
            .samples = std::span(refs_).first(place.rows),
            .rows = {}};
  }

 private:
  EpochStream& stream_;
  BatchNumber batch_ = 0;
  std::vector<SampleRef> refs_;
  std::vector<SampleId> ids_;
};

LoaderAlone::LoaderAlone(Workbench& bench, const LoaderOrder& order)
    : runtime_(make_real_runtime(std::chrono::microseconds{10})),
      device_(make_cpu_device()),
      batch_size_(order.batch_size),
      prototype_(prototype_in(prototype_rows_, order.batch_size)) {
  loader_ = make_loader({.catalog = bench.catalog(),
                         .use = order.name,
                         .settings = bench.settings(PartKind::loader, order.name, order.given),
                         .dataset = order.dataset,
                         .batch_size = order.batch_size,
                         .num_workers = order.own_workers,
                         .seed = 1,
                         .prototype = &prototype_,
                         .times = kTimes});
  sampler_ = bench.sampler(order.access, loader_->layout(), order.batch_size, 1);
  stream_ = std::make_unique<EpochStream>(*sampler_, order.batch_size, true, 1);
  feed_ = std::make_unique<Feed>(*stream_);
  make_source(order.own_workers);
  if (source_) return;
  slots_ = std::make_unique<SlotRing>(*device_, *runtime_, loader_->spec(), order.batch_size,
                                      order.slots, Memory::host);
  worker_ = loader_->worker(0, *runtime_);
}

void LoaderAlone::make_source(std::uint32_t workers) {
  for (std::uint32_t i = 0; i < std::max(1U, workers); ++i)
    meters_of_source_.push_back(
        meters_.emplace_back(std::make_unique<ThreadMeter>(MeterOptions{.observer = 0})).get());
  source_ = loader_->source({.runtime = *runtime_,
                             .requests = *feed_,
                             .num_workers = workers,
                             .max_jobs = 2 * std::max(1U, workers),
                             .meters = meters_of_source_});
}

LoaderAlone::~LoaderAlone() {
  if (source_) source_->stop();
}

RingSlot& LoaderAlone::filled() {
  RingSlot& slot = slots_->issue();
  const BatchPlace place = stream_->place(next_);
  slot.begin(next_, place);
  stream_->draw(next_++, slot.refs, slot.sample_ids);
  slot.announce(*loader_);
  worker_->fill(slot.request(0, place.rows), *meters_.front());
  return slot;
}

std::uint64_t LoaderAlone::make() {
  if (!source_) return next().samples().value;
  const SourceBatch batch = source_->next();
  source_->give_back(batch);
  return batch.samples;
}

TrainerAlone::TrainerAlone(Workbench& bench, std::string_view name,
                           const DescribedSettings& settings, LoaderAlone& food)
    : food_(food),
      trainer_(bench.trainer(name, {.settings = settings,
                                    .batch = food.loader().spec(),
                                    .batch_size = food.batch_size(),
                                    .runtime = food.runtime(),
                                    .device = food.device(),
                                    .times = kTimes})) {}

void TrainerAlone::step() {
  StepContext context{step_++, meter_};
  trainer_->step(food_.cached(), context);
}

BatchLease LoaderAlone::next() { return slots_->lease(filled()); }

BatchLease LoaderAlone::cached() {
  if (cached_ < slots_->size()) {
    ++cached_;
    return next();
  }
  return slots_->lease(slots_->issue());
}

}  // namespace benchbench::micro
