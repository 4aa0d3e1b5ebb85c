// A loader with workers of its own whose behaviour is known, on either runtime: each batch takes a
// worker a set time.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/lock.h"
#include "harness/part/loader.h"

namespace benchbench::test {

struct SourceBehaviour {
  Nanoseconds fill_time = std::chrono::microseconds{50};
  bool knows_ids = true;
  bool knows_cpu_time = false;
  BatchNumber throw_in = ~BatchNumber{0};
  BatchNumber repeat = ~BatchNumber{0};  // this batch's samples are those of the one before
  BatchNumber short_by_one = ~BatchNumber{0};
  BatchNumber swap = ~BatchNumber{0};  // hands over the one after it first
  BatchNumber slow = ~BatchNumber{0};  // takes `slow_time` longer
  Nanoseconds slow_time{0};
};

// Rows hold their sample's id; a batch given back is overwritten, as an allocator would.
class OwnSource final : public BatchSource {
 public:
  OwnSource(const SourceBehaviour& behaviour, const BatchSpec& spec, const SourceContext& context)
      : behaviour_(behaviour),
        spec_(spec),
        context_(context),
        meters_(context.meters.begin(), context.meters.end()),
        lock_(context.runtime) {
    for (std::uint32_t w = 0; w < context.num_workers; ++w) workers_.emplace_back(*this, w);
  }
  ~OwnSource() override {
    stop();
    given_back_early += static_cast<int>(out_.size());
  }

  SourceBatch next() override {
    if (context_.num_workers == 0) return handed_over(make(context_.requests.next(), 0));
    Guard guard(lock_);
    start();
    while (!ready() && !cause_) trainer_.wait(guard, context_.runtime);
    if (!ready()) {
      const std::exception_ptr cause = cause_;
      guard.release();
      std::rethrow_exception(cause);
    }
    Made made = take();
    issue();
    return handed_over(std::move(made));
  }

  void give_back(const SourceBatch& batch) noexcept override {
    Guard guard(lock_);
    const auto* const made = static_cast<Made*>(batch.handle);
    std::memset(batch.tensors[0].data, 0xff, batch.tensors[0].bytes());
    std::erase_if(out_, [&](const auto& one) { return one.get() == made; });
  }

  void stop() noexcept override {
    {
      Guard guard(lock_);
      closed_ = true;
      idle_.wake_all(context_.runtime);
    }
    for (auto& worker : workers_)
      if (worker.task) worker.task->join();
  }
  std::uint64_t made() const noexcept override { return made_.load(); }
  std::optional<Nanoseconds> cpu_time() const noexcept override {
    if (!behaviour_.knows_cpu_time) return std::nullopt;
    return Nanoseconds{1'000'000};
  }

  // Batches still out as a source ended: for the tests to look at.
  static inline int given_back_early = 0;

 private:
  struct Order {
    std::vector<SampleRef> samples;
    Epoch epoch = 0;
    BatchNumber batch = 0;
  };
  struct Made {
    Order order;
    std::vector<std::int64_t> rows;
    std::vector<SampleId> ids;
  };
  struct Worker final : Job {
    Worker(OwnSource& its_source, std::uint32_t its_number)
        : source(its_source), number(its_number) {}
    void run() override { source.work(number); }
    OwnSource& source;
    std::uint32_t number;
    std::unique_ptr<Task> task;
  };

  void start() {
    if (started_) return;
    started_ = true;
    for (std::uint32_t i = 0; i < context_.max_jobs; ++i) issue();
    for (auto& worker : workers_) worker.task = context_.runtime.spawn("own", worker);
  }
  static Order order_of(const BatchRequest& request) {
    return {{request.samples.begin(), request.samples.end()}, request.epoch, request.batch};
  }
  void issue() {
    orders_.push_back(order_of(context_.requests.next()));
    idle_.wake_one(context_.runtime);
  }

