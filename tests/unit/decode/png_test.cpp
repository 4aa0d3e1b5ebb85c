#include <catch2/catch.hpp>
#include <cstring>

#include "harness/core/random.h"
#include "scenarios/decode/decoded_image.h"
#include "scenarios/decode/image_decoder.h"
#include "scenarios/decode/row_maker.h"
#include "tests/unit/decode/jpeg_making.h"
#include "tests/unit/decode/png_making.h"
#include "tests/unit/decode/recording_meter.h"

namespace benchbench::test::png {
namespace {

// Three values a pixel; empty where the decoder failed.
std::vector<std::uint8_t> region_of(PngDecoder& decoder, std::span<const std::byte> file,
                                    Region region) {
  std::vector<std::uint8_t> values;
  if (decoder.open(file) && decoder.start(region)) {
    for (int y = 0; y < region.height;) {
      const auto rows = decoder.next_rows();
      if (rows.empty()) break;
      for (const std::uint8_t* row : rows)
        for (int x = 0; x < region.width; ++x)
          values.insert(values.end(), row + 4 * x, row + 4 * x + 3);
      y += static_cast<int>(rows.size());
    }
  }
  decoder.close();
  if (decoder.problem().failed) values.clear();
  return values;
}

std::vector<std::uint8_t> cut(const MadePng& png, int width, Region region) {
  std::vector<std::uint8_t> values;
  for (int y = region.y; y < region.y + region.height; ++y) {
    const auto* row =
        png.pixels.data() + (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(region.x)) *
                                3;
    values.insert(values.end(), row, row + static_cast<std::size_t>(region.width) * 3);
  }
  return values;
}

std::string words_of(PngDecoder& decoder, std::span<const std::byte> file) {
  region_of(decoder, file, {0, 0, 1, 1});
  return std::string(decoder.problem().words);
}

TEST_CASE("png: every colour type, depth and order gives the pixels it was made of, and regions",
          "[unit][decode]") {
  struct Kind {
    PngOrder::Colour colour;
    std::initializer_list<int> bits;
  };
  PngDecoder decoder;
  Random random(5);
  for (const Kind& kind : {Kind{PngOrder::grey, {1, 2, 4, 8, 16}}, Kind{PngOrder::rgb, {8, 16}},
                           Kind{PngOrder::palette, {1, 2, 4, 8}},
                           Kind{PngOrder::grey_alpha, {8, 16}}, Kind{PngOrder::rgb_alpha, {8, 16}}})
    for (const int bits : kind.bits)
      for (const bool interlaced : {false, true})
        for (const auto& [width, height] : {std::pair{37, 23}, {1, 1}, {3, 50}, {130, 2}}) {
          const MadePng png = make_png({.width = width,
                                        .height = height,
                                        .colour = kind.colour,
                                        .bits = bits,
                                        .interlaced = interlaced,
                                        .chunks = {},
                                        .seed = random.next()});
          INFO("colour " << kind.colour << ", " << bits << " bits, " << width << " x " << height
                         << (interlaced ? ", interlaced" : ""));
          REQUIRE(PngDecoder::begins(png.file));
          const bool whole = region_of(decoder, png.file, {0, 0, width, height}) == png.pixels;
          CHECK(whole);
          const int w = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(width))),
                    h = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(height)));
          const Region part{width - w, (height - h) / 2, w, h};
          const bool same = region_of(decoder, png.file, part) == cut(png, width, part);
          CHECK(same);
        }
}

TEST_CASE("png: transparency and gamma change no colour", "[unit][decode]") {
  PngDecoder decoder;
  for (const std::string& chunks :
       {png_chunk("tRNS", std::string("\0\1\0\2\0\3", 6)), png_chunk("gAMA", "\x01\x86\xA0z"),
        png_chunk("tEXt", std::string("Comment\0words", 13))}) {
    const MadePng png = make_png({.chunks = chunks});
    const bool same = region_of(decoder, png.file, {0, 0, 37, 23}) == png.pixels;
    CHECK(same);
  }
  const MadePng palette = make_png(
      {.colour = PngOrder::palette, .chunks = png_chunk("tRNS", std::string("\0\x80", 2))});
  const bool same = region_of(decoder, palette.file, {0, 0, 37, 23}) == palette.pixels;
  CHECK(same);
}

