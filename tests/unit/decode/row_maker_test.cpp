#include "scenarios/decode/row_maker.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "harness/core/random.h"
#include "scenarios/decode/normalize.h"
#include "tests/unit/decode/jpeg_making.h"
#include "tests/unit/decode/recording_meter.h"

namespace benchbench::test::rows {
namespace {

std::vector<std::byte> row_of(RowMaker& maker, const std::vector<std::byte>& jpeg,
                              std::uint64_t seed, std::size_t bytes, StageMeter& meter) {
  std::vector<std::byte> row(bytes + 16, std::byte{0x5A});
  maker.make({.payload = jpeg, .label = 0, .name = "a/b.jpg"}, {.id = 3, .seed = seed}, 0, meter,
             row.data());
  for (std::size_t i = bytes; i < row.size(); ++i)
    REQUIRE(row[i] == std::byte{0x5A});  // nothing behind the row
  row.resize(bytes);
  return row;
}

// The same resize in doubles, from a full decode, one pixel at a time.
double exact_value(const PlainImage& image, Region box, int size, int x, int y, int channel) {
  const auto along = [&](int in, int at, auto value) {
    const double scale = static_cast<double>(in) / size;
    const double reach = std::max(scale, 1.0);
    const double centre = (at + 0.5) * scale;
    double sum = 0, weights = 0;
    for (int k = std::max(0, static_cast<int>(centre - reach + 0.5));
         k < std::min(in, static_cast<int>(centre + reach + 0.5)); ++k) {
      const double weight = std::max(0.0, 1 - std::abs(k + 0.5 - centre) / reach);
      sum += weight * value(k);
      weights += weight;
    }
    return sum / weights;
  };
  return along(box.height, y, [&](int row) {
    return along(box.width, x, [&](int column) {
      return image
          .values[(static_cast<std::size_t>(box.y + row) * static_cast<std::size_t>(image.width) +
                   static_cast<std::size_t>(box.x + column)) *
                      3 +
                  static_cast<std::size_t>(channel)];
    });
  });
}

TEST_CASE("row maker: within 2 levels of full decode, crop and resize; flips mirror",
          "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe recipe;
  recipe.size = 96;
  RowMaker maker(recipe, *runtime);
  int mirrored = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const int width = 60 + static_cast<int>(seed * 37 % 500);
    const int height = 50 + static_cast<int>(seed * 53 % 400);
    const auto jpeg = make_jpeg({.width = width, .height = height, .seed = seed});
    const PlainImage whole = decode_whole(jpeg);
    const auto row = row_of(maker, jpeg, seed, 96 * 96 * 3, meter);
    const auto [box, flip] = draw_sample(recipe, width, height, seed);
    mirrored += flip;
    double worst = 0;
    for (int y = 0; y < 96; y += 5) {
      for (int x = 0; x < 96; ++x) {
        for (int c = 0; c < 3; ++c) {
          const auto got = static_cast<double>(
              row[static_cast<std::size_t>((y * 96 + (flip ? 95 - x : x)) * 3 + c)]);
          worst = std::max(worst, std::abs(got - exact_value(whole, box, 96, x, y, c)));
        }
      }
    }
    REQUIRE(worst <= 1.6);
  }
  CHECK(meter.faults.empty());
  CHECK(mirrored > 10);
  CHECK(mirrored < 30);
  CHECK(meter.times[Stage::decode] > Nanoseconds{0});
  CHECK(meter.times[Stage::transform] > Nanoseconds{0});
}

TEST_CASE("row maker: normalised floats are the bytes' formula", "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe bytes_recipe;
  bytes_recipe.size = 33;
  ImageRecipe float_recipe = bytes_recipe;
  float_recipe.normalize = true;
  CHECK(float_recipe.tensor().bytes_per_row() == 33 * 33 * 3 * 4);
  RowMaker bytes_maker(bytes_recipe, *runtime), float_maker(float_recipe, *runtime);
  const auto jpeg = make_jpeg({.width = 120, .height = 90});
  const auto bytes = row_of(bytes_maker, jpeg, 5, 33 * 33 * 3, meter);
  const auto floats = row_of(float_maker, jpeg, 5, 33 * 33 * 3 * 4, meter);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    float value;
    std::memcpy(&value, floats.data() + 4 * i, 4);
    const double want =
        (static_cast<double>(bytes[i]) / 255 - kImageNetMean[i % 3]) / kImageNetDeviation[i % 3];
    REQUIRE(std::abs(value - want) < 1e-6);
  }
}

