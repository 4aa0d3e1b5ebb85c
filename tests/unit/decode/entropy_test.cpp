// Our Huffman decoder beside libjpeg-turbo's: the same pixels and the same complaints.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "harness/core/random.h"
#include "scenarios/decode/jpeg_decoder.h"
#include "scenarios/decode/libjpeg_entropy.h"
#include "tests/sweep.h"
#include "tests/unit/decode/jpeg_making.h"

namespace benchbench::test::entropy {
namespace {

using Huffman = JpegDecoder::Huffman;

struct Outcome {
  std::vector<std::uint8_t> values;
  bool failed = false, truncated = false, warned = false, ours = false;
};

Outcome outcome(JpegDecoder& decoder, const std::vector<std::byte>& jpeg, Region region) {
  Outcome got;
  if (decoder.open(jpeg) && region.x + region.width <= decoder.width() &&
      region.y + region.height <= decoder.height() && decoder.start(region)) {
    got.ours = decoder.huffman() == Huffman::ours;
    for (int y = 0; y < region.height;) {
      const auto rows = decoder.next_rows();
      if (rows.empty()) break;
      for (const std::uint8_t* row : rows)
        for (int x = 0; x < region.width; ++x)
          got.values.insert(got.values.end(), row + 4 * x, row + 4 * x + 3);
      y += static_cast<int>(rows.size());
    }
  }
  decoder.close();
  const DecodeProblem& problem = decoder.problem();
  got.failed = problem.failed, got.truncated = problem.truncated, got.warned = problem.warnings > 0;
  return got;
}

Region part_of(Random& random, int width, int height) {
  const int w = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
  const int h = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(height)));
  return {static_cast<int>(random.below(static_cast<std::uint64_t>(width - w + 1))),
          static_cast<int>(random.below(static_cast<std::uint64_t>(height - h + 1))), w, h};
}

JpegOrder some_order(Random& random, int i) {
  constexpr int kSampling[][2] = {{2, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {4, 1}};
  constexpr int kQuality[] = {90, 100, 75, 98, 20, 3};
  JpegOrder order{.width = 1 + static_cast<int>(random.below(420)),
                  .height = 1 + static_cast<int>(random.below(300)),
                  .seed = static_cast<std::uint64_t>(i)};
  order.horizontal = kSampling[i % 6][0];
  order.vertical = kSampling[i % 6][1];
  order.quality = kQuality[i / 6 % 6];
  order.own_codes = i % 4 == 3;
  if (i % 10 == 7) order.components = 1;
  if (i % 10 == 9) order.components = 4, order.ycck = true;
  return order;
}

TEST_CASE(
    "entropy: our Huffman decoder gives the library's pixels, files and regions of every kind",
    "[unit][decode]") {
  JpegDecoder ours, library(Huffman::library);
  Random random(5);
  const int files = static_cast<int>(sweep_size(60, 240));
  for (int i = 0; i < files; ++i) {
    const JpegOrder order = some_order(random, i);
    const auto jpeg = make_jpeg(order);
    for (int draw = 0; draw < 4; ++draw) {
      const Region region = part_of(random, order.width, order.height);
      const Outcome want = outcome(library, jpeg, region);
      const Outcome got = outcome(ours, jpeg, region);
      INFO("file " << i << ": " << order.width << 'x' << order.height << " quality "
                   << order.quality);
      REQUIRE(got.ours);
      REQUIRE_FALSE(want.ours);
      const bool equal = got.values == want.values;
      REQUIRE(equal);
      REQUIRE(ours.problem().clean());
    }
  }
}

TEST_CASE("entropy: progressive files and restart marks stay the library's", "[unit][decode]") {
  JpegDecoder decoder;
  CHECK_FALSE(outcome(decoder, make_jpeg({.progressive = true}), {0, 0, 64, 48}).ours);
  CHECK_FALSE(outcome(decoder, make_jpeg({.restart_rows = 1}), {0, 0, 64, 48}).ours);
  CHECK(outcome(decoder, make_jpeg({}), {0, 0, 64, 48}).ours);
}

TEST_CASE("entropy: a file cut anywhere gives the library's pixels and is told as truncated",
          "[unit][decode]") {
  JpegDecoder ours, library(Huffman::library);
  const auto whole = make_jpeg({.width = 70, .height = 50});
  const Region all{0, 0, 70, 50};
  std::size_t header = 0;
  while (whole[header] != std::byte{0xFF} || whole[header + 1] != std::byte{0xDA}) ++header;
  for (std::size_t size = header + 14; size < whole.size(); size += 3) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<long>(size));
    const Outcome want = outcome(library, cut, all);
    const Outcome got = outcome(ours, cut, all);
    INFO("cut at " << size << " of " << whole.size());
    const bool equal = got.values == want.values;
    REQUIRE(equal);
    REQUIRE(got.truncated);
    REQUIRE(want.truncated);
    REQUIRE_FALSE(got.failed);
  }
}

