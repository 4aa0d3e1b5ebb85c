#include "harness/pipeline/epoch_stream.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace benchbench {

EpochStream::EpochStream(Sampler& sampler, std::uint32_t batch_size, bool drop_last,
                         std::uint64_t seed)
    : sampler_(sampler),
      batch_size_(batch_size),
      seed_(seed),
      samples_(sampler.samples_per_epoch()) {
  if (batch_size == 0) throw PartError("loader.batch_size is 0");
  batches_ = drop_last ? samples_ / batch_size : (samples_ + batch_size - 1) / batch_size;
  if (drop_last) tail_ = static_cast<std::uint32_t>(samples_ % batch_size);
  if (batches_ == 0)
    throw PartError(
        fmt::format("an epoch of {} samples has no full batch of {}, and loader.drop_last is true",
                    samples_, batch_size),
        "use more samples, a smaller loader.batch_size, or loader.drop_last: false");
}

BatchPlace EpochStream::place(BatchNumber batch) const noexcept {
  const std::uint64_t index = batch % batches_;
  BatchPlace place{
      .epoch = batch / batches_, .rows = batch_size_, .first = index * batch_size_, .tail = 0};
  if (index + 1 == batches_) {
    place.tail = tail_;
    place.rows =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(batch_size_, samples_ - place.first));
  }
  return place;
}

void EpochStream::draw(BatchNumber batch, std::span<SampleRef> refs, std::span<SampleId> ids) {
  const BatchPlace at = place(batch);
  if (at.epoch != epoch_) {
    // Not before: of a loader with an order of its own none is drawn, and there may be 10^10
    // samples.
    order_.resize(samples_);
    sampler_.begin(at.epoch, order_);
    epoch_ = at.epoch;
  }
  const std::uint64_t epoch_seed = mix_seed(seed_, at.epoch);
  for (std::uint32_t i = 0; i < at.rows; ++i) {
    const SampleId id = order_[at.first + i];
    ids[i] = id;
    refs[i] = {.id = id, .seed = mix_seed(epoch_seed, id)};
  }
}

}  // namespace benchbench