TEST_CASE("row maker: a sample that fails is zeros and one fault with its name; the next is fine",
          "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe recipe;
  recipe.size = 20;
  RowMaker maker(recipe, *runtime);
  const std::vector<std::byte> junk(100, std::byte{7});
  CHECK(row_of(maker, junk, 1, 1200, meter) == std::vector<std::byte>(1200));
  REQUIRE(meter.faults.size() == 1);
  CHECK(meter.faults[0].id == 3);
  CHECK(meter.faults[0].kind == SampleFault::decode_error);
  CHECK(meter.faults[0].where == "a/b.jpg");
  CHECK(!meter.faults[0].what.empty());

  const auto good = make_jpeg({.width = 200, .height = 150});
  const auto first = row_of(maker, good, 1, 1200, meter);
  CHECK(first != std::vector<std::byte>(1200));
  const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<long>(good.size() / 2));
  row_of(maker, cut, 1, 1200, meter);
  REQUIRE(meter.faults.size() == 2);
  CHECK(meter.faults[1].kind == SampleFault::truncated);
  CHECK(row_of(maker, good, 1, 1200, meter) == first);
  CHECK(meter.faults.size() == 2);
}

TEST_CASE(
    "row maker: damaged files of every kind end in a row or a fault, "
    "and never in the way of the next",
    "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe recipe;
  recipe.size = 24;
  RowMaker maker(recipe, *runtime);
  Random random(77);
  const std::vector<std::byte> good[] = {
      make_jpeg({.width = 90, .height = 70}),
      make_jpeg({.width = 90, .height = 70, .progressive = true}),
      make_jpeg({.width = 64, .height = 50, .components = 4, .ycck = true}),
      make_jpeg({.width = 40, .height = 90, .components = 1, .restart_rows = 1}),
  };
  const auto row_at_first = row_of(maker, good[0], 1, 24 * 24 * 3, meter);
  for (int round = 0; round < 600; ++round) {
    auto damaged = good[round % 4];
    for (std::uint64_t flips = 1 + random.below(6); flips > 0; --flips) {
      damaged[random.below(damaged.size())] ^= static_cast<std::byte>(1u << random.below(8));
    }
    if (round % 5 == 0) damaged.resize(random.below(damaged.size()));
    row_of(maker, damaged, static_cast<std::uint64_t>(round), 24 * 24 * 3, meter);
  }
  CHECK(meter.faults.size() > 100);
  const std::size_t faults = meter.faults.size();
  CHECK(row_of(maker, good[0], 1, 24 * 24 * 3, meter) == row_at_first);
  CHECK(meter.faults.size() == faults);
}

TEST_CASE("row maker: tiny and long images, and a central crop", "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe random_crop, evaluation;
  random_crop.size = evaluation.size = 16;
  evaluation.crop = ImageRecipe::Crop::centre;
  evaluation.resize = 18;
  evaluation.flip_probability = 0;
  RowMaker training_maker(random_crop, *runtime), evaluation_maker(evaluation, *runtime);
  for (const auto& [width, height] :
       {std::pair{1, 1}, {2, 1}, {1, 9}, {3, 700}, {700, 3}, {16, 16}, {3000, 20}}) {
    const auto jpeg = make_jpeg({.width = width, .height = height});
    for (std::uint64_t seed = 0; seed < 5; ++seed)
      row_of(training_maker, jpeg, seed, 16 * 16 * 3, meter);
    row_of(evaluation_maker, jpeg, 0, 16 * 16 * 3, meter);
  }
  CHECK(meter.faults.empty());
}

TEST_CASE("row maker: a central crop of odd difference lies where torchvision's does",
          "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  ImageRecipe recipe;
  recipe.crop = ImageRecipe::Crop::centre;
  recipe.size = 17;
  recipe.resize = 20;  // the shorter side as it is: nothing is resized
  recipe.flip_probability = 0;
  RowMaker maker(recipe, *runtime);
  const auto jpeg = make_jpeg({.width = 24, .height = 20, .horizontal = 1, .vertical = 1});
  const PlainImage whole = decode_whole(jpeg);
  const auto row = row_of(maker, jpeg, 0, 17 * 17 * 3, meter);
  // (24 - 17) / 2 = 3.5 and (20 - 17) / 2 = 1.5: halves to even.
  for (int y = 0; y < 17; ++y)
    for (int x = 0; x < 17; ++x)
      for (int c = 0; c < 3; ++c) {
        const int got = static_cast<int>(row[static_cast<std::size_t>((y * 17 + x) * 3 + c)]);
        REQUIRE(std::abs(got -
                         whole.values[static_cast<std::size_t>(((y + 2) * 24 + x + 4) * 3 + c)]) <=
                2);
      }
}

}  // namespace
}  // namespace benchbench::test::rows