  void work(std::uint32_t number) {
    for (;;) {
      Order order;
      {
        Guard guard(lock_);
        while (!closed_ && orders_.empty()) idle_.wait(guard, context_.runtime);
        if (closed_) return;
        order = std::move(orders_.front());
        orders_.pop_front();
      }
      std::exception_ptr cause;
      Made made;
      try {
        made = make(std::move(order), number);
      } catch (...) {
        cause = std::current_exception();
      }
      Guard guard(lock_);
      if (cause)
        cause_ = cause;
      else
        done_.push_back(std::move(made));
      trainer_.wake_one(context_.runtime);
      if (cause) return;
    }
  }

  Made make(const BatchRequest& request, std::uint32_t worker) {
    return make(order_of(request), worker);
  }
  Made make(Order order, std::uint32_t worker) {
    Made made;
    context_.runtime.spend(
        behaviour_.fill_time +
            (order.batch == behaviour_.slow ? behaviour_.slow_time : Nanoseconds{0}),
        Spend::hybrid);
    meters_[worker]->record(order.batch, Stage::decode, behaviour_.fill_time);
    ++made_;
    if (order.batch == behaviour_.throw_in) throw PartError("the disk is gone");
    const SampleId back = order.batch == behaviour_.repeat ? order.samples.size() : 0;
    for (const SampleRef& sample : order.samples) made.ids.push_back(sample.id - back);
    if (order.batch == behaviour_.short_by_one) made.ids.pop_back();
    made.rows.assign(made.ids.begin(), made.ids.end());
    made.order = std::move(order);
    return made;
  }

  bool ready() const { return due() != done_.end(); }
  std::deque<Made>::const_iterator due() const {
    BatchNumber wanted = next_;
    if (next_ == behaviour_.swap) wanted = next_ + 1;
    if (next_ > 0 && next_ - 1 == behaviour_.swap) wanted = behaviour_.swap;
    if (!context_.in_order) return done_.begin();
    return std::find_if(done_.begin(), done_.end(),
                        [&](const Made& m) { return m.order.batch == wanted; });
  }
  Made take() {
    const auto at = done_.begin() + (due() - done_.cbegin());
    Made made = std::move(*at);
    done_.erase(at);
    ++next_;
    return made;
  }
  SourceBatch handed_over(Made made) {
    Made& kept = *out_.emplace_back(std::make_unique<Made>(std::move(made)));
    SourceBatch batch{.tensors = {},
                      .tensor_count = 1,
                      .samples = kept.ids.size(),
                      .ids = behaviour_.knows_ids ? std::span<const SampleId>(kept.ids)
                                                  : std::span<const SampleId>{},
                      .epoch = kept.order.epoch,
                      .batch = kept.order.batch,
                      .handle = &kept};
    batch.tensors[0] = {.spec = spec_.tensor[0],
                        .rows = static_cast<std::int64_t>(kept.rows.size()),
                        .data = reinterpret_cast<std::byte*>(kept.rows.data())};
    return batch;
  }

  const SourceBehaviour behaviour_;
  const BatchSpec spec_;
  const SourceContext context_;
  const std::vector<StageMeter*> meters_;
  Lock lock_;
  Waiters idle_, trainer_;
  std::deque<Order> orders_;
  std::deque<Made> done_;
  std::vector<std::unique_ptr<Made>> out_;
  std::deque<Worker> workers_;
  BatchNumber next_ = 0;
  bool started_ = false, closed_ = false;
  std::exception_ptr cause_;
  std::atomic<std::uint64_t> made_{0};
};

class SourceLoader final : public Loader {
 public:
  explicit SourceLoader(const SourceBehaviour& behaviour = {}, std::uint64_t samples = 1024)
      : behaviour_(behaviour), samples_(samples) {}
  Layout layout() const override { return {samples_, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "id", .dtype = DType::int64, .row = {}};
    return spec;
  }
  std::unique_ptr<BatchSource> source(const SourceContext& context) override {
    return std::make_unique<OwnSource>(behaviour_, spec(), context);
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    struct Rows final : LoaderWorker {
      void fill(const BatchRequest& request, StageMeter&) override {
        for (std::size_t i = 0; i < request.rows.count(); ++i)
          std::memcpy(request.rows.row(0, i), &request.samples[i].id, sizeof(SampleId));
      }
    };
    return std::make_unique<Rows>();
  }

 private:
  SourceBehaviour behaviour_;
  std::uint64_t samples_;
};

}  // namespace benchbench::test
