// Images made smaller and encoded anew: fewer bytes to read, fewer pixels to decode.
#include "harness/part/catalog.h"
#include "scenarios/preparation/resized_picture.h"
#include "scenarios/synthesis/jpeg_writer.h"

namespace benchbench {
namespace {

constexpr int kQuality = 90;
// Of synthesised pictures of 500 x 375 made smaller to 256: 3.8; to 128: 3.5.
constexpr double kBitsPerPixel = 3.8;

class JpegPreparation final : public Preparation {
 public:
  explicit JpegPreparation(int size) : size_(size) {}

  PayloadSpec payload() const noexcept override { return {}; }
  std::uint64_t bytes_estimate() const noexcept override {
    return static_cast<std::uint64_t>(
        static_cast<double>(size_) * size_ * 4 / 3 * kBitsPerPixel / 8 + 620);
  }
  bool make(ByteSpan stored, const std::function<void(ByteSpan)>& sink) override {
    if (!picture_.make(stored, size_, preparation::ResizedPicture::Part::whole)) {
      sink({});
      return false;
    }
    synthesis::write_jpeg({picture_.width(), picture_.height(), picture_.pixels()}, kQuality, sink);
    return true;
  }

 private:
  int size_;
  preparation::ResizedPicture picture_;
};

std::unique_ptr<Preparation> make_jpeg(int size) { return std::make_unique<JpegPreparation>(size); }

}  // namespace

namespace parts {
extern const PartDescription preparation_jpeg_description{
    .kind = PartKind::preparation,
    .name = "jpeg",
    .summary =
        "Every image decoded, its shorter side resized, and re-encoded as JPEG with quality 90.",
    .data = DataKind::image,
};
PartMaker preparation_jpeg_maker() { return {.preparation = make_jpeg}; }
}  // namespace parts

}  // namespace benchbench
