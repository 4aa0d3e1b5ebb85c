// libtorch's own loader, torch::data's DataLoader, as a source of batches: its threads, its queues,
// its memory. Samples, draws and order are those of every other loader.
//
// What is to be known of torch::data: leaving an epoch early makes its next begin() throw, so there
// is one epoch that never ends; max_jobs(0) with workers crashes, and any other without workers
// draws requests that nobody fills; an error of a worker takes a batch out of its window for good,
// so that the first one ends it; workers do not keep operations from taking every core.
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/data/dataloader/stateless.h>
#include <torch/data/transforms/stack.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/loaders/torch_examples.h"

// Defined by the OpenMP that torch came with.
extern "C" void omp_set_num_threads(int) __attribute__((weak));

namespace benchbench {
namespace {

// Inside a catch: what is torch's or the library's becomes ours.
[[noreturn]] void throw_as_ours(const std::string& doing) {
  std::string text = doing + ": ";
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& e) {
    text += e.what_without_backtrace();
  } catch (const std::bad_alloc&) {
    text += "out of memory";
  } catch (const std::exception& e) {
    text += e.what();
  } catch (...) {
    text += "an exception of unknown type";
  }
  throw PartError(text);
}

// The calling thread's operations stay on it. at::set_num_threads() would take the trainer's
// threads too.
void use_one_thread_here() {
  // Sets this thread up, which it would else do later, with torch's own number.
  at::get_num_threads();
  if (omp_set_num_threads) omp_set_num_threads(1);
}

struct Request {
  std::vector<SampleRef> samples;
  Epoch epoch = 0;
  BatchNumber batch = 0;
  std::size_t size() const noexcept { return samples.size(); }
};

struct Collated {
  at::Tensor data, target;
  std::vector<SampleId> ids;
  Epoch epoch = 0;
  BatchNumber batch = 0;
};

// torch::data's sampler: the requests of the harness, without an end.
class FeedSampler {
 public:
  using BatchRequestType = Request;
  explicit FeedSampler(RequestFeed& feed) : feed_(&feed) {}
  void reset() {}
  std::optional<Request> next(std::size_t) {
    const BatchRequest batch_request = feed_->next();
    return Request{{batch_request.samples.begin(), batch_request.samples.end()},
                   batch_request.epoch,
                   batch_request.batch};
  }

 private:
  RequestFeed* feed_;
};

// What the source and its workers share.
struct Shared {
  ExampleSet& examples;
  Runtime& runtime;
  std::vector<StageMeter*> meters;
  bool own_threads;
  std::vector<std::atomic<std::int64_t>> cpu_ns;  // of each worker
  std::atomic<std::uint32_t> workers{0};          // that have begun
  std::atomic<std::uint64_t> made{0};
};

class Worker {
 public:
  Worker(Shared& shared, std::uint32_t number) : shared_(shared), number_(number) {
    if (shared_.own_threads) use_one_thread_here();
    maker_ = shared_.examples.maker(shared_.runtime);
  }

  Collated make(const Request& request) {
    struct Count {
      Worker& worker;
      ~Count() { worker.count(); }
    } const count{*this};
    try {
      return batch_of(request);
    } catch (Error& error) {
      error.add_context("worker " + std::to_string(number_) + ", batch " +
                        std::to_string(request.batch));
      throw;
    } catch (...) {
      throw_as_ours("worker " + std::to_string(number_) + ", batch " +
                    std::to_string(request.batch));
    }
  }

