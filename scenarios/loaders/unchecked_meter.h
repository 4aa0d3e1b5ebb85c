// Another meter without the check of content: for samples whose payload is another one's on
// purpose.
#pragma once
#include "harness/part/stage_meter.h"

namespace benchbench {

class UncheckedMeter final : public StageMeter {
 public:
  explicit UncheckedMeter(StageMeter& meter) noexcept : meter_(meter) {}
  void record(StepNumber step, Stage stage, Nanoseconds time) override {
    meter_.record(step, stage, time);
  }
  void payload(SampleId, std::span<const std::byte>) override {}
  void bytes_read(std::uint64_t bytes) override { meter_.bytes_read(bytes); }
  void elements(std::uint64_t of_samples, std::uint64_t padding) override {
    meter_.elements(of_samples, padding);
  }
  void fault(SampleId id, SampleFault kind, std::string_view where,
             std::string_view what) override {
    meter_.fault(id, kind, where, what);
  }
  bool stages_wanted() const noexcept override { return meter_.stages_wanted(); }

 private:
  StageMeter& meter_;
};

}  // namespace benchbench
