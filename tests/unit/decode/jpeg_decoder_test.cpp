#include "scenarios/decode/jpeg_decoder.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/core/random.h"
#include "scenarios/decode/end_mark.h"
#include "tests/sweep.h"
#include "tests/unit/decode/jpeg_making.h"

namespace benchbench::test::decoder {
namespace {

// Rows of `region`, 3 values a pixel; empty where the decoder failed.
std::vector<std::uint8_t> decode_region(JpegDecoder& decoder, const std::vector<std::byte>& jpeg,
                                        Region region) {
  std::vector<std::uint8_t> values;
  if (decoder.open(jpeg) && decoder.start(region)) {
    for (int y = 0; y < region.height;) {
      const auto rows = decoder.next_rows();
      if (rows.empty()) break;
      for (const std::uint8_t* row : rows) {
        for (int x = 0; x < region.width; ++x)
          values.insert(values.end(), row + 4 * x, row + 4 * x + 3);
      }
      y += static_cast<int>(rows.size());
    }
  }
  decoder.close();
  return values;
}

std::vector<std::uint8_t> cut_out(const PlainImage& image, Region region) {
  std::vector<std::uint8_t> values;
  for (int y = region.y; y < region.y + region.height; ++y) {
    const auto* row =
        image.values.data() + (static_cast<std::size_t>(y) * image.width + region.x) * 3;
    values.insert(values.end(), row, row + static_cast<std::size_t>(region.width) * 3);
  }
  return values;
}

Region some_region(Random& random, int width, int height) {
  const int w = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
  const int h = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(height)));
  return {static_cast<int>(random.below(static_cast<std::uint64_t>(width - w + 1))),
          static_cast<int>(random.below(static_cast<std::uint64_t>(height - h + 1))), w, h};
}

TEST_CASE("jpeg decoder: a region is the full decode's pixels, whatever sampling, size and edges",
          "[unit][decode]") {
  struct Sampling {
    int horizontal, vertical;
  };
  JpegDecoder decoder;
  Random random(42);
  for (const Sampling s :
       {Sampling{2, 2}, Sampling{2, 1}, Sampling{1, 1}, Sampling{1, 2}, Sampling{4, 1}}) {
    for (const bool progressive : {false, true}) {
      for (const auto& [width, height] : {std::pair{163, 121}, {160, 112}, {17, 33}, {500, 375}}) {
        JpegOrder order{.width = width,
                        .height = height,
                        .horizontal = s.horizontal,
                        .vertical = s.vertical,
                        .progressive = progressive,
                        .restart_rows = width == 160 ? 2 : 0};
        const auto jpeg = make_jpeg(order);
        const PlainImage whole = decode_whole(jpeg);
        const int draws = static_cast<int>(sweep_size(6, 24));
        for (int draw = 0; draw < draws; ++draw) {
          const Region region =
              draw == 0 ? Region{0, 0, width, height} : some_region(random, width, height);
          INFO("sampling " << s.horizontal << 'x' << s.vertical << " progressive " << progressive
                           << " of " << width << 'x' << height << ": " << region.x << ','
                           << region.y << ' ' << region.width << 'x' << region.height);
          const bool equal = decode_region(decoder, jpeg, region) == cut_out(whole, region);
          REQUIRE(equal);
          REQUIRE(decoder.problem().clean());
        }
      }
    }
  }
}

TEST_CASE("jpeg decoder: grey files give three equal channels", "[unit][decode]") {
  JpegDecoder decoder;
  const auto jpeg = make_jpeg({.width = 45, .height = 31, .components = 1});
  const PlainImage whole = decode_whole(jpeg);
  CHECK(decode_region(decoder, jpeg, {5, 7, 31, 20}) == cut_out(whole, {5, 7, 31, 20}));
  CHECK(decoder.problem().clean());
}

