// Volumes and decoded images through the native loader, out of every format that holds them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "scenarios/decode/row_maker.h"
#include "scenarios/loaders/volume_transform.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::array_rows {
namespace {

constexpr std::size_t kSamples = 6;
constexpr PayloadSpec kVolumes{
    .data = DataKind::volume, .dtype = DType::int16, .row = {.extent = {6, 10, 12}, .rank = 3}};
constexpr PayloadSpec kPixels{
    .data = DataKind::image, .dtype = DType::uint8, .row = {.extent = {40, 50, 3}, .rank = 3}};

std::vector<std::byte> sample(const PayloadSpec& payload, SampleId id) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(payload.row.elements()) *
                               size_of(payload.dtype));
  Random random(id + 1);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next() >> 60);
  return bytes;
}

struct Loaded {
  std::vector<std::byte> rows;
  std::vector<std::int64_t> labels;
  BatchSpec spec;
};

Loaded load(std::string_view format, const std::string& path,
            const std::map<std::string, std::string>& changes) {
  SettingsMap settings;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::loader, "native")->description->parameters) {
    const auto changed = changes.find(std::string(p.key));
    const std::string_view text = changed == changes.end() ? p.standard : changed->second;
    if (text != "none" || p.type == ParameterType::choice)
      settings.set("loader." + std::string(p.key), *Value::parse(p.type, text));
  }
  const PrefixedSettings view(settings, "loader.");
  const auto loader =
      built_in_catalog()
          .maker(PartKind::loader, "native")
          .loader({.settings = view, .dataset = {format, path}, .catalog = &built_in_catalog()});
  Loaded loaded{
      .rows = {}, .labels = std::vector<std::int64_t>(kSamples, -1), .spec = loader->spec()};
  TensorView views[] = {{loaded.spec.tensor[0], kSamples, nullptr},
                        {loaded.spec.tensor[1], kSamples, nullptr}};
  loaded.rows.resize(views[0].bytes());
  views[0].data = loaded.rows.data();
  views[1].data = reinterpret_cast<std::byte*>(loaded.labels.data());
  std::vector<SampleRef> refs;
  for (SampleId id = 0; id < kSamples; ++id) refs.push_back({kSamples - 1 - id, 100 + id});
  const auto runtime = make_real_runtime();
  NullMeter meter;
  loader->worker(0, *runtime)->fill({.samples = refs, .rows = RowSpan(views, 0, kSamples)}, meter);
  return loaded;
}

template <class Use>
void for_each_format_of(const PayloadSpec& payload, Use use) {
  int formats = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format || !row.module.empty() ||
        !can_hold(row.description->holds, payload))
      continue;
    ++formats;
    const TestFolder folder;
    const std::string path = folder.at("set");
    const auto writer = built_in_catalog()
                            .maker(PartKind::sample_format, row.description->name)
                            .format.create({path, kSamples, payload});
    for (SampleId id = 0; id < kSamples; ++id)
      writer->add("n/" + std::to_string(id), static_cast<std::int64_t>(id % 4),
                  sample(payload, id));
    writer->finish();
    INFO("format " << row.description->name);
    use(std::string(row.description->name), path);
  }
  CHECK(formats >= 6);
}

TEST_CASE("native: rows of volumes are those of the pipeline alone, out of every format",
          "[unit][native]") {
  VolumePlan plan;
  plan.from[0] = 6, plan.from[1] = 10, plan.from[2] = 12;
  plan.patch[0] = 6, plan.patch[1] = 8, plan.patch[2] = 8;
  for_each_format_of(kVolumes, [&](const std::string& format, const std::string& path) {
    const Loaded loaded = load(format, path, {{"transform.random_patch", "8"}});
    CHECK(std::string_view(loaded.spec.tensor[0].name) == "volume");
    REQUIRE(loaded.spec.tensor[0].row == Shape{.extent = {1, 6, 8, 8}, .rank = 4});
    VolumeMaker maker(plan);
    std::vector<float> want(plan.elements());
    for (std::size_t i = 0; i < kSamples; ++i) {
      const SampleId id = kSamples - 1 - i;
      CHECK(loaded.labels[i] == static_cast<std::int64_t>(id % 4));
      maker.make(sample(kVolumes, id), 100 + i, want.data());
      REQUIRE(std::memcmp(loaded.rows.data() + i * want.size() * sizeof(float), want.data(),
                          want.size() * sizeof(float)) == 0);
    }
    CHECK(load(format, path, {{"transform.random_patch", "8"}, {"residency", "host"}}).rows ==
          loaded.rows);
    CHECK(load(format, path, {{"transform.random_patch", "8"}, {"payload", "transformed"}}).rows !=
          loaded.rows);
  });
}

TEST_CASE("native: a decoded image becomes the row that its pixels become", "[unit][native]") {
  for_each_format_of(kPixels, [&](const std::string& format, const std::string& path) {
    const Loaded loaded = load(format, path, {{"transform.random_resized_crop", "16"}});
    REQUIRE(loaded.spec.tensor[0].row == Shape{.extent = {16, 16, 3}, .rank = 3});
    ImageRecipe recipe;
    recipe.size = 16;
    const auto runtime = make_real_runtime();
    RowMaker maker(recipe, *runtime);
    NullMeter meter;
    DecodedImage image;
    std::vector<std::byte> want(16 * 16 * 3);
    for (std::size_t i = 0; i < kSamples; ++i) {
      const auto pixels = sample(kPixels, kSamples - 1 - i);
      image.take_rgb(pixels, 50, 40);
      CHECK(image.pixel(49, 39)[2] == std::to_integer<std::uint8_t>(pixels.back()));
      CHECK(image.pixel(7, 3)[1] == std::to_integer<std::uint8_t>(pixels[(3 * 50 + 7) * 3 + 1]));
      maker.make_from(image, {.id = 0, .seed = 100 + i}, 0, meter, want.data());
      REQUIRE(std::memcmp(loaded.rows.data() + i * want.size(), want.data(), want.size()) == 0);
    }
  });
}

}  // namespace
}  // namespace benchbench::test::array_rows
