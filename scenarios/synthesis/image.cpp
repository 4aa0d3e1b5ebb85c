// Synthesis `image`: JPEG pictures that cost a decoder what photographs cost.
#include <algorithm>
#include <cmath>

#include "harness/core/random.h"
#include "harness/part/part_maker.h"
#include "scenarios/synthesis/jpeg_writer.h"
#include "scenarios/synthesis/numbered_set.h"
#include "scenarios/synthesis/picture.h"

namespace benchbench {
namespace {

constexpr Parameter kParameters[] = {
    {"samples", ParameterType::integer, "2048", "Number of images in the dataset.", 1, 1e9},
    {"seed", ParameterType::integer, "7",
     "A different seed gives different images of the same kind.", 0, 9e15},
    {"image.mean_width", ParameterType::integer, "500", "Mean width in pixels.", 16, 16384},
    {"image.mean_height", ParameterType::integer, "375", "Mean height in pixels.", 16, 16384},
    {"image.spread", ParameterType::real, "0.2",
     "Standard deviation of width and of height, as a share of their means.", 0, 0.5},
    {"image.quality", ParameterType::integer, "90", "JPEG quality on libjpeg's scale.", 1, 100},
    {"classes", ParameterType::integer, "100", "Number of classes; at most the number of images.",
     1, 1e6},
};

struct Size {
  int width = 0;
  int height = 0;
};

// Bits per pixel at a quality, measured over 64 pictures of 500 × 375 (scripts/calibrate_synthesis
// prints them).
constexpr struct QualityBits {
  int quality;
  double bits;
} kQualityBits[] = {{1, 0.26},  {25, 1.15}, {50, 1.9},   {75, 2.82},
                    {90, 4.35}, {95, 5.78}, {100, 10.07}};

double bits_per_pixel(int quality) {
  const auto above = std::ranges::lower_bound(kQualityBits, quality, {}, &QualityBits::quality);
  if (above == std::begin(kQualityBits)) return above->bits;
  const auto below = above - 1;
  const double share =
      static_cast<double>(quality - below->quality) / (above->quality - below->quality);
  return below->bits + share * (above->bits - below->bits);
}

class Images final : public synthesis::NumberedSet {
 public:
  explicit Images(const Settings& s)
      : NumberedSet(s, s.integer("classes")),
        mean_size_{static_cast<int>(s.integer("image.mean_width")),
                   static_cast<int>(s.integer("image.mean_height"))},
        spread_q16_(std::llround(s.real("image.spread") * 65536)),
        quality_(static_cast<int>(s.integer("image.quality"))) {}

  std::string_view extension() const noexcept override { return ".jpg"; }

  void make(SampleId id, const PayloadSink& sink) const override {
    require(id, "image");
    thread_local synthesis::Picture picture;
    const Size size = size_of(id);
    synthesis::paint(mix_seed(seed_, kPaint, id), size.width, size.height, picture);
    synthesis::write_jpeg(picture, quality_, sink);
  }

  // Mean size, times the bits a pixel takes.
  std::uint64_t bytes_estimate() const noexcept override {
    const double pixels = mean([this](SampleId id) {
      const Size size = size_of(id);
      return static_cast<double>(size.width) * size.height;
    });
    const double mean_bytes = pixels * bits_per_pixel(quality_) / 8 + kHeaderBytes;
    return static_cast<std::uint64_t>(mean_bytes * static_cast<double>(samples_));
  }

 private:
  enum Purpose : std::uint64_t { kPaint, kSize };
  static constexpr double kHeaderBytes = 620;  // JFIF, tables, end of image

  // About normal, in 1/65536 of a standard deviation, cut at 2: the sum of 12 uniform 16-bit
  // numbers.
  static std::int64_t deviate_q16(Random& random) {
    std::int64_t sum = -6 * 65535;
    for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(random.next() >> 48);
    return std::clamp<std::int64_t>(sum, -2 * 65536, 2 * 65536);
  }

  // Integer arithmetic, so that sizes are the same everywhere. Width and height vary apart: shapes
  // of frame differ too.
  Size size_of(SampleId id) const {
    Random random(mix_seed(seed_, kSize, id));
    const auto vary = [&](int mean) {
      const std::int64_t factor = 65536 + spread_q16_ * deviate_q16(random) / 65536;
      return std::clamp(static_cast<int>(mean * factor / 65536), 8, 65000);
    };
    return {vary(mean_size_.width), vary(mean_size_.height)};
  }

  Size mean_size_;
  std::int64_t spread_q16_;
  int quality_;
};

}  // namespace

namespace parts {

extern const PartDescription synthesis_image_description{
    .kind = PartKind::synthesis,
    .name = "image",
    .summary = "JPEG images of 1/f noise and shapes that take a decoder as long as photographs do.",
    .data = DataKind::image,
    .parameters = kParameters,
};

PartMaker synthesis_image_maker() { return part_maker<Images>(); }

}  // namespace parts
}  // namespace benchbench
