#include "scenarios/loaders/held_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/part/null_meter.h"

namespace benchbench {
namespace {

constexpr std::size_t kMostHeld = 64, kMostHeldBytes = std::size_t{1} << 30;
// The data set is at fault if none of these can be used.
constexpr SampleId kMostTried = 4 * kMostHeld;

// Has `hold` keep what it makes of payloads, and return the bytes of that; it throws PartError for
// one that cannot be used.
template <class Hold>
void hold_some(SampleArchive& archive, std::string_view done, Hold hold) {
  const auto runtime = make_real_runtime();
  const auto reader = archive.reader(*runtime);
  NullMeter meter;
  const SampleId tried = std::min<SampleId>(archive.layout().samples, kMostTried);
  std::size_t held = 0, bytes = 0;
  for (SampleId id = 0; id < tried && held < kMostHeld && bytes < kMostHeldBytes; ++id) {
    try {
      bytes += hold(reader->read(id, 0, meter).payload, id);
      ++held;
    } catch (const PartError&) {  // another will do
    }
  }
  if (held == 0)
    throw PartError(fmt::format("none of the first samples can be {}", done),
                    "loader.payload keeps a few of them in memory");
}

}  // namespace

std::vector<DecodedImage> hold_images(SampleArchive& archive) {
  std::vector<DecodedImage> images;
  ImageDecoder decoder;
  hold_some(archive, "decoded", [&](ByteSpan payload, SampleId) {
    auto image = DecodedImage::of(payload, decoder);
    if (!image) throw PartError("the decoder complains of it");
    return images.emplace_back(std::move(*image)).bytes();
  });
  return images;
}

HeldRows::HeldRows(SampleArchive& archive, std::size_t row_bytes,
                   const std::function<void(ByteSpan, SampleId, std::byte*)>& make,
                   std::string_view done) {
  hold_some(archive, done, [&](ByteSpan payload, SampleId id) {
    std::vector<std::byte> row(row_bytes);
    make(payload, id, row.data());
    rows_.push_back(std::move(row));
    return row_bytes;
  });
}

}  // namespace benchbench
