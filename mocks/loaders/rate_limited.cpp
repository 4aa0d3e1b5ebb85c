// A loader that delivers at a set rate and not a sample faster: a link, a quota, a service with a
// limit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "harness/part/part_maker.h"
#include "mocks/loaders/image_loader.h"
#include "mocks/service_time.h"
#include "mocks/shared_lock.h"

namespace benchbench::parts {
namespace {

constexpr std::array kOwnParameters = {
    Parameter{"rate", ParameterType::rate, "1000/s", "Samples per second of all workers together.",
              1e-3, 1e9},
    Parameter{"burst", ParameterType::integer, "1",
              "Batches that may be delivered in a burst after a pause, as far as the rate would "
              "have made them in the meantime.",
              0, 1e6},
    kWaitParameter,
};
constexpr auto kParameters = joined(kImageParameters, kOwnParameters);
constexpr Stage kStages[] = {Stage::read};

// Absolute due times, one a request, shared by all workers: open loop, so that a worker which comes
// late changes nothing. The n-th sample since the schedule began is due n / rate later. Where
// nobody asked for a while, the schedule begins anew as if `burst` batches of it had been kept:
// over any stretch of time no more samples come than rate × time + burst. Times are whole
// nanoseconds and do not drift, since samples are counted.
class RateSchedule {
 public:
  RateSchedule(double rate, std::uint64_t burst_samples)
      : ns_per_sample_(1e9 / rate), burst_samples_(burst_samples) {}

  // When the next `samples` are due.
  TimePoint next(std::uint64_t samples, Runtime& runtime) {
    Guard guard(lock_.on(runtime));
    const TimePoint now = runtime.now();
    const TimePoint earliest = now - time_of(burst_samples_);
    if (!begun_ || due() < earliest) {
      begin_ = begun_ ? earliest : now;
      given_ = 0;
      begun_ = true;
    }
    given_ += samples;
    return due();
  }

 private:
  Nanoseconds time_of(std::uint64_t samples) const noexcept {
    return Nanoseconds{std::llround(static_cast<double>(samples) * ns_per_sample_)};
  }
  TimePoint due() const noexcept { return begin_ + time_of(given_); }

  double ns_per_sample_;
  std::uint64_t burst_samples_;
  SharedLock lock_;
  bool begun_ = false;  // this and below: guarded
  TimePoint begin_{};
  std::uint64_t given_ = 0;
};

// Of the batch that the scenario's own loader made, where there is one, again and again; else
// made-up images.
class LimitedImages {
 public:
  explicit LimitedImages(const LoaderContext& context)
      : made_(context), written_(!context.simulated) {
    if (context.prototype && context.prototype->rows > 0) prototype_ = *context.prototype;
  }
  Layout layout() const noexcept {
    return prototype_ ? Layout{prototype_->rows * kBatchesPerEpoch, {}, {}} : made_.layout();
  }
  const BatchSpec& spec() const noexcept { return prototype_ ? prototype_->spec : made_.spec(); }
  std::uint32_t classes() const noexcept { return made_.classes(); }
  void write(const BatchRequest& request) const {
    if (!prototype_) return made_.write(request);
    for (std::size_t t = 0; written_ && t < request.rows.tensors().size(); ++t)
      repeat(request.rows, t);
  }

 private:
  static constexpr std::uint64_t kBatchesPerEpoch = 1024;
  void repeat(const RowSpan& rows, std::size_t tensor) const {
    const std::size_t bytes = prototype_->spec.tensor[tensor].bytes_per_row();
    for (std::size_t i = 0; i < rows.count(); ++i)
      std::memcpy(rows.row(tensor, i),
                  prototype_->data[tensor] + (rows.first() + i) % prototype_->rows * bytes, bytes);
  }

  MadeImages made_;
  bool written_;
  std::optional<PrototypeBatch> prototype_;
};

struct LimitedWork {
  explicit LimitedWork(const LoaderContext& context)
      : images(context),
        schedule(
            context.settings.rate("rate"),
            static_cast<std::uint64_t>(context.settings.integer("burst")) * context.batch_size),
        spend(spend_from(context.settings)) {}
  LimitedImages images;
  RateSchedule schedule;
  Spend spend;
};

class LimitedWorker final : public LoaderWorker {
 public:
  LimitedWorker(LimitedWork& work, Runtime& runtime) : work_(work), runtime_(runtime) {}
  void fill(const BatchRequest& request, StageMeter& meter) override {
    const StageScope scope(meter, runtime_, request.batch, Stage::read);
    const TimePoint due = work_.schedule.next(request.samples.size(), runtime_);
    work_.images.write(request);
    runtime_.spend_until(due, work_.spend);
  }

 private:
  LimitedWork& work_;
  Runtime& runtime_;
};

}  // namespace

extern const PartDescription loader_rate_limited_description{
    .kind = PartKind::loader,
    .name = "rate_limited",
    .summary =
        "Delivers synthetic images, or a batch of the scenario's own loader again and again, at a "
        "given rate, regardless of the number of workers: open loop, with a bounded burst after a "
        "pause.",
    .data = DataKind::image,
    .parameters = kParameters,
    .stages = kStages,
    .simulated = true,
    .mock = true,
    .check = check_images,
};

PartMaker loader_rate_limited_maker() {
  return part_maker<ImageLoader<LimitedWork, LimitedWorker>>();
}

}  // namespace benchbench::parts
