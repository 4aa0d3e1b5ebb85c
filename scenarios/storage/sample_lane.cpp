#include "scenarios/storage/sample_lane.h"

#include <algorithm>

#include "scenarios/storage/passing_meters.h"

namespace benchbench {
namespace {

class ReaderLane final : public SampleLane {
 public:
  ReaderLane(std::unique_ptr<SampleReader> reader, ReadOrder& order, EmulatedStorage* store,
             Runtime& runtime)
      : reader_(std::move(reader)), order_(order), store_(store), runtime_(runtime) {}

  void begin(const BatchRequest&, StageMeter&) override {}
  StoredSample read(const BatchRequest& request, std::size_t i, StageMeter& meter) override {
    const SampleId id = request.samples[i].id;
    if (!store_) return reader_->read(id, request.batch, meter);
    ReadTally tally(meter);
    const StoredSample sample = reader_->read(id, request.batch, tally);
    const StageScope scope(meter, runtime_, request.batch, Stage::read);
    tally.charge(*store_, order_.follows(id, id), runtime_);
    return sample;
  }
  std::string_view done(const BatchRequest&, std::size_t) override { return {}; }

 private:
  std::unique_ptr<SampleReader> reader_;
  ReadOrder& order_;
  EmulatedStorage* store_;
  Runtime& runtime_;
};

}  // namespace

bool ReadOrder::follows(SampleId first, SampleId last) noexcept {
  const SampleId before = before_.exchange(last, std::memory_order_relaxed);
  return !shard_ends_.empty() && before + 1 == first &&
         !std::ranges::binary_search(shard_ends_, first);
}

std::unique_ptr<SampleLane> lane_of_reader(std::unique_ptr<SampleReader> reader, ReadOrder& order,
                                           EmulatedStorage* store, Runtime& runtime) {
  return std::make_unique<ReaderLane>(std::move(reader), order, store, runtime);
}

}  // namespace benchbench
