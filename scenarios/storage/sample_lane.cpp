#include "scenarios/storage/sample_lane.h"

#include <algorithm>

#include "scenarios/storage/passing_meters.h"

namespace benchbench {
namespace {

// Counts what one sample's read took of the storage, apart from what came out of it. Sums the
// bytes and the time of Stage::read, since a format's reader may fetch a whole chunk for a sample,
// nothing for the next one, and inflate in between. Of one read.
class ReadTally final : public PassingMeter {
 public:
  using PassingMeter::PassingMeter;

  // Returns when an emulated storage would have come with what was read.
  void charge(EmulatedStorage& store, bool follows, const Runtime& runtime) const {
    if (bytes_ > 0) store.fetch_since(runtime.now() - reading_, bytes_, follows);
  }

  void record(StepNumber step, Stage stage, Nanoseconds time) override {
    if (stage == Stage::read) reading_ += time;
    if (PassingMeter::stages_wanted()) PassingMeter::record(step, stage, time);
  }
  void bytes_read(std::uint64_t bytes) override {
    bytes_ += bytes;
    PassingMeter::bytes_read(bytes);
  }
  bool stages_wanted() const noexcept override { return true; }

 private:
  std::uint64_t bytes_ = 0;
  Nanoseconds reading_{0};
};

class EmulatedReader final : public SampleReader {
 public:
  EmulatedReader(std::unique_ptr<SampleReader> reader, ReadOrder& order, EmulatedStorage& store,
                 Runtime& runtime)
      : reader_(std::move(reader)), order_(order), store_(store), runtime_(runtime) {}

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    ReadTally tally(meter);
    const StoredSample sample = reader_->read(id, step, tally);
    const StageScope scope(meter, runtime_, step, Stage::read);
    tally.charge(store_, order_.follows(id, id), runtime_);
    return sample;
  }

 private:
  std::unique_ptr<SampleReader> reader_;
  ReadOrder& order_;
  EmulatedStorage& store_;
  Runtime& runtime_;
};

class ReaderLane final : public SampleLane {
 public:
  explicit ReaderLane(std::unique_ptr<SampleReader> reader) : reader_(std::move(reader)) {}

  void begin(const BatchRequest&, StageMeter&) override {}
  StoredSample read(const BatchRequest& request, std::size_t i, StageMeter& meter) override {
    return reader_->read(request.samples[i].id, request.batch, meter);
  }
  std::string_view done(const BatchRequest&, std::size_t) override { return {}; }

 private:
  std::unique_ptr<SampleReader> reader_;
};

}  // namespace

bool ReadOrder::follows(SampleId first, SampleId last) noexcept {
  const SampleId before = before_.exchange(last, std::memory_order_relaxed);
  return !shard_ends_.empty() && before + 1 == first &&
         !std::ranges::binary_search(shard_ends_, first);
}

std::unique_ptr<SampleReader> emulate_storage(std::unique_ptr<SampleReader> reader,
                                              ReadOrder& order, EmulatedStorage* store,
                                              Runtime& runtime) {
  if (!store) return reader;
  return std::make_unique<EmulatedReader>(std::move(reader), order, *store, runtime);
}

std::unique_ptr<SampleLane> lane_of_reader(std::unique_ptr<SampleReader> reader, ReadOrder& order,
                                           EmulatedStorage* store, Runtime& runtime) {
  return std::make_unique<ReaderLane>(emulate_storage(std::move(reader), order, store, runtime));
}

}  // namespace benchbench
