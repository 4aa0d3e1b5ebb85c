// A few samples held in memory as pixels or as finished rows: what decoding or transforming is
// replaced by where a step is to be measured without it.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/part/sample_format.h"
#include "scenarios/decode/decoded_image.h"
#include "scenarios/decode/row_maker.h"

namespace benchbench {

// What a sample's row is made from.
enum class PayloadKind : std::uint8_t {
  stored,   // its own stored bytes
  decoded,  // held pixels: nothing is decoded
  // Its own bytes, decoded; then a held row is copied: nothing is cropped, resized, normalised.
  transformed,
  ready,  // a held row is copied
};
PayloadKind payload_kind(std::string_view name);

// Made once, then read by any thread. Sample `id` gets what is held for one of the first kMax
// samples that decode without a complaint, so neighbours differ and none is favoured.
class HeldPayload {
 public:
  static constexpr std::size_t kMax = 64;
  // Fewer are held where images are huge.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  // Nothing is held of `stored`. PartError where none of the samples tried decodes.
  HeldPayload(PayloadKind kind, SampleArchive& archive, const ImageRecipe& recipe);

  PayloadKind kind() const noexcept { return kind_; }
  const DecodedImage& image(SampleId id) const noexcept { return images_[id % images_.size()]; }
  const std::vector<std::byte>& row(SampleId id) const noexcept { return rows_[id % rows_.size()]; }

 private:
  void hold(SampleArchive& archive, const ImageRecipe& recipe);

  PayloadKind kind_;
  std::vector<DecodedImage> images_;
  std::vector<std::vector<std::byte>> rows_;
};

}  // namespace benchbench
