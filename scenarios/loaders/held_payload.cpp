#include "scenarios/loaders/held_payload.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/part/null_meter.h"

namespace benchbench {
namespace {

// Past so many that cannot be used it is the data set that is at fault.
constexpr SampleId kMaxTried = 4 * HeldPayload::kMax;

std::optional<DecodedImage> decoded(SampleReader& reader, SampleId id, ImageDecoder& decoder) try {
  NullMeter meter;
  return DecodedImage::of(reader.read(id, 0, meter).payload, decoder);
} catch (const PartError&) {
  return std::nullopt;
}

}  // namespace

PayloadKind payload_kind(std::string_view name) {
  if (name == "decoded") return PayloadKind::decoded;
  if (name == "transformed") return PayloadKind::transformed;
  return name == "ready" ? PayloadKind::ready : PayloadKind::stored;
}

HeldPayload::HeldPayload(PayloadKind kind, SampleArchive& archive, const ImageRecipe& recipe)
    : kind_(kind) {
  if (kind_ == PayloadKind::stored) return;
  hold(archive, recipe);
  if (images_.empty() && rows_.empty())
    throw PartError("none of the first samples can be decoded",
                    "loader.payload keeps a few of them in memory");
}

void HeldPayload::hold(SampleArchive& archive, const ImageRecipe& recipe) {
  const auto runtime = make_real_runtime();
  const auto reader = archive.reader(*runtime);
  ImageDecoder decoder;
  RowMaker maker(recipe, *runtime);
  NullMeter meter;
  const SampleId samples = std::min<SampleId>(archive.layout().samples, kMaxTried);
  std::size_t bytes = 0;
  for (SampleId id = 0; id < samples && images_.size() + rows_.size() < kMax && bytes < kMaxBytes;
       ++id) {
    auto image = decoded(*reader, id, decoder);
    if (!image) continue;
    if (kind_ == PayloadKind::decoded) {
      bytes += image->bytes();
      images_.push_back(std::move(*image));
      continue;
    }
    std::vector<std::byte>& row = rows_.emplace_back(recipe.tensor().bytes_per_row());
    maker.make_from(*image, {.id = id, .seed = id}, 0, meter, row.data());
    bytes += row.size();
  }
}

}  // namespace benchbench
