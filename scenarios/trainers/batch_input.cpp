#include "scenarios/trainers/batch_input.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"

namespace benchbench {
namespace {

struct LabelledImages {
  std::size_t image = 0, label = 0;  // indices of tensors
  TensorSpec spec;                   // of the image
};

LabelledImages find_images(const BatchSpec& batch) {
  const char* const wanted = "batches with an \"image\" and a \"label\" tensor";
  LabelledImages found{.image = find_tensor(batch, "image", wanted),
                       .label = find_tensor(batch, "label", wanted),
                       .spec = {}};
  found.spec = batch.tensor[found.image];
  const TensorSpec& label = batch.tensor[found.label];
  if (found.spec.row.rank != 3 ||
      (found.spec.dtype != DType::uint8 && found.spec.dtype != DType::float32))
    throw PartError(
        "this trainer takes images of uint8 or float32 [height, width, channels], not " +
        std::string(name_of(found.spec.dtype)) + " of rank " + std::to_string(found.spec.row.rank));
  if (label.dtype != DType::int64 || label.row.rank != 0)
    throw PartError("this trainer takes one int64 label per sample");
  return found;
}

// In units of a byte.
struct Channels {
  std::vector<float> mean, deviation;
};

Channels find_channels(const BatchSpec& batch, std::size_t channels) {
  Channels found{std::vector<float>(channels, 0.0f), std::vector<float>(channels, 255.0f)};
  if (!batch.normalize_in_step && channels != 3) return found;
  const ImageNormalization by = batch.normalize_in_step.value_or(kImageNet);
  for (std::size_t c = 0; c < std::min(channels, kMaxNormalized); ++c)
    found.mean[c] = by.mean[c] * 255, found.deviation[c] = by.deviation[c] * 255;
  return found;
}

class ImageInput final : public BatchInput {
 public:
  ImageInput(const BatchSpec& batch, const InputLayout& layout)
      : images_(find_images(batch)), layout_(layout) {
    const Shape& row = images_.spec.row;
    const Channels channels = find_channels(batch, static_cast<std::size_t>(row.extent[2]));
    const auto on_device = [&](const at::Tensor& values) {
      return values.view({1, row.extent[2], 1, 1}).to(layout.device);
    };
    scale_ = on_device(at::tensor(channels.deviation).reciprocal());
    shift_ = on_device(at::tensor(channels.mean).div(at::tensor(channels.deviation)).neg());
  }

  NetworkInput make(const BatchLease& batch) const override {
    const TensorView& label = batch.tensors()[images_.label];
    at::Tensor target = view_memory(label.data, {label.rows}, at::kLong, layout_.device);
    // Cloned on the host: 8 bytes a sample, and the loss keeps it.
    if (!layout_.device.is_cuda()) target = target.clone();
    at::Tensor data = images(batch.tensors()[images_.image]);
    const bool in_place = data.const_data_ptr() == batch.tensors()[images_.image].data;
    return {std::move(data), std::move(target), in_place};
  }

 private:
  // Rows lie as [H, W, C], which is what torch calls channels_last: a view, no copy; float32 rows
  // are used where they lie.
  at::Tensor images(const TensorView& image) const {
    const Shape& row = images_.spec.row;
    const bool bytes = images_.spec.dtype == DType::uint8;
    const at::Tensor rows =
        view_memory(image.data, {image.rows, row.extent[0], row.extent[1], row.extent[2]},
                    bytes ? at::kByte : at::kFloat, layout_.device)
            .permute({0, 3, 1, 2});
    // One pass over the bytes: shift + byte x scale.
    const at::Tensor floats = bytes ? at::addcmul(shift_, rows, scale_) : rows;
    return floats.to(layout_.type).contiguous(layout_.format);
  }

  const LabelledImages images_;
  const InputLayout layout_;
  at::Tensor scale_, shift_;  // [1, C, 1, 1], float
};

}  // namespace

std::size_t find_tensor(const BatchSpec& batch, std::string_view name, const char* wanted) {
  const auto tensors = batch.tensors();
  const auto at = std::ranges::find(tensors, name, &TensorSpec::name);
  if (at == tensors.end()) throw PartError(std::string("this trainer takes ") + wanted);
  return static_cast<std::size_t>(at - tensors.begin());
}

at::Tensor view_memory(void* data, at::IntArrayRef sizes, at::ScalarType type, c10::Device device) {
  return at::from_blob(data, sizes, {}, at::TensorOptions(type).device(device), device);
}

const TensorSpec& find_image(const BatchSpec& batch) {
  return batch.tensor[find_images(batch).image];
}

std::unique_ptr<BatchInput> make_image_input(const BatchSpec& batch, const InputLayout& layout) {
  return std::make_unique<ImageInput>(batch, layout);
}

}  // namespace benchbench
