// A loader of the catalogue as the harness makes it, and rows in memory to fill.
#pragma once
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "harness/core/random.h"
#include "harness/pipeline/supply.h"
#include "tests/contract/parts/data_sets.h"
#include "tests/hang.h"

namespace benchbench::test {

inline constexpr std::uint32_t kBatch = 4;
inline constexpr std::uint64_t kSeed = 11;

// Runs `body` as the first fiber of a simulated runtime; what it throws comes out.
inline void in_virtual_time(const std::function<void(Runtime&)>& body) {
  struct Body final : Job {
    void run() override {
      try {
        (*call)(*runtime);
      } catch (...) {
        cause = std::current_exception();
      }
    }
    const std::function<void(Runtime&)>* call = nullptr;
    Runtime* runtime = nullptr;
    std::exception_ptr cause;
  } job;
  const auto runtime = make_simulated_runtime();
  job.call = &body;
  job.runtime = runtime.get();
  runtime->run(job);
  if (job.cause) std::rethrow_exception(job.cause);
}

// Adds up what one thread meters, and what is wrong with how it does.
class RecordingMeter final : public StageMeter {
 public:
  void record(StepNumber step, Stage stage, Nanoseconds time) override {
    see();
    const auto s = static_cast<std::size_t>(stage);
    ++counts[s];
    sum += time;
    negative |= time.count() < 0;
    other_step |= step != billed_to;
  }
  void payload(SampleId, std::span<const std::byte>) override { see(); }
  void bytes_read(std::uint64_t bytes) override {
    see();
    read_bytes += bytes;
  }
  void fault(SampleId id, SampleFault, std::string_view, std::string_view) override {
    see();
    faults.push_back(id);
  }
  bool stages_wanted() const noexcept override { return true; }

  StepNumber billed_to = 0;  // the step of all stages
  std::array<std::uint64_t, kStages> counts{};
  Nanoseconds sum{0};
  std::uint64_t read_bytes = 0;
  std::vector<SampleId> faults;
  bool negative = false, other_step = false, other_thread = false;

 private:
  void see() { other_thread |= std::this_thread::get_id() != thread_; }
  std::thread::id thread_ = std::this_thread::get_id();
};

// A batch of another loader's that `cached_batch` repeats: images and labels.
class Prototype {
 public:
  Prototype() {
    batch_.rows = kBatch;
    batch_.spec.count = 2;
    batch_.spec.tensor[0] = {.name = "image", .dtype = DType::uint8, .row = {{12, 10, 3}, 3}};
    batch_.spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
    images_.resize(kBatch * batch_.spec.tensor[0].bytes_per_row());
    Random random(3);
    for (std::byte& b : images_) b = static_cast<std::byte>(random.next());
    batch_.data = {images_.data(), reinterpret_cast<const std::byte*>(labels_)};
  }
  const PrototypeBatch& batch() const noexcept { return batch_; }

 private:
  PrototypeBatch batch_;
  std::vector<std::byte> images_;
  std::int64_t labels_[kBatch] = {3, 1, 4, 2};
};

struct LoaderOrder {
  const PartRow& row;
  Food food = Food::none;
  std::string_view format = {};  // the first that holds such data
  std::uint32_t workers = 0;
  const PartSettings* settings = nullptr;  // else all defaults, small
  const Catalog* catalog = nullptr;        // else the build's own
  EmulatedStorage* store = nullptr;
  bool simulated = false;
};

class MadeLoader {
 public:
  explicit MadeLoader(const LoaderOrder& order) : settings_(*order.row.description) {
    const DatasetPlace place = order.food == Food::none ? DatasetPlace{}
                               : order.format.empty()
                                   ? DataSets::all().of(order.food)
                                   : DataSets::all().in(order.format, order.food);
    const Catalog& catalog = order.catalog ? *order.catalog : built_in_catalog();
    loader_ =
        catalog.maker(PartKind::loader, order.row.description->name)
            .loader({.settings = (order.settings ? *order.settings : settings_).view(),
                     .dataset = order.catalog ? DatasetPlace{"unreadable", place.path} : place,
                     .batch_size = kBatch,
                     .num_workers = order.workers,
                     .seed = kSeed,
                     .prototype = &prototype_.batch(),
                     .catalog = &catalog,
                     .store = order.store,
                     .times = kTimes,
                     .simulated = order.simulated});
  }
  Loader& loader() const noexcept { return *loader_; }
  Loader* operator->() const noexcept { return loader_.get(); }

