// The meter of work that is nobody's.
#pragma once
#include "harness/part/stage_meter.h"

namespace benchbench {

// Forgets what it is told, and asks for no stages. A meter that counts one thing derives from it
// and overrides that. As every meter, of one thread.
class NullMeter : public StageMeter {
 public:
  void record(StepNumber, Stage, Nanoseconds) override {}
  void payload(SampleId, std::span<const std::byte>) override {}
  void bytes_read(std::uint64_t) override {}
  void fault(SampleId, SampleFault, std::string_view, std::string_view) override {}
  bool stages_wanted() const noexcept override { return false; }
};

}  // namespace benchbench
