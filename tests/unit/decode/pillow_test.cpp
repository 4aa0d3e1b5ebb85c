// Our rows beside Pillow's, where a python3 with Pillow is at hand (BENCHBENCH_PYTHON names
// another).
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/decode/row_maker.h"
#include "tests/places.h"
#include "tests/scratch_folder.h"
#include "tests/skip.h"
#include "tests/unit/decode/jpeg_making.h"
#include "tests/unit/decode/png_making.h"
#include "tests/unit/decode/recording_meter.h"

namespace benchbench::test::pillow {
namespace {

constexpr int kJpegs = 120;

std::string python() {
  const char* named = std::getenv("BENCHBENCH_PYTHON");
  return named && *named ? named : "python3";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  char part[256];
  while (pipe && std::fgets(part, sizeof part, pipe)) text += part;
  if (pipe) ::pclose(pipe);
  return text;
}

JpegOrder order_of(int i) {
  constexpr int kSampling[][2] = {{2, 2}, {2, 2}, {2, 1}, {1, 1}};
  JpegOrder order{.width = 80 + i * 67 % 900,
                  .height = 70 + i * 91 % 700,
                  .seed = static_cast<std::uint64_t>(i)};
  order.horizontal = kSampling[i % 4][0];
  order.vertical = kSampling[i % 4][1];
  order.progressive = i % 9 == 8;
  if (i % 10 == 3) order.components = 1;
  if (i % 10 == 6) order.components = 4, order.ycck = i % 20 == 6;
  return order;
}

struct Encoded {
  std::vector<std::byte> file;
  std::string extension;
  int width, height;
};

// Grey of 16 bits is clipped by Pillow.
PngOrder png_order_of(int i) {
  constexpr std::pair<PngOrder::Colour, int> kKinds[] = {
      {PngOrder::rgb, 8},        {PngOrder::palette, 4}, {PngOrder::grey, 8},
      {PngOrder::grey_alpha, 8}, {PngOrder::rgb, 16},    {PngOrder::rgb_alpha, 8},
      {PngOrder::palette, 8},    {PngOrder::grey, 2}};
  const auto& [colour, bits] = kKinds[i % 8];
  return {.width = 80 + i * 67 % 300,
          .height = 70 + i * 91 % 300,
          .colour = colour,
          .bits = bits,
          .interlaced = i % 3 == 1,
          .chunks = {},
          .seed = static_cast<std::uint64_t>(i)};
}

Encoded encoded(int i) {
  if (i >= kJpegs) {
    const PngOrder order = png_order_of(i);
    return {make_png(order).file, ".png", order.width, order.height};
  }
  const JpegOrder order = order_of(i);
  return {make_jpeg(order), ".jpg", order.width, order.height};
}

void make_one(const std::filesystem::path& folder, int i, std::ofstream& list,
              const Runtime& runtime) {
  ImageRecipe recipe;
  const bool random = i < 100 || i >= kJpegs;
  if (!random) recipe.crop = ImageRecipe::Crop::centre, recipe.resize = 256 + i % 3 * 40;
  const Encoded image = encoded(i);
  const auto seed = static_cast<std::uint64_t>(i) + 1000;
  RecordingMeter meter;
  RowMaker maker(recipe, runtime);
  std::vector<std::byte> row(recipe.tensor().bytes_per_row());
  REQUIRE(maker.make({.payload = image.file, .label = 0, .name = "x"}, {.id = 0, .seed = seed}, 0,
                     meter, row.data()));
  const auto [box, mirrored] = draw_sample(recipe, image.width, image.height, seed);
  const std::string name = std::to_string(i) + image.extension;
  std::ofstream(folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.file.data()),
             static_cast<long>(image.file.size()));
  std::ofstream(folder / (name + ".rgb"), std::ios::binary)
      .write(reinterpret_cast<const char*>(row.data()), static_cast<long>(row.size()));
  list << name << ' ' << recipe.size << ' ' << box.x << ' ' << box.y << ' ' << box.width << ' '
       << box.height << ' ' << mirrored << ' ' << (random ? "random" : "centre") << ' '
       << recipe.resize << '\n';
}

TEST_CASE("pillow: every pixel of 100 random crops, 20 central ones and 24 PNGs is within 2 levels",
          "[unit][decode]") {
  if (output_of(python() + " -c 'import PIL; print(1)' 2>/dev/null") != "1\n") {
    BENCHBENCH_SKIP(python() + " has no Pillow; set BENCHBENCH_PYTHON to one that has");
  }
  const std::filesystem::path folder = test::make_scratch_folder("pillow");
  const auto runtime = make_real_runtime();
  {
    std::ofstream list(folder / "list.txt");
    for (int i = 0; i < kJpegs + 24; ++i) make_one(folder, i, list, *runtime);
  }
  const std::string said =
      output_of(python() + " " + source_path("tests/unit/decode/pillow_compare.py") + " " +
                folder.string() + " 2>&1");
  std::filesystem::remove_all(folder);
  INFO(said);
  const std::size_t last = said.find_last_of('\n', said.size() - 2);
  const std::string worst = said.substr(last == std::string::npos ? 0 : last + 1);
  REQUIRE(worst.size() == 2);  // a digit and the line's end: the script ran to its end
  CHECK(worst[0] <= '2');
  std::printf("pillow: largest difference %s", worst.c_str());
}

}  // namespace
}  // namespace benchbench::test::pillow
