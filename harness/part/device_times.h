// How long a device takes for work that takes as long as it takes: by events around it, read once
// they are done.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "harness/part/trainer.h"

namespace benchbench {

// One thread.
class DeviceTimes {
 public:
  // nullptr: never called.
  explicit DeviceTimes(Accelerator* on) noexcept : on_(on) {}

  // Calls `enqueue`, which puts work on the step's stream. Its time on the device is billed to
  // `stage` as soon as it is known: in a later call, or in finish(). From the event before it to
  // the one behind it: its launch too, where the device was idle.
  template <class Enqueue>
  void around(StepContext& context, Stage stage, const Enqueue& enqueue) {
    bill_done();
    if (!context.meter.stages_wanted()) return enqueue();
    UnderWay& work = begin(context, stage);
    on_->record(*work.begin, *context.stream);
    enqueue();
    on_->record(*work.end, *context.stream);
  }
  // Once nothing is under way on the stream.
  void finish() { bill_done(); }

 private:
  struct UnderWay {
    std::unique_ptr<DeviceEvent> begin, end;
    StepNumber step = 0;
    Stage stage = Stage::forward;
    StageMeter* meter = nullptr;
  };
  UnderWay& begin(const StepContext& context, Stage stage);
  void bill_done();

  Accelerator* const on_;
  std::deque<UnderWay> under_way_;  // in the order of their steps
  std::vector<UnderWay> spare_;
};

}  // namespace benchbench
