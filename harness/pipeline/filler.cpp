#include "harness/pipeline/filler.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {

Filler::Filler(const Workshop& shop, WorkerNumber number, ThreadMeter& meter, WorkerClock& clock)
    : shop_(shop),
      number_(number),
      meter_(meter),
      clock_(clock),
      worker_(shop.loader.worker(number, shop.runtime)) {
  clock_.enter(WorkerState::handing_over, shop_.runtime);
}

bool Filler::fill_one(bool on_demand) {
  Assignment work;
  if (!shop_.scheduler.take(number_, work, clock_)) return false;
  TimePoint begun = clock_.enter(WorkerState::filling, shop_.runtime);
  try {
    if (on_demand && !clock_.on()) begun = shop_.runtime.now();
    worker_->fill(work.slot->request(work.first, work.rows), meter_);
  } catch (Error& error) {
    error.add_context(fmt::format("worker {}, batch {}", number_, work.slot->batch));
    throw;
  }
  const TimePoint filled = clock_.enter(WorkerState::handing_over, shop_.runtime);
  // acq_rel: who fills the last row hands over what the others wrote.
  if (work.slot->rows_left.fetch_sub(work.rows, std::memory_order_acq_rel) == work.rows) {
    clock_.batch_handed_over();
    if (on_demand) work.slot->made_in = (clock_.on() ? filled : shop_.runtime.now()) - begun;
    work.slot->filling = !on_demand && clock_.on() && work.rows == work.slot->samples
                             ? filled - begun
                             : Nanoseconds{0};
    shop_.queue.put(*work.slot);
  }
  return true;
}

}  // namespace benchbench
