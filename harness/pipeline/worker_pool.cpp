#include "harness/pipeline/worker_pool.h"

#include <fmt/format.h>

namespace benchbench {

class WorkerPool::Worker final : public Job {
 public:
  Worker(const Workshop& shop, WorkerNumber number, const MeterOptions& options)
      : meter(options), clock(options.observer > 0), shop_(shop), number_(number) {}

  // The queue is closed outside the catch: closing may park, and fibers share the exception state
  // of their thread.
  void run() override {
    std::exception_ptr cause;
    try {
      Filler filler(shop_, number_, meter, clock);
      while (filler.fill_one()) {
      }
    } catch (...) {
      cause = std::current_exception();
    }
    if (!cause) return;
    shop_.queue.close(std::move(cause));
    shop_.scheduler.close();
  }

  // The clock runs before the thread does: a worker that starts late has a timeline without a hole.
  void start() {
    clock.enter(WorkerState::handing_over, shop_.runtime);
    task = shop_.runtime.spawn(fmt::format("worker {}", number_), *this);
  }

  ThreadMeter meter;
  WorkerClock clock;
  std::unique_ptr<Task> task;

 private:
  const Workshop& shop_;
  WorkerNumber number_;
};

WorkerPool::WorkerPool(const Workshop& shop, std::uint32_t workers, const MeterOptions& options)
    : shop_(shop) {
  for (WorkerNumber number = 0; number < workers; ++number)
    workers_.push_back(std::make_unique<Worker>(shop, number, options));
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::start() {
  for (auto& worker : workers_) worker->start();
}

void WorkerPool::stop() {
  shop_.scheduler.close();
  for (auto& worker : workers_)
    if (worker->task) worker->task->join();
}

WorkerTimes WorkerPool::times(TimePoint now) const noexcept {
  WorkerTimes sum;
  for (const auto& worker : workers_) sum += worker->clock.times(now);
  return sum;
}

std::vector<WorkerTimes> WorkerPool::each_times(TimePoint now) const {
  std::vector<WorkerTimes> times;
  for (const auto& worker : workers_) times.push_back(worker->clock.times(now));
  return times;
}

MeterTotals WorkerPool::totals() const noexcept {
  MeterTotals sum;
  for (const auto& worker : workers_) sum += worker->meter.totals();
  return sum;
}

Nanoseconds WorkerPool::cpu_time() const {
  Nanoseconds sum{0};
  for (const auto& worker : workers_)
    if (worker->task) sum += worker->task->cpu_time();
  return sum;
}

void WorkerPool::keep_values(bool keep) noexcept {
  for (auto& worker : workers_) worker->meter.keep_values(keep);
}

void WorkerPool::trace(TraceRecorder& recorder) noexcept {
  for (std::uint32_t w = 0; w < size(); ++w) {
    workers_[w]->meter.trace(recorder.worker(w));
    workers_[w]->clock.trace(recorder.worker(w));
  }
}

void WorkerPool::trace_unfinished(TraceRecorder& recorder, TimePoint now) const noexcept {
  for (const auto& worker : workers_) worker->clock.trace_unfinished(recorder, now);
}

const ThreadMeter& WorkerPool::meter(std::uint32_t worker) const noexcept {
  return workers_[worker]->meter;
}

}  // namespace benchbench