TEST_CASE("jpeg decoder: CMYK and YCCK files become RGB", "[unit][decode]") {
  JpegDecoder decoder;
  for (const bool ycck : {false, true}) {
    const auto jpeg = make_jpeg({.width = 40, .height = 24, .components = 4, .ycck = ycck});
    const PlainImage whole = decode_whole(jpeg);
    const auto rgb = decode_region(decoder, jpeg, {3, 2, 30, 20});
    REQUIRE(rgb.size() == 30 * 20 * 3);
    // Stored inverted: a channel is its value times the light that black ink leaves.
    for (int y = 0; y < 20; ++y) {
      for (int x = 0; x < 30; ++x) {
        const std::uint8_t* raw = whole.values.data() + ((y + 2) * 40 + x + 3) * 4;
        for (int c = 0; c < 3; ++c) {
          const double want = raw[c] * (raw[3] / 255.0);
          REQUIRE(std::abs(rgb[static_cast<std::size_t>((y * 30 + x) * 3 + c)] - want) <= 1.0);
        }
      }
    }
  }
}

TEST_CASE("jpeg decoder: RGB files and 16-bit tables decode", "[unit][decode]") {
  JpegDecoder decoder;
  for (const JpegOrder& order :
       {JpegOrder{.width = 33, .height = 21, .rgb = true},
        JpegOrder{.width = 33, .height = 21, .quality = 2, .sixteen_bit_tables = true}}) {
    const auto jpeg = make_jpeg(order);
    CHECK(decode_region(decoder, jpeg, {1, 1, 30, 19}) ==
          cut_out(decode_whole(jpeg), {1, 1, 30, 19}));
  }
}

TEST_CASE(
    "jpeg decoder: what is no JPEG is a failure with the library's words, "
    "and the next file decodes",
    "[unit][decode]") {
  JpegDecoder decoder;
  const auto good = make_jpeg({});
  const std::string png = "\x89PNG\r\n\x1a\n and so on";
  const std::string junk = "just some text that somebody called a photograph";
  for (const std::string& bad :
       {png, junk, std::string(), std::string("\xff\xd8"), std::string("\xff\xd8\xff\xc0")}) {
    const auto* first = reinterpret_cast<const std::byte*>(bad.data());
    const std::vector<std::byte> bytes(first, first + bad.size());
    CHECK(decode_region(decoder, bytes, {0, 0, 1, 1}).empty());
    CHECK(decoder.problem().failed);
    CHECK(!decoder.problem().words.empty());
    CHECK(decode_region(decoder, good, {0, 0, 64, 48}) == decode_whole(good).values);
    CHECK(decoder.problem().clean());
  }
  decode_region(decoder, {std::byte{0x89}, std::byte{'P'}, std::byte{'N'}, std::byte{'G'}},
                {0, 0, 1, 1});
  CHECK(std::string(decoder.problem().words) == "Not a JPEG file: starts with 0x89 0x50");
}

TEST_CASE("jpeg decoder: a header of 65500 x 65500 is refused before memory is asked for",
          "[unit][decode]") {
  auto jpeg = make_jpeg({});
  for (std::size_t i = 0; i + 8 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xC0}) {
      for (const std::size_t side : {i + 5, i + 7})
        jpeg[side] = std::byte{0xFF}, jpeg[side + 1] = std::byte{0xDC};
      break;
    }
  }
  JpegDecoder decoder;
  CHECK_FALSE(decoder.open(jpeg));
  CHECK(std::string(decoder.problem().words).find("too large") != std::string::npos);
  decoder.close();
}

TEST_CASE("jpeg decoder: a truncated file is told, also where the cut lies behind the region",
          "[unit][decode]") {
  JpegDecoder decoder;
  for (const bool progressive : {false, true}) {
    const auto whole = make_jpeg({.width = 200, .height = 150, .progressive = progressive});
    for (const double share : {0.3, 0.6, 0.9, 0.999}) {
      std::vector<std::byte> cut(
          whole.begin(),
          whole.begin() + static_cast<long>(static_cast<double>(whole.size()) * share));
      INFO("progressive " << progressive << " cut at " << share);
      CHECK(decode_region(decoder, cut, {0, 0, 200, 20}).size() == 200 * 20 * 3);
      CHECK(decoder.problem().truncated);
      CHECK_FALSE(decoder.problem().failed);
      CHECK(!decoder.problem().words.empty());
    }
  }
}

