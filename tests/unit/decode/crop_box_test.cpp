// What chance decides for a sample, over 20,000 seeds, against the distributions that torchvision
// documents.
#include "scenarios/decode/crop_box.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "scenarios/decode/row_maker.h"

namespace benchbench::test::crop_box {
namespace {

constexpr std::uint64_t kDraws = 20'000;

ImageRecipe recipe_of(const CropRange& range) {
  ImageRecipe recipe;
  recipe.range = range;
  return recipe;
}

// The largest distance between the values' empirical distribution and the uniform one from 0 to 1
// (Kolmogorov-Smirnov).
double distance_from_uniform(std::vector<double> values) {
  std::ranges::sort(values);
  const double n = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double below = static_cast<double>(i) / n;
    largest = std::max({largest, values[i] - below, below + 1 / n - values[i]});
  }
  return largest;
}

// Exceeded by 1 in 1,000 sets that are uniform. A ratio drawn uniformly, not by its logarithm, is
// 0.07 away.
const double kFarthest = 1.95 / std::sqrt(static_cast<double>(kDraws));

// Four standard errors of the share of kDraws in which something of that probability happens.
double four_errors(double probability) {
  return 4 * std::sqrt(probability * (1 - probability) / static_cast<double>(kDraws));
}

TEST_CASE("crop box: the logarithm of the ratio is uniform, and so is the area", "[unit][decode]") {
  // At most 0.3 of a square fits whatever its ratio: every first try is taken, so that nothing is
  // distorted.
  const CropRange range{.scale_min = 0.08, .scale_max = 0.3};
  const ImageRecipe recipe = recipe_of(range);
  constexpr int kSide = 4000;  // whole pixels move a ratio by 0.0005 at most
  std::vector<double> ratios, areas;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Region box = draw_sample(recipe, kSide, kSide, seed).box;
    const double ratio = std::log(static_cast<double>(box.width) / box.height);
    ratios.push_back((ratio - std::log(range.ratio_min)) /
                     std::log(range.ratio_max / range.ratio_min));
    const double area = static_cast<double>(box.width) * box.height / kSide / kSide;
    areas.push_back((area - range.scale_min) / (range.scale_max - range.scale_min));
  }
  CHECK(distance_from_uniform(ratios) < kFarthest);
  CHECK(distance_from_uniform(areas) < kFarthest);
}

TEST_CASE("crop box: every position is as likely, the right and the lower edge too",
          "[unit][decode]") {
  // 8 x 8 of 16 x 12: begins at 0..8 across and 0..4 down.
  const ImageRecipe recipe =
      recipe_of({.scale_min = 1.0 / 3, .scale_max = 1.0 / 3, .ratio_min = 1, .ratio_max = 1});
  std::uint64_t count[5][9] = {};
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Region box = draw_sample(recipe, 16, 12, seed).box;
    REQUIRE(box.width == 8);
    REQUIRE(box.height == 8);
    REQUIRE((box.x >= 0 && box.x <= 8 && box.y >= 0 && box.y <= 4));
    ++count[box.y][box.x];
  }
  constexpr double kLikely = 1.0 / 45;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 9; ++x) {
      INFO("at " << x << ", " << y);
      CHECK(static_cast<double>(count[y][x]) / kDraws ==
            Approx(kLikely).margin(four_errors(kLikely)));
    }
}

TEST_CASE("row maker: so many samples are mirrored as the recipe says", "[unit][decode]") {
  for (const double probability : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    ImageRecipe recipe;
    recipe.flip_probability = probability;
    std::uint64_t mirrored = 0;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed)
      mirrored += draw_sample(recipe, 500, 375, seed).mirrored;
    INFO(probability);
    const double share = static_cast<double>(mirrored) / kDraws;
    CHECK(std::abs(share - probability) <= four_errors(probability));
  }
}

TEST_CASE(
    "crop box: a central crop of odd difference begins where Python's round() says, halves to even",
    "[unit][decode]") {
  // int(round((length - crop) / 2.0)): 0.5, 1.5, 2.5, 3.5, 58.5, 59.5, and whole ones between.
  CHECK(centre_crop_begin(225, 224) == 0);
  CHECK(centre_crop_begin(227, 224) == 2);
  CHECK(centre_crop_begin(229, 224) == 2);
  CHECK(centre_crop_begin(231, 224) == 4);
  CHECK(centre_crop_begin(341, 224) == 58);
  CHECK(centre_crop_begin(343, 224) == 60);
  for (int begin = 0; begin < 10; ++begin) CHECK(centre_crop_begin(224 + 2 * begin, 224) == begin);
}

}  // namespace
}  // namespace benchbench::test::crop_box