TEST_CASE("entropy: of damaged data the pixels are the library's and no complaint of its is missed",
          "[unit][decode]") {
  JpegDecoder ours, library(Huffman::library);
  Random random(11);
  int warned = 0;
  const int files = static_cast<int>(sweep_size(100, 400));
  for (int i = 0; i < files; ++i) {
    auto jpeg = make_jpeg(
        {.width = 120, .height = 90, .quality = i % 2 ? 90 : 60, .own_codes = i % 3 == 0});
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      const std::size_t at = jpeg.size() / 3 + random.below(jpeg.size() * 2 / 3);
      jpeg[at] ^= static_cast<std::byte>(1u << random.below(8));
    }
    const Outcome want = outcome(library, jpeg, {0, 0, 120, 90});
    const Outcome got = outcome(ours, jpeg, {0, 0, 120, 90});
    INFO("file " << i);
    const bool equal = got.values == want.values;
    REQUIRE(equal);
    REQUIRE(got.failed == want.failed);
    REQUIRE(got.warned >= want.warned);
    REQUIRE(got.truncated == want.truncated);
    warned += got.warned;
  }
  CHECK(warned > 10);
}

TEST_CASE("entropy: what follows the scan is read, and superfluous data is told",
          "[unit][decode]") {
  JpegDecoder ours, library(Huffman::library);
  for (const std::size_t more : {0, 40, 9000, 40000}) {
    auto jpeg = make_jpeg({.width = 80, .height = 60});
    jpeg.insert(jpeg.end() - 2, more, std::byte{0x21});  // between the data and the end mark
    jpeg.insert(jpeg.end(), 200, std::byte{0});          // so that the end is looked for
    const Outcome want = outcome(library, jpeg, {0, 0, 80, 20});
    const Outcome got = outcome(ours, jpeg, {0, 0, 80, 20});
    INFO(more << " bytes more");
    CHECK(got.values == want.values);
    CHECK(got.warned == want.warned);
    CHECK(got.truncated == want.truncated);
    CHECK(got.failed == want.failed);
  }
}

TEST_CASE("entropy: only libjpeg-turbo's decoder is replaced, which its words tell",
          "[unit][decode]") {
  jpeg_error_mgr errors{};
  CHECK(LibjpegEntropy::are_words_of_turbo(*jpeg_std_error(&errors)));
  const char* const of_the_first[] = {"Bogus message code %d", nullptr,
                                      "Copyright (C) 1998, Thomas G. Lane"};
  errors.jpeg_message_table = of_the_first;
  errors.last_jpeg_message = 2;
  CHECK_FALSE(LibjpegEntropy::are_words_of_turbo(errors));
  errors.jpeg_message_table = nullptr;
  CHECK_FALSE(LibjpegEntropy::are_words_of_turbo(errors));
}

}  // namespace
}  // namespace benchbench::test::entropy
