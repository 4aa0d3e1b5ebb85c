// Meters that pass all calls on to another one, and do one thing more or less.
#pragma once
#include "harness/core/byte_span.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

class PassingMeter : public StageMeter {
 public:
  explicit PassingMeter(StageMeter& meter) noexcept : meter_(meter) {}
  void record(StepNumber step, Stage stage, Nanoseconds time) override {
    meter_.record(step, stage, time);
  }
  void payload(SampleId id, ByteSpan stored) override { meter_.payload(id, stored); }
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

// Sums what is billed to any stage: what is left of a time is then known.
class SummingMeter final : public PassingMeter {
 public:
  using PassingMeter::PassingMeter;
  Nanoseconds sum() const noexcept { return sum_; }
  void record(StepNumber step, Stage stage, Nanoseconds time) override {
    sum_ += time;
    PassingMeter::record(step, stage, time);
  }

 private:
  Nanoseconds sum_{0};
};

// Leaves out the check of content: for samples whose payload is another one's on purpose.
class UncheckedMeter final : public PassingMeter {
 public:
  using PassingMeter::PassingMeter;
  void payload(SampleId, ByteSpan) override {}
};

}  // namespace benchbench
