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
#include "tests/unit/decode/recording_meter.h"

namespace benchbench::test::pillow {
namespace {

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

void make_one(const std::filesystem::path& folder, int i, std::ofstream& list,
              const Runtime& runtime) {
  ImageRecipe recipe;
  const bool random = i < 100;
  if (!random) recipe.crop = ImageRecipe::Crop::centre, recipe.resize = 256 + i % 3 * 40;
  const JpegOrder order = order_of(i);
  const auto jpeg = make_jpeg(order);
  const auto seed = static_cast<std::uint64_t>(i) + 1000;
  RecordingMeter meter;
  RowMaker maker(recipe, runtime);
  std::vector<std::byte> row(recipe.tensor().bytes_per_row());
  REQUIRE(maker.make({.payload = jpeg, .label = 0, .name = "x"}, {.id = 0, .seed = seed}, 0, meter,
                     row.data()));
  const auto [box, mirrored] = draw_sample(recipe, order.width, order.height, seed);
  const std::string name = std::to_string(i) + ".jpg";
  std::ofstream(folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(jpeg.data()), static_cast<long>(jpeg.size()));
  std::ofstream(folder / (name + ".rgb"), std::ios::binary)
      .write(reinterpret_cast<const char*>(row.data()), static_cast<long>(row.size()));
  list << name << ' ' << recipe.size << ' ' << box.x << ' ' << box.y << ' ' << box.width << ' '
       << box.height << ' ' << mirrored << ' ' << (random ? "random" : "centre") << ' '
       << recipe.resize << '\n';
}

TEST_CASE("pillow: every pixel of 100 random crops and 20 central ones is within 2 levels",
          "[unit][decode]") {
  if (output_of(python() + " -c 'import PIL; print(1)' 2>/dev/null") != "1\n") {
    BENCHBENCH_SKIP(python() + " has no Pillow; set BENCHBENCH_PYTHON to one that has");
  }
  const std::filesystem::path folder = test::make_scratch_folder("pillow");
  const auto runtime = make_real_runtime();
  {
    std::ofstream list(folder / "list.txt");
    for (int i = 0; i < 120; ++i) make_one(folder, i, list, *runtime);
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
