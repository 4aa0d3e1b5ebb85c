#include "harness/part/device_times.h"

#include <algorithm>

namespace benchbench {

DeviceTimes::UnderWay& DeviceTimes::begin(const StepContext& context, Stage stage) {
  if (spare_.empty()) spare_.push_back({on_->make_event(), on_->make_event()});
  UnderWay& work = under_way_.emplace_back(std::move(spare_.back()));
  spare_.pop_back();
  work.step = context.step;
  work.stage = stage;
  work.meter = &context.meter;
  return work;
}

void DeviceTimes::bill_done() {
  for (; !under_way_.empty() && under_way_.front().end->done(); under_way_.pop_front()) {
    UnderWay& first = under_way_.front();
    first.meter->record_on_device(first.step, first.stage,
                                  std::max(Nanoseconds{0}, on_->between(*first.begin, *first.end)));
    spare_.push_back(std::move(first));
  }
}

}  // namespace benchbench