TEST_CASE("jpeg decoder: bytes behind the end mark are no truncation", "[unit][decode]") {
  auto jpeg = make_jpeg({.width = 90, .height = 70});
  CHECK(has_end_mark(jpeg));
  jpeg.insert(jpeg.end(), 100'000, std::byte{0});
  CHECK_FALSE(has_end_mark(jpeg));
  JpegDecoder decoder;
  CHECK(decode_region(decoder, jpeg, {0, 0, 90, 10}).size() == 90 * 10 * 3);
  CHECK(decoder.problem().clean());
}

TEST_CASE("jpeg decoder: damaged data is a warning, counted, with its words", "[unit][decode]") {
  JpegDecoder decoder;
  int told = 0;
  const auto whole = make_jpeg({.width = 200, .height = 150});
  for (std::size_t at = whole.size() / 4; at < whole.size() - 40; at += whole.size() / 16) {
    auto damaged = whole;
    damaged[at] = std::byte{0xFF};  // a marker that has no business there
    damaged[at + 1] = std::byte{0xD3};
    decode_region(decoder, damaged, {0, 0, 200, 150});
    told += decoder.problem().warnings > 0 && !decoder.problem().words.empty();
    CHECK_FALSE(decoder.problem().failed);
  }
  CHECK(told >= 10);
}

TEST_CASE("jpeg decoder: a file without its tables fails, whatever file came before",
          "[unit][decode]") {
  const auto whole = make_jpeg({});
  auto without = whole;
  for (std::size_t i = 0; i + 3 < without.size();) {
    if (without[i] == std::byte{0xFF} && without[i + 1] == std::byte{0xDB}) {  // quantisation
      const std::size_t length = std::to_integer<std::size_t>(without[i + 2]) * 256 +
                                 std::to_integer<std::size_t>(without[i + 3]);
      without.erase(without.begin() + static_cast<long>(i),
                    without.begin() + static_cast<long>(i + 2 + length));
    } else {
      ++i;
    }
  }
  REQUIRE(without.size() < whole.size());
  JpegDecoder decoder;
  for (int round = 0; round < 2; ++round) {
    CHECK(decode_region(decoder, without, {0, 0, 64, 48}).empty());
    CHECK(decoder.problem().failed);
    CHECK(decode_region(decoder, whole, {0, 0, 64, 48}) == decode_whole(whole).values);
  }
}

TEST_CASE("jpeg decoder: over 100 scans is refused", "[unit][decode]") {
  // A refinement scan said again and again: the classic way to make a few kilobytes cost minutes.
  auto jpeg = make_jpeg({.width = 64, .height = 64, .components = 1, .progressive = true});
  std::size_t last = 0;
  for (std::size_t i = 0; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xFF} && jpeg[i + 1] == std::byte{0xDA}) last = i;
  }
  const std::vector<std::byte> scan(jpeg.begin() + static_cast<long>(last), jpeg.end() - 2);
  jpeg.resize(jpeg.size() - 2);
  for (int i = 0; i < 200; ++i) jpeg.insert(jpeg.end(), scan.begin(), scan.end());
  jpeg.push_back(std::byte{0xFF});
  jpeg.push_back(std::byte{0xD9});
  JpegDecoder decoder;
  CHECK(decode_region(decoder, jpeg, {0, 0, 64, 64}).empty());
  CHECK(decoder.problem().failed);
  CHECK(std::string(decoder.problem().words).find("scans") != std::string::npos);
}

}  // namespace
}  // namespace benchbench::test::decoder
