#include "harness/micro/plain_loop.h"

#include "harness/pipeline/epoch_stream.h"

namespace benchbench::micro {

class PlainLoop::Worker final : public Job {
 public:
  Worker(PlainLoop& loop, WorkerNumber number)
      : loop_(loop), number_(number), meter_(loop.order_.options.meters) {}

  void run() override {
    try {
      fill_batches();
    } catch (...) {
      loop_.order_.runtime.unpark(loop_.done_);  // the cause comes out of join()
      throw;
    }
  }

 private:
  void fill_batches() {
    const auto worker = loop_.order_.loader.worker(number_, loop_.order_.runtime);
    const std::size_t workers = loop_.order_.options.num_workers;
    std::size_t slot = number_;  // its own are number, number + workers, ...
    for (;;) {
      const std::uint64_t batch = loop_.next_.fetch_add(1, std::memory_order_relaxed);
      if (batch >= loop_.samples_.size() ||
          loop_.filled_.load(std::memory_order_relaxed) >= loop_.order_.batches)
        return;
      fill(*worker, batch, *loop_.slots_[slot]);
      slot = slot + workers < loop_.slots_.size() ? slot + workers : number_;
      if (loop_.filled_.fetch_add(1, std::memory_order_acq_rel) + 1 == loop_.order_.batches)
        loop_.order_.runtime.unpark(loop_.done_);
    }
  }

  void fill(LoaderWorker& worker, std::uint64_t batch, const RingSlot& slot) {
    const std::vector<SampleRef>& samples = loop_.samples_[batch];
    worker.fill({.epoch = loop_.epochs_[batch],
                 .batch = batch,
                 .samples = samples,
                 .rows = RowSpan({slot.tensors.data(), slot.tensor_count}, 0, samples.size())},
                meter_);
  }

  PlainLoop& loop_;
  WorkerNumber number_;
  ThreadMeter meter_;
};

// Takes as many slots as the pool has: max_jobs and the one in the trainer's hands.
PlainLoop::PlainLoop(const Order& order)
    : order_(order),
      ring_(order.device, order.runtime, order.loader.spec(), order.options.batch_size,
            order.options.max_jobs + 1, Memory::host) {
  draw_requests();
  while (slots_.size() < ring_.size()) {
    RingSlot& slot = *slots_.emplace_back(&ring_.issue());
    slot.begin(0, {.rows = order_.options.batch_size});
  }
}

void PlainLoop::draw_requests() {
  EpochStream stream(order_.sampler, order_.options.batch_size, true, order_.options.seed);
  // A worker that is ahead goes on with the next batch, so there are a few more than are waited
  // for.
  const std::uint64_t batches = order_.batches + 2 * order_.options.num_workers;
  for (BatchNumber batch = 0; batch < batches; ++batch) {
    const BatchPlace place = stream.place(batch);
    std::vector<SampleRef> refs(place.rows);
    std::vector<SampleId> ids(place.rows);
    stream.draw(batch, refs, ids);
    samples_.push_back(std::move(refs));
    epochs_.push_back(place.epoch);
  }
}

Nanoseconds PlainLoop::run() {
  next_ = 0;
  filled_ = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  for (WorkerNumber i = 0; i < order_.options.num_workers; ++i)
    workers.push_back(std::make_unique<Worker>(*this, i));
  std::vector<std::unique_ptr<Task>> tasks;
  const TimePoint start = order_.runtime.now();
  for (auto& worker : workers) tasks.push_back(order_.runtime.spawn("loop", *worker));
  order_.runtime.park(done_, kForever);
  const Nanoseconds time = order_.runtime.now() - start;
  for (auto& task : tasks) task->join();
  return time;
}

}  // namespace benchbench::micro