 private:
  Collated batch_of(const Request& request) {
    StageMeter& meter = *shared_.meters[number_];
    Collated batch{
        .data = {}, .target = {}, .ids = {}, .epoch = request.epoch, .batch = request.batch};
    batch.ids.reserve(request.size());
    for (const SampleRef& sample : request.samples) batch.ids.push_back(sample.id);
    batch.data = shared_.examples.stand_in(request.size());
    if (batch.data.defined()) return batch;
    std::vector<torch::data::Example<>> examples;
    examples.reserve(request.size());
    for (const SampleRef& sample : request.samples) {
      TorchExample made = maker_->make(sample, request.batch, meter);
      examples.emplace_back(std::move(made.data), at::scalar_tensor(made.label, at::kLong));
    }
    const StageScope scope(meter, shared_.runtime, request.batch, Stage::collate);
    torch::data::Example<> stacked =
        torch::data::transforms::Stack<>().apply_batch(std::move(examples));
    batch.data = std::move(stacked.data);
    batch.target = std::move(stacked.target);
    return batch;
  }
  void count() noexcept {
    shared_.cpu_ns[number_].store(shared_.runtime.thread_cpu_time().count(),
                                  std::memory_order_relaxed);
    shared_.made.fetch_add(1, std::memory_order_release);
  }

  Shared& shared_;
  std::uint32_t number_;
  std::unique_ptr<ExampleMaker> maker_;
};

// torch::data copies it into each of its threads, where it makes what it needs on first use, and
// asks again after a failure: a thread keeps the number that it once drew.
class Examples {
 public:
  using BatchType = Collated;
  explicit Examples(Shared& shared) : shared_(&shared) {}
  Collated get_batch(const Request& request) {
    if (!worker_) worker_ = made();
    return worker_->make(request);
  }

 private:
  std::shared_ptr<Worker> made() {
    if (!number_) number_ = shared_->workers.fetch_add(1);
    try {
      if (*number_ >= shared_->cpu_ns.size() || *number_ >= shared_->meters.size())
        throw PartError("torch::data started more threads than requested");
      return std::make_shared<Worker>(*shared_, *number_);
    } catch (Error& error) {
      shared_->made.fetch_add(1, std::memory_order_release);
      error.add_context("making worker " + std::to_string(*number_));
      throw;
    } catch (...) {
      shared_->made.fetch_add(1, std::memory_order_release);
      throw_as_ours("making worker " + std::to_string(*number_));
    }
  }

  Shared* shared_;
  std::optional<std::uint32_t> number_;
  std::shared_ptr<Worker> worker_;
};

class TorchSource final : public BatchSource {
 public:
  TorchSource(ExampleSet& examples, const SourceContext& context)
      : spec_(examples.spec()),
        workers_(context.num_workers),
        max_jobs_(std::max(1u, context.max_jobs)),
        in_order_(context.in_order),
        feed_(context.requests),
        shared_{
            .examples = examples,
            .runtime = context.runtime,
            .meters = {context.meters.begin(), context.meters.end()},
            .own_threads = context.num_workers > 0,
            .cpu_ns = std::vector<std::atomic<std::int64_t>>(std::max(1u, context.num_workers))} {}
  ~TorchSource() override { stop(); }

  SourceBatch next() override {
    try {
      begin_or_advance();
      return handed_over(std::make_unique<Collated>(std::move(**at_)));
    } catch (const torch::data::WorkerException& e) {
      cause_ = e.original_exception;
    } catch (...) {
      throw_as_ours("torch::data");
    }
    std::rethrow_exception(cause_);  // ours, as Worker made it
  }

  void give_back(const SourceBatch& batch) noexcept override {
    delete static_cast<Collated*>(batch.handle);
  }

  void stop() noexcept override {
    if (!loader_) return;
    try {
      loader_->join();
    } catch (...) {  // of a result that is thrown away
    }
  }
  std::uint64_t made() const noexcept override {
    return shared_.made.load(std::memory_order_acquire);
  }
  std::optional<Nanoseconds> cpu_time() const noexcept override {
    Nanoseconds sum{0};
    for (const auto& ns : shared_.cpu_ns) sum += Nanoseconds{ns.load(std::memory_order_relaxed)};
    return sum;
  }

 private:
  using Loader = torch::data::StatelessDataLoader<Examples, FeedSampler>;

