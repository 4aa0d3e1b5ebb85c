// A meter for work that is nobody's: samples read before the trial.
#pragma once
#include "harness/part/stage_meter.h"

namespace benchbench {

class DeafMeter final : public StageMeter {
 public:
  void record(StepNumber, Stage, Nanoseconds) override {}
  void payload(SampleId, std::span<const std::byte>) override {}
  void bytes_read(std::uint64_t) override {}
  void fault(SampleId, SampleFault, std::string_view, std::string_view) override {}
  bool stages_wanted() const noexcept override { return false; }
};

}  // namespace benchbench
