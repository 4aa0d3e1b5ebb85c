#include <catch2/catch.hpp>
#include <cmath>

#include "harness/core/random.h"
#include "scenarios/decode/crop_box.h"
#include "scenarios/decode/normalize.h"
#include "scenarios/decode/resize_axis.h"
#include "scenarios/decode/resize_kernels.h"

namespace benchbench::test::resize {
namespace {

TEST_CASE("resize axis: weights of every output pixel add up to one and stay inside the input",
          "[unit][decode]") {
  ResizeAxis axis;
  for (const auto& [in, out] :
       {std::pair{500, 224}, {224, 224}, {100, 224}, {1, 224}, {5000, 224}, {7, 1}, {301, 300}}) {
    axis.plan(in, out, 0, out, false);
    INFO(in << " to " << out);
    CHECK(axis.taps() % 2 == 0);
    for (int i = 0; i < out; ++i) {
      int sum = 0;
      for (int k = 0; k < axis.taps(); ++k) {
        sum += axis.weights(i)[k];
        REQUIRE(axis.weights(i)[k] >= 0);
        if (k >= axis.used(i)) REQUIRE(axis.weights(i)[k] == 0);
      }
      REQUIRE(sum == kWeightOne);
      REQUIRE(axis.begin(i) >= 0);
      REQUIRE(axis.begin(i) + axis.used(i) <= in);
    }
  }
}

TEST_CASE("resize axis: equal sizes are the identity, mirrored is its reverse", "[unit][decode]") {
  ResizeAxis axis, mirrored;
  axis.plan(50, 50, 0, 50, false);
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k < axis.used(i); ++k)
      CHECK(axis.weights(i)[k] == (axis.begin(i) + k == i ? kWeightOne : 0));
  }
  axis.plan(320, 100, 20, 60, false);
  mirrored.plan(320, 100, 20, 60, true);
  for (int i = 0; i < 60; ++i) CHECK(axis.begin(i) == mirrored.begin(59 - i));
  CHECK(axis.min() == mirrored.min());
}

TEST_CASE("resize: vectors and plain code give the same bytes", "[unit][decode]") {
  Random random(3);
  ResizeAxis axis;
  for (int draw = 0; draw < 300; ++draw) {
    const int in = 1 + static_cast<int>(random.below(900));
    const int out = 1 + static_cast<int>(random.below(300));
    axis.plan(in, out, 0, out, draw % 2 == 1);
    std::vector<std::uint8_t> from(static_cast<std::size_t>(in) * 4 + kAcrossSlack);
    for (auto& byte : from)
      byte = static_cast<std::uint8_t>(random.below(8) == 0 ? 255 * random.below(2)
                                                            : random.below(256));
    std::vector<std::uint8_t> quick(static_cast<std::size_t>(out) * 3 + 1), plain = quick;
    resize_across(axis, from.data(), quick.data());
    resize_across_plain(axis, from.data(), plain.data());
    quick.back() = plain.back() = 0;  // the byte it may write behind the row
    REQUIRE(quick == plain);
    std::vector<std::uint8_t> other(from.rbegin(), from.rend()), two_a(plain.size()),
        two_b(plain.size());
    resize_across_plain(axis, other.data(), quick.data());
    resize_across_two(axis, from.data(), other.data(), two_a.data(), two_b.data());
    quick.back() = two_a.back() = two_b.back() = 0;
    REQUIRE(two_a == plain);
    REQUIRE(two_b == quick);

    const int bytes = 1 + static_cast<int>(random.below(700));
    std::vector<std::vector<std::uint8_t>> rows(static_cast<std::size_t>(axis.used(0)));
    std::vector<const std::uint8_t*> pointers;
    for (auto& row : rows) {
      row.resize(static_cast<std::size_t>(bytes));
      for (auto& byte : row) byte = static_cast<std::uint8_t>(random.below(256));
      pointers.push_back(row.data());
    }
    std::vector<std::uint8_t> quick_row(static_cast<std::size_t>(bytes) + 8, 77),
        plain_row = quick_row;
    resize_down(pointers, axis.weights(0), quick_row.data(), bytes);
    resize_down_plain(pointers, axis.weights(0), plain_row.data(), bytes);
    REQUIRE(quick_row == plain_row);  // with the 8 bytes behind, which are not ours
  }
}

TEST_CASE("normalize: the formula within 1e-6, at any length", "[unit][decode]") {
  std::vector<std::uint8_t> from(3 * 999);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i * 7);
  for (const int pixels : {1, 2, 5, 16, 17, 224, 999}) {
    std::vector<float> quick(static_cast<std::size_t>(pixels) * 3 + 1, 5.0f);
    normalize_imagenet(from.data(), quick.data(), pixels * 3);
    for (int i = 0; i < pixels * 3; ++i) {
      const double want = (from[static_cast<std::size_t>(i)] / 255.0 - kImageNetMean[i % 3]) /
                          kImageNetDeviation[i % 3];
      REQUIRE(std::abs(quick[static_cast<std::size_t>(i)] - want) < 1e-6);
    }
    CHECK(quick.back() == 5.0f);
  }
}

TEST_CASE("crop box: inside the image, area and ratio in range, both filled", "[unit][decode]") {
  Random random(9);
  const CropRange range;
  double min_area = 1, max_area = 0;
  for (int draw = 0; draw < 20'000; ++draw) {
    const Region box = draw_random_resized_crop(500, 375, range, random);
    REQUIRE(box.x >= 0);
    REQUIRE(box.y >= 0);
    REQUIRE(box.x + box.width <= 500);
    REQUIRE(box.y + box.height <= 375);
    const double ratio = static_cast<double>(box.width) / box.height;
    REQUIRE(ratio > 0.74);
    REQUIRE(ratio < 1.35);
    const double area = box.width * box.height / (500.0 * 375.0);
    min_area = std::min(min_area, area);
    max_area = std::max(max_area, area);
  }
  CHECK(min_area == Approx(0.08).margin(0.003));
  CHECK(max_area > 0.97);
}

TEST_CASE("crop box: an image too long for any try gets the largest central crop in range",
          "[unit][decode]") {
  Random random(1);
  CHECK(draw_random_resized_crop(1000, 10, {}, random) == Region{493, 0, 13, 10});
  CHECK(draw_random_resized_crop(9, 900, {}, random) == Region{0, 444, 9, 12});
  CHECK(draw_random_resized_crop(1, 1, {}, random) == Region{0, 0, 1, 1});
}

TEST_CASE("crop box: evaluation sizes are torchvision's", "[unit][decode]") {
  CHECK(resized_shorter_side(500, 375, 256).width == 341);
  CHECK(resized_shorter_side(500, 375, 256).height == 256);
  CHECK(resized_shorter_side(375, 500, 256).height == 341);
  CHECK(centre_crop_begin(341, 224) == 58);  // round(58.5) to even
  CHECK(centre_crop_begin(256, 224) == 16);
}

}  // namespace
}  // namespace benchbench::test::resize
