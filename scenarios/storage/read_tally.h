// What one sample's read took of the storage, told apart from what came out of it.
#pragma once
#include "harness/core/byte_span.h"
#include "harness/part/emulated_storage.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

// Passes all on to the meter of the thread, and sums the bytes and the time of Stage::read: a
// format's reader may fetch a whole chunk for a sample, nothing for the next one, and inflate in
// between. Of one read.
class ReadTally final : public StageMeter {
 public:
  explicit ReadTally(StageMeter& meter) noexcept : meter_(meter) {}

  // Returns when an emulated storage would have come with what was read.
  void charge(EmulatedStorage& store, bool follows, const Runtime& runtime) const {
    if (bytes_ > 0) store.fetch_since(runtime.now() - reading_, bytes_, follows);
  }

  void record(StepNumber step, Stage stage, Nanoseconds time) override {
    if (stage == Stage::read) reading_ += time;
    if (meter_.stages_wanted()) meter_.record(step, stage, time);
  }
  void payload(SampleId id, ByteSpan stored) override { meter_.payload(id, stored); }
  void bytes_read(std::uint64_t bytes) override {
    bytes_ += bytes;
    meter_.bytes_read(bytes);
  }
  void elements(std::uint64_t of_samples, std::uint64_t padding) override {
    meter_.elements(of_samples, padding);
  }
  void fault(SampleId id, SampleFault kind, std::string_view where,
             std::string_view what) override {
    meter_.fault(id, kind, where, what);
  }
  bool stages_wanted() const noexcept override { return true; }

 private:
  StageMeter& meter_;
  std::uint64_t bytes_ = 0;
  Nanoseconds reading_{0};
};

}  // namespace benchbench
