// The endless stream of epochs, cut into batches.
#pragma once
#include <span>
#include <vector>

#include "harness/part/sampler.h"

namespace benchbench {

// Where a batch lies in the stream.
struct BatchPlace {
  Epoch epoch = 0;
  std::uint32_t rows = 0;
  std::uint64_t first = 0;  // position of its first sample in the epoch's order
  // Samples that drop_last leaves out after it: on an epoch's last batch only.
  std::uint32_t tail = 0;
};

// Batch b of the stream, over all epochs: epoch e begins with batch e × batches_per_epoch(). There
// is no gap between epochs, and no state but the order of the epoch drawn last.
class EpochStream {
 public:
  // Throws PartError where drop_last would leave an epoch without any batch. `sampler` must outlive
  // the stream.
  EpochStream(Sampler& sampler, std::uint32_t batch_size, bool drop_last, std::uint64_t seed);

  std::uint64_t batches_per_epoch() const noexcept { return batches_; }
  std::uint64_t samples_per_epoch() const noexcept { return samples_; }  // the tail included
  std::uint32_t batch_size() const noexcept { return batch_size_; }
  // Pure arithmetic; any thread.
  BatchPlace place(BatchNumber batch) const noexcept;
  // Writes the samples of a batch, place(batch).rows of them. Cheap where batches are asked for in
  // order: an epoch's order is made when its first batch is drawn. One thread at a time.
  void draw(BatchNumber batch, std::span<SampleRef> refs, std::span<SampleId> ids);

 private:
  Sampler& sampler_;
  std::uint32_t batch_size_;
  std::uint64_t seed_;
  std::uint64_t samples_;
  std::uint64_t batches_;
  std::uint32_t tail_ = 0;
  Epoch epoch_ = ~Epoch{0};  // the one that `order_` holds; none yet
  std::vector<SampleId> order_;
};

}  // namespace benchbench