  void begin_or_advance() {
    if (loader_) {
      ++*at_;
      return;
    }
    auto options = torch::data::DataLoaderOptions().workers(workers_).enforce_ordering(in_order_);
    options.max_jobs(workers_ > 0 ? max_jobs_ : 0);
    loader_ = std::make_unique<Loader>(Examples(shared_), FeedSampler(feed_), options);
    at_.emplace(loader_->begin());
  }

  SourceBatch handed_over(std::unique_ptr<Collated> made) noexcept {
    SourceBatch batch{.tensors = {},
                      .tensor_count = spec_.count,
                      .samples = made->ids.size(),
                      .ids = made->ids,
                      .epoch = made->epoch,
                      .batch = made->batch};
    const at::Tensor* const tensors[] = {&made->data, &made->target};
    for (std::uint8_t t = 0; t < spec_.count; ++t)
      batch.tensors[t] = {.spec = spec_.tensor[t],
                          .rows = static_cast<std::int64_t>(batch.samples),
                          .data = static_cast<std::byte*>(tensors[t]->mutable_data_ptr())};
    batch.handle = made.release();
    return batch;
  }

  const BatchSpec spec_;
  const std::uint32_t workers_, max_jobs_;
  const bool in_order_;
  RequestFeed& feed_;
  Shared shared_;
  std::exception_ptr cause_;
  std::unique_ptr<Loader> loader_;
  std::optional<torch::data::Iterator<Collated>> at_;
};

// The same examples one by one, where somebody else has the rows.
class RowWorker final : public LoaderWorker {
 public:
  RowWorker(ExampleSet& examples, Runtime& runtime) : maker_(examples.maker(runtime)) {}
  void fill(const BatchRequest& batch_request, StageMeter& meter) override {
    try {
      for (std::size_t i = 0; i < batch_request.samples.size(); ++i) {
        const TorchExample made =
            maker_->make(batch_request.samples[i], batch_request.batch, meter);
        std::memcpy(batch_request.rows.row(0, i), made.data.const_data_ptr(),
                    batch_request.rows.tensors()[0].spec.bytes_per_row());
        if (batch_request.rows.tensors().size() > 1)
          std::memcpy(batch_request.rows.row(1, i), &made.label, sizeof made.label);
      }
    } catch (...) {
      throw_as_ours("making a batch");
    }
  }

 private:
  std::unique_ptr<ExampleMaker> maker_;
};

class TorchLoader final : public Loader {
 public:
  explicit TorchLoader(std::unique_ptr<ExampleSet> examples) : examples_(std::move(examples)) {}
  Layout layout() const override { return examples_->layout(); }
  BatchSpec spec() const override { return examples_->spec(); }
  std::uint32_t classes() const override { return examples_->classes(); }
  std::optional<std::int64_t> find_label(SampleId id) const override {
    return examples_->find_label(id);
  }
  std::string_view note() const override { return "torch::data's threads, queues and memory"; }
  std::unique_ptr<BatchSource> source(const SourceContext& context) override {
    return std::make_unique<TorchSource>(*examples_, context);
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    try {
      return std::make_unique<RowWorker>(*examples_, runtime);
    } catch (...) {
      throw_as_ours("making a worker");
    }
  }

 private:
  std::unique_ptr<ExampleSet> examples_;
};

template <std::unique_ptr<ExampleSet> (*make_examples)(const LoaderContext&)>
PartMaker maker_of() {
  return {.loader = [](const LoaderContext& context) -> std::unique_ptr<Loader> {
    try {
      return std::make_unique<TorchLoader>(make_examples(context));
    } catch (...) {
      throw_as_ours("making the loader");
    }
  }};
}

}  // namespace

namespace parts {

PartMaker loader_libtorch_maker() { return maker_of<stored_examples>(); }
PartMaker loader_libtorch_mock_maker() { return maker_of<mock_examples>(); }

}  // namespace parts
}  // namespace benchbench
