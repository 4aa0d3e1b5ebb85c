// Scaled decode: only where the crop is large enough, and how far its pixels are from those of a
// full decode.
#include <catch2/catch.hpp>
#include <cmath>

#include "scenarios/decode/row_maker.h"
#include "tests/sweep.h"
#include "tests/unit/decode/jpeg_making.h"
#include "tests/unit/decode/recording_meter.h"

namespace benchbench::test::scaled {
namespace {

struct Difference {
  double mean = 0;
  int max = 0;
  int reduction = 1;
};

class Pair {
 public:
  explicit Pair(ImageRecipe recipe)
      : recipe_(recipe), full_(recipe, *runtime_), scaled_(with_scaling(recipe), *runtime_) {}

  Difference of(const std::vector<std::byte>& jpeg, std::uint64_t seed) {
    const auto a = row(full_, jpeg, seed), b = row(scaled_, jpeg, seed);
    REQUIRE(full_.reduction() == 1);
    Difference d{.reduction = scaled_.reduction()};
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int off = std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]));
      d.mean += off;
      d.max = std::max(d.max, off);
    }
    d.mean /= static_cast<double>(a.size());
    REQUIRE(meter_.faults.empty());
    return d;
  }

 private:
  static ImageRecipe with_scaling(ImageRecipe recipe) {
    recipe.scaled_decode = true;
    return recipe;
  }
  std::vector<std::byte> row(RowMaker& maker, const std::vector<std::byte>& jpeg,
                             std::uint64_t seed) {
    std::vector<std::byte> bytes(recipe_.tensor().bytes_per_row());
    REQUIRE(maker.make({.payload = jpeg, .label = 0, .name = "a.jpg"}, {.id = 0, .seed = seed}, 0,
                       meter_, bytes.data()));
    return bytes;
  }

  std::unique_ptr<Runtime> runtime_ = make_real_runtime();
  RecordingMeter meter_;
  ImageRecipe recipe_;
  RowMaker full_, scaled_;
};

ImageRecipe evaluation(int size) {
  ImageRecipe recipe;
  recipe.crop = ImageRecipe::Crop::centre;
  recipe.size = recipe.resize = size;
  recipe.flip_probability = 0;
  return recipe;
}

TEST_CASE(
    "scaled decode: used where the crop is 2, 4, "
    "8 times the result in both directions, and only there",
    "[unit][decode]") {
  const auto reduction = [](int width, int height, int size) {
    return Pair(evaluation(size)).of(make_jpeg({.width = width, .height = height}), 0).reduction;
  };
  CHECK(reduction(127, 200, 64) == 1);
  CHECK(reduction(128, 200, 64) == 2);
  CHECK(reduction(255, 300, 64) == 2);
  CHECK(reduction(257, 300, 64) == 4);
  CHECK(reduction(513, 600, 64) == 8);
  CHECK(reduction(1200, 1100, 64) == 8);
  CHECK(reduction(40, 30, 64) == 1);
  // Rows that are not reduced are those of a full decode.
  CHECK(Pair(evaluation(64)).of(make_jpeg({.width = 127, .height = 200}), 0).max == 0);
}

TEST_CASE("scaled decode: near a full decode, whatever the sides, the sampling and the coding",
          "[unit][decode]") {
  int reduced[9] = {};
  double worst_mean = 0;
  int worst = 0;
  for (std::uint64_t seed = 0; seed < sweep_size(24, 48); ++seed) {
    JpegOrder order{.width = 301 + static_cast<int>(seed * 37 % 300),
                    .height = 257 + static_cast<int>(seed * 53 % 300)};
    order.components = seed % 6 == 5 ? 1 : 3;
    order.horizontal = seed % 3 == 1 ? 1 : 2;
    order.vertical = seed % 3 == 0 ? 2 : 1;
    order.progressive = seed % 4 == 3;
    order.seed = seed;
    const auto jpeg = make_jpeg(order);
    ImageRecipe random;
    random.size = 48;
    for (const ImageRecipe& recipe : {evaluation(32), random}) {
      const Difference d = Pair(recipe).of(jpeg, seed);
      ++reduced[d.reduction];
      INFO(order.width << " x " << order.height << ", seed " << seed << ", by " << d.reduction
                       << ": mean " << d.mean << ", most " << d.max);
      if (d.reduction == 1) {
        REQUIRE(d.max == 0);
        continue;
      }
      worst_mean = std::max(worst_mean, d.mean);
      worst = std::max(worst, d.max);
    }
  }
  INFO("worst mean " << worst_mean << ", worst " << worst);
  // Of noise, which nothing is worse than; of pictures a third of it.
  CHECK(worst_mean < 10);
  CHECK(worst < 60);
  CHECK(worst_mean > 0);
  CHECK(reduced[2] > 5);
  CHECK(reduced[4] > 5);
  CHECK(reduced[8] > 5);
}

TEST_CASE("scaled decode: the same pixels by either Huffman decoder", "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe recipe;
  recipe.size = 40;
  recipe.scaled_decode = true;
  RowMaker ours(recipe, *runtime, JpegDecoder::Huffman::ours),
      library(recipe, *runtime, JpegDecoder::Huffman::library);
  int reduced = 0;
  for (std::uint64_t seed = 0; seed < sweep_size(15, 60); ++seed) {
    const auto jpeg = make_jpeg({.width = 200 + static_cast<int>(seed * 31 % 401),
                                 .height = 199 + static_cast<int>(seed * 17 % 300),
                                 .horizontal = 1 + static_cast<int>(seed % 2),
                                 .vertical = 1 + static_cast<int>(seed / 2 % 2),
                                 .seed = seed});
    std::vector<std::byte> a(recipe.tensor().bytes_per_row()), b(a.size(), std::byte{1});
    REQUIRE(ours.make({.payload = jpeg, .label = 0, .name = "a"}, {.id = 0, .seed = seed}, 0, meter,
                      a.data()));
    REQUIRE(library.make({.payload = jpeg, .label = 0, .name = "a"}, {.id = 0, .seed = seed}, 0,
                         meter, b.data()));
    REQUIRE(a == b);
    reduced += ours.reduction() > 1;
  }
  CHECK(reduced > 20);
  CHECK(meter.faults.empty());
}

}  // namespace
}  // namespace benchbench::test::scaled
