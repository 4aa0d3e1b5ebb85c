// Small data sets of every kind, made once by the catalogue's own synthesis and formats.
#pragma once
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/contract/parts/catalogue_rows.h"
#include "tests/contract/parts/part_settings.h"
#include "tests/scratch_folder.h"

namespace benchbench::test {

inline constexpr std::uint64_t kSamples = 29;  // a prime, so that an epoch ends with a short batch

// What a loader may be given to read.
enum class Food { none, images, pixels, tokens, volumes };
inline constexpr Food kFoods[] = {Food::images, Food::pixels, Food::tokens, Food::volumes};
inline const char* name_of(Food food) {
  constexpr const char* names[] = {"no data", "images", "pixels", "tokens", "volumes"};
  return names[static_cast<int>(food)];
}

class DataSets {
 public:
  static DataSets& all() {
    static DataSets sets;
    return sets;
  }
  // Formats of the catalogue that can hold such data, in its order.
  static std::vector<std::string_view> formats_for(Food food) {
    std::vector<std::string_view> formats;
    for (const PartRow& row : built_in_catalog().rows()) {
      const PartDescription& d = *row.description;
      if (d.kind == PartKind::sample_format && holds(d.holds, food) && why_absent(row).empty())
        formats.push_back(d.name);
    }
    return formats;
  }
  // Where the data lies, made at the first call. Indexes of formats go into a folder of the test's
  // own from then on.
  DatasetPlace in(std::string_view format, Food food) {
    ::setenv("BENCHBENCH_CACHE", (folder_ / "cache").c_str(), 1);
    const std::string name = std::string(format) + "-" + name_of(food);
    auto [at, is_new] = paths_.try_emplace(name, (folder_ / name / "data").string());
    if (is_new) make(format, food, at->second);
    return {.format = format, .path = at->second};
  }
  DatasetPlace of(Food food) {
    const auto formats = formats_for(food);
    REQUIRE_FALSE(formats.empty());
    return in(formats.front(), food);
  }

 private:
  DataSets() { folder_ = make_scratch_folder("parts"); }
  ~DataSets() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  static bool holds(const Holds& holds, Food food) {
    return food == Food::images    ? holds.images
           : food == Food::pixels  ? holds.pixels
           : food == Food::tokens  ? holds.tokens
           : food == Food::volumes ? holds.volumes
                                   : false;
  }
  static std::unique_ptr<Synthesis> synthesis_of(Food food) {
    const DataKind wanted = food == Food::tokens    ? DataKind::tokens
                            : food == Food::volumes ? DataKind::volume
                                                    : DataKind::image;
    for (const PartRow& row : built_in_catalog().rows()) {
      if (row.description->kind != PartKind::synthesis || !why_absent(row).empty()) continue;
      const PartSettings settings(*row.description);
      auto made = built_in_catalog()
                      .maker(PartKind::synthesis, row.description->name)
                      .synthesis(settings.view());
      if (made->payload().data == wanted) return made;
    }
    FAIL("no synthesis makes " << name_of(food));
    return nullptr;
  }

  static void make(std::string_view format, Food food, const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const auto made = synthesis_of(food);
    REQUIRE(made->samples() == kSamples);
    std::unique_ptr<Preparation> pixels;
    if (food == Food::pixels)
      pixels = built_in_catalog().maker(PartKind::preparation, "decoded").preparation(40);
    const auto writer =
        built_in_catalog()
            .maker(PartKind::sample_format, format)
            .format.create({path, kSamples, pixels ? pixels->payload() : made->payload()});
    for (SampleId id = 0; id < kSamples; ++id) {
      const std::int64_t label = made->label(id);
      const std::string name = "c" + std::to_string(100 + label) + "/" + std::to_string(1000 + id) +
                               std::string(made->extension());
      const auto add = [&](std::span<const std::byte> payload) {
        writer->add(name, label, payload);
      };
      made->make(id, [&](std::span<const std::byte> payload) {
        if (!pixels) return add(payload);
        REQUIRE(pixels->make(payload, add));
      });
    }
    writer->finish();
  }

  std::filesystem::path folder_;
  std::map<std::string, std::string> paths_;
};

// What a loader that reads data can be tried on. Which of the two kinds of images a loader takes
// its description does not say: pixels are for those that take whatever a data set holds.
inline std::vector<Food> foods_of(const PartDescription& loader) {
  if (!loader.needs_dataset) return {Food::none};
  switch (loader.data) {
    case DataKind::image:
      return {Food::images};
    case DataKind::tokens:
      return {Food::tokens};
    case DataKind::volume:
      return {Food::volumes};
    case DataKind::any:
      break;
  }
  return {std::begin(kFoods), std::end(kFoods)};
}

}  // namespace benchbench::test