 private:
  static constexpr std::int64_t kTimes[] = {1000, 3000, 2000};
  Prototype prototype_;
  PartSettings settings_;
  std::unique_ptr<Loader> loader_;
};

// Tests what `use` says with each kind of data that the loader reads; the sum of what it looked at.
template <class Use>
Verdict with_each_food(const PartRow& row, Use use) {
  std::uint64_t looked = 0;
  for (const Food food : foods_of(*row.description)) {
    INFO("of " << name_of(food));
    const std::uint64_t here = use(food);
    CHECK(here > 0);
    looked += here;
  }
  return looked_at(looked);
}

inline bool any_ragged(const BatchSpec& spec) {
  return std::ranges::any_of(spec.tensors(), &TensorSpec::ragged);
}

// Memory for `rows` rows of each tensor, poisoned.
class Rows {
 public:
  Rows(const BatchSpec& spec, std::size_t rows, std::byte poison)
      : count_(spec.count), poison_(poison) {
    for (std::size_t t = 0; t < count_; ++t) {
      // 64 bytes behind the last row are no row's.
      memory_[t].assign(rows * spec.tensor[t].bytes_per_row() + 64, poison);
      views_[t] = {.spec = spec.tensor[t],
                   .rows = static_cast<std::int64_t>(rows),
                   .data = memory_[t].data()};
    }
  }
  Rows(const Rows&) = delete;
  // Of the ragged tensors; 0 where there are none.
  void narrow_to(std::uint32_t width) {
    for (TensorView& view : std::span(views_).first(count_))
      if (view.spec.ragged && width > 0) view.spec.row.extent[0] = width;
  }
  RowSpan span(std::size_t first, std::size_t count) const {
    return {{views_.data(), count_}, first, count};
  }
  std::size_t tensors() const noexcept { return count_; }
  std::span<const std::byte> of(std::size_t tensor, std::size_t first, std::size_t count) const {
    const std::size_t bytes = views_[tensor].spec.bytes_per_row();
    return std::span(memory_[tensor]).subspan(first * bytes, count * bytes);
  }
  // All but those rows is as it was.
  bool untouched_but(std::size_t first, std::size_t count) const {
    for (std::size_t t = 0; t < count_; ++t) {
      const std::size_t bytes = views_[t].spec.bytes_per_row();
      const std::span<const std::byte> all(memory_[t]);
      const auto whole = [&](std::span<const std::byte> part) {
        return std::ranges::all_of(part, [&](std::byte b) { return b == poison_; });
      };
      if (!whole(all.first(first * bytes)) || !whole(all.subspan((first + count) * bytes)))
        return false;
    }
    return true;
  }
  const TensorView& view(std::size_t tensor) const { return views_[tensor]; }

 private:
  std::array<std::vector<std::byte>, kMaxTensors> memory_;
  std::array<TensorView, kMaxTensors> views_{};
  std::size_t count_;
  std::byte poison_;
};

inline bool same_bytes(const Rows& a, std::size_t a_first, const Rows& b, std::size_t b_first,
                       std::size_t count) {
  for (std::size_t t = 0; t < a.tensors(); ++t)
    if (!std::ranges::equal(a.of(t, a_first, count), b.of(t, b_first, count))) return false;
  return true;
}

inline std::vector<SampleRef> samples_from(SampleId first, std::size_t count,
                                           std::uint64_t seed = kSeed) {
  std::vector<SampleRef> refs;
  for (SampleId id = first; id < first + count; ++id) refs.push_back({id, mix_seed(seed, id)});
  return refs;
}

// Fills rows of `rows` from `first` on as the harness asks for them.
inline void fill(Loader& loader, LoaderWorker& worker, std::span<const SampleRef> refs, Rows& rows,
                 std::size_t first, RecordingMeter& meter, BatchNumber batch = 0) {
  rows.narrow_to(loader.width_of(refs));
  const BatchRequest request{
      .epoch = 0, .batch = batch, .samples = refs, .rows = rows.span(first, refs.size())};
  meter.billed_to = batch;
  loader.expect(request);
  worker.fill(request, meter);
}

// A supply of the loader's batches over the sampler `random`, as a trial has it, on real threads or
// in virtual time.
class Line {
 public:
  struct Order {
    std::uint32_t workers = 1;
    bool in_order = true;
    std::uint32_t trainer_holds = 0;
  };
  Line(Loader& loader, Runtime& runtime, const Order& order)
      : runtime_(runtime),
        sampler_(sampler_of(loader)),
        sampler_again_(sampler_of(loader)),
        stream_(*sampler_again_, kBatch, false, kSeed),
        supply_({.num_workers = order.workers,
                 .batch_size = kBatch,
                 .max_jobs = std::max(2u, 2 * order.workers),
                 .in_order = order.in_order,
                 .drop_last = false,
                 .seed = kSeed,
                 .trainer_holds = order.trainer_holds,
                 .meters = {}},
                loader, *sampler_, *device_, runtime) {}

  Supply& supply() noexcept { return supply_; }
  // A worker that died without a word would leave the trainer waiting: it is told so in the end.
  BatchLease get() { return supply_.get({&never_, runtime_.now() + kPatience, kPatience}); }
  const EpochStream& stream() const noexcept { return stream_; }
  // What the batch is to be made of.
  std::vector<SampleRef> refs_of(BatchNumber batch) {
    std::vector<SampleRef> refs(kBatch);
    std::vector<SampleId> ids(kBatch);
    stream_.draw(batch, refs, ids);
    refs.resize(stream_.place(batch).rows);
    return refs;
  }
  static constexpr std::string_view kOutOfPatience = "timed out";

 private:
  static constexpr Nanoseconds kPatience = kHang;
  static std::unique_ptr<Sampler> sampler_of(const Loader& loader) {
    static const PartSettings settings(
        *built_in_catalog().find(PartKind::sampler, "random")->description);
    return built_in_catalog()
        .maker(PartKind::sampler, "random")
        .sampler({.layout = loader.layout(),
                  .seed = kSeed,
                  .batch_size = kBatch,
                  .settings = settings.view()});
  }

  Runtime& runtime_;
  std::atomic<bool> never_{false};
  std::unique_ptr<Device> device_ = make_cpu_device();
  std::unique_ptr<Sampler> sampler_, sampler_again_;
  EpochStream stream_;
  Supply supply_;
};

// Asked after each read; spends virtual time where it is given some.
class CountingStorage final : public EmulatedStorage {
 public:
  explicit CountingStorage(Runtime* runtime = nullptr) : runtime_(runtime) {}
  void fetch(std::uint64_t bytes, bool) override {
    bytes_.fetch_add(bytes);
    if (runtime_) runtime_->spend(std::chrono::milliseconds{1}, Spend::sleep);
  }
  std::uint64_t bytes() const noexcept { return bytes_.load(); }

 private:
  Runtime* runtime_;
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace benchbench::test
