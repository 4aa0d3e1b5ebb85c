#include "mocks/trainers/step_normalizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/core/error.h"

namespace benchbench {
namespace {

std::size_t image_of(const BatchSpec& batch) {
  const auto tensors = batch.tensors();
  const auto found = std::ranges::find_if(
      tensors, [](const TensorSpec& t) { return std::string_view(t.name) == "image"; });
  if (found == tensors.end())
    throw PartError("batches that the step is to normalise have no images");
  const Shape& row = found->row;
  if (found->dtype != DType::uint8 || row.rank != 3)
    throw PartError(fmt::format("the step normalises images uint8 [H, W, C], not {} of rank {}",
                                name_of(found->dtype), row.rank));
  if (row.extent[2] < 1 || row.extent[2] > static_cast<std::int64_t>(kMaxNormalized))
    throw PartError(fmt::format("the step normalises images of 1 to {} channels, not {}",
                                kMaxNormalized, row.extent[2]));
  return static_cast<std::size_t>(found - tensors.begin());
}

}  // namespace

StepNormalizer::StepNormalizer(const TrainerContext& context)
    : device_(context.device),
      on_(context.batch.normalize_in_step ? context.device.accelerator() : nullptr),
      by_(context.batch.normalize_in_step),
      times_(on_) {
  if (!on_) return;
  image_ = image_of(context.batch);
  bytes_ = context.batch.tensor[image_].bytes_per_row() * context.batch_size * sizeof(float);
  normalized_ = device_.allocate(bytes_, Memory::device);
}

StepNormalizer::~StepNormalizer() { device_.deallocate(normalized_, bytes_, Memory::device); }

void StepNormalizer::enqueue(const BatchLease& batch, StepContext& context) {
  if (!on_) return;
  const DeviceNormalization job{batch.tensors()[image_], normalized_, *by_};
  times_.around(context, Stage::forward, [&] { on_->normalize(*context.stream, job); });
}

}  // namespace benchbench
