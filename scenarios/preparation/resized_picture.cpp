#include "scenarios/preparation/resized_picture.h"

#include <algorithm>

#include "scenarios/decode/resize_kernels.h"

namespace benchbench::preparation {
namespace {

constexpr int kLongestSide = 65500;
constexpr std::size_t kChannels = 3;

}  // namespace

bool ResizedPicture::make(ByteSpan encoded, int size, Part part) {
  const std::optional<DecodedImage> image = DecodedImage::of(encoded, decoder_);
  if (!image) return false;
  const ImageSize from{image->width(), image->height()};
  // Of a thin strip the longer side may grow without bounds: its centre could be had, but no file
  // of the whole.
  const double longest = static_cast<double>(size) * std::max(from.width, from.height) /
                         std::min(from.width, from.height);
  if (longest > kLongestSide) return false;
  plan(from, resized_shorter_side(from.width, from.height, size), size, part);
  resize(*image);
  return true;
}

void ResizedPicture::plan(ImageSize from, ImageSize to, int size, Part part) {
  if (part == Part::whole) {
    across_.plan(from.width, to.width, 0, to.width, false);
    down_.plan(from.height, to.height, 0, to.height, false);
  } else {
    across_.plan(from.width, to.width, centre_crop_begin(to.width, size), size, false);
    down_.plan(from.height, to.height, centre_crop_begin(to.height, size), size, false);
  }
}

void ResizedPicture::resize(const DecodedImage& image) {
  const std::size_t row = static_cast<std::size_t>(width()) * kChannels;
  const std::size_t stride = row + 1;  // a byte behind each row may be written
  const int min = down_.min();
  narrowed_.resize(static_cast<std::size_t>(down_.max() - min) * stride);
  const auto narrowed = [&](int y) {
    return narrowed_.data() + static_cast<std::size_t>(y - min) * stride;
  };
  for (int y = min; y < down_.max(); ++y) resize_across(across_, image.pixel(0, y), narrowed(y));
  pixels_.resize(row * static_cast<std::size_t>(height()));
  std::vector<const std::uint8_t*> sources;
  for (int i = 0; i < height(); ++i) {
    sources.clear();
    for (int k = 0; k < down_.used(i); ++k) sources.push_back(narrowed(down_.begin(i) + k));
    resize_down(sources, down_.weights(i), pixels_.data() + static_cast<std::size_t>(i) * row,
                static_cast<int>(row));
  }
}

}  // namespace benchbench::preparation
