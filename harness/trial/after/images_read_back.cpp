#include "harness/trial/after/images_read_back.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace benchbench {

std::uint64_t ImagesReadBack::copy(const BatchLease& batch, std::uint64_t images) {
  kept_.clear();
  if (batch.tensors().empty() || batch.where() == Memory::device) return 0;
  const TensorView& tensor = batch.tensors().front();
  const std::uint64_t rows = std::min(images, static_cast<std::uint64_t>(tensor.rows));
  spec_ = tensor.spec;
  kept_.resize(rows * spec_.bytes_per_row());
  if (!kept_.empty()) std::memcpy(kept_.data(), tensor.data, kept_.size());
  return rows;
}

std::uint64_t ImagesReadBack::sum_of_floats(const std::byte* image) {
  const std::size_t values = spec_.bytes_per_row() / sizeof(float);
  const auto value = [&](std::size_t i) {
    float x;
    std::memcpy(&x, image + i * sizeof x, sizeof x);
    return x;
  };
  float min = value(0), max = min;
  for (std::size_t i = 1; i < values; ++i)
    min = std::min(min, value(i)), max = std::max(max, value(i));
  const float scale = max > min ? 255.0f / (max - min) : 0.0f;
  scaled_.resize(values);
  for (std::size_t i = 0; i < values; ++i) {
    const float byte = (value(i) - min) * scale;  // not a number, where a value was none: 0
    scaled_[i] = byte > 0 ? static_cast<std::uint8_t>(std::min(byte, 255.0f)) : std::uint8_t{0};
  }
  return std::accumulate(scaled_.begin(), scaled_.end(), std::uint64_t{0});
}

std::uint64_t ImagesReadBack::sum() {
  const std::size_t row = spec_.bytes_per_row();
  std::uint64_t sum = 0;
  for (std::size_t at = 0; row > 0 && at < kept_.size(); at += row) {
    if (spec_.dtype == DType::float32) {
      sum += sum_of_floats(kept_.data() + at);
      continue;
    }
    scaled_.resize(row);
    std::memcpy(scaled_.data(), kept_.data() + at, row);
    sum += std::accumulate(scaled_.begin(), scaled_.end(), std::uint64_t{0});
  }
  return sum;
}

}  // namespace benchbench