TEST_CASE("png: a file cut anywhere, or with a wrong checksum, is an error and no pixels",
          "[unit][decode]") {
  PngDecoder decoder;
  for (const bool interlaced : {false, true}) {
    const MadePng png = make_png({.interlaced = interlaced, .chunks = {}});
    const auto rows_end = static_cast<std::size_t>(png.file.size() - 12 - 4);  // IEND, IDAT's CRC
    for (std::size_t size = 8; size < rows_end - 4; size += 97) {
      INFO("cut at " << size);
      const auto part = std::span(png.file).first(size);
      CHECK(region_of(decoder, part, {0, 0, 37, 23}).empty());
      CHECK(decoder.problem().failed);
      CHECK(decoder.problem().words == "the PNG file ends before its image does");
    }
    auto turned = png.file;
    turned[19] ^= std::byte{2};  // of the width
    CHECK(region_of(decoder, turned, {0, 0, 35, 23}).empty());
    CHECK(decoder.problem().words == "invalid chunk checksum");
    CHECK(region_of(decoder, png.file, {0, 0, 37, 23}).size() == 37 * 23 * 3);  // and goes on
  }
}

TEST_CASE(
    "png: an image that is too large, and a chunk that is, are refused before memory is taken",
    "[unit][decode]") {
  PngDecoder decoder;
  std::string file = "\x89PNG\r\n\x1a\n" +
                     png_chunk("IHDR", std::string("\0\0\x4E\x20\0\0\x4E\x20\x08\2\0\0\0", 13)) +
                     png_chunk("IDAT", "") + png_chunk("IEND", "");
  CHECK(words_of(decoder, std::as_bytes(std::span(file))) ==
        "image too large: over 300 million channel values");
  const MadePng png =
      make_png({.chunks = png_chunk(
                    "tEXt", std::string("a\0", 2) + std::string(PngDecoder::kMaxChunk, 'x'))});
  CHECK(words_of(decoder, png.file) == "reached chunk/cache limits");
}

TEST_CASE("png: rows are those of the same pixels, and errors are the sample's", "[unit][decode]") {
  const auto runtime = make_real_runtime();
  RecordingMeter meter;
  for (const bool interlaced : {false, true})
    for (const bool scaled : {false, true}) {
      const MadePng png =
          make_png({.width = 300, .height = 200, .interlaced = interlaced, .chunks = {}});
      ImageRecipe recipe;
      recipe.size = 32;
      recipe.scaled_decode = scaled;
      RowMaker maker(recipe, *runtime);
      DecodedImage image;
      image.take_rgb(std::as_bytes(std::span(png.pixels)), 300, 200);
      std::vector<std::byte> row(recipe.tensor().bytes_per_row()), wanted(row.size());
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const StoredSample sample{.payload = png.file, .label = 0, .name = "a.png"};
        CHECK(maker.make(sample, {.id = 1, .seed = seed}, 0, meter, row.data()));
        CHECK(maker.reduction() == 1);
        CHECK(maker.decode_only(sample, {.id = 1, .seed = seed}, 0, meter));
        maker.make_from(image, {.id = 1, .seed = seed}, 0, meter, wanted.data());
        const bool same = row == wanted;
        CHECK(same);
      }
      CHECK(meter.faults.empty());
    }
  ImageDecoder decoder;
  const MadePng png = make_png({});
  CHECK(DecodedImage::of(png.file, decoder)->pixel(36, 22)[1] == png.pixels[37 * 23 * 3 - 2]);
  CHECK(DecodedImage::of(make_jpeg({}), decoder)->width() == 64);  // of either kind in turns
  CHECK_FALSE(DecodedImage::of(std::span(png.file).first(200), decoder));
  RowMaker maker(ImageRecipe{.size = 8, .range = {}}, *runtime);
  std::vector<std::byte> row(8 * 8 * 3, std::byte{7});
  CHECK_FALSE(maker.make({.payload = std::span(png.file).first(200), .label = 0, .name = "a.png"},
                         {.id = 1, .seed = 3}, 0, meter, row.data()));
  CHECK(row == std::vector<std::byte>(row.size()));
  REQUIRE(meter.faults.size() == 1);
  CHECK(meter.faults[0].kind == SampleFault::decode_error);
  CHECK(meter.faults[0].what == "the PNG file ends before its image does");
}

}  // namespace
}  // namespace benchbench::test::png
