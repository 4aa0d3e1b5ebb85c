// The native loader without one of its parts, and over an emulated storage.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "tests/unit/decode/jpeg_making.h"
#include "tests/unit/decode/recording_meter.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::without_parts {
namespace {

constexpr SampleId kCount = 9;

std::string data_in(const TestFolder& folder, std::string_view format) {
  const std::string path = folder.at("data-" + std::string(format));
  const auto writer = create_archive(format, path);
  for (SampleId id = 0; id < kCount; ++id)
    writer->add(std::to_string(id) + "/a.jpg", static_cast<std::int64_t>(id),
                make_jpeg({.width = 70 + static_cast<int>(id) * 13,
                           .height = 60 + static_cast<int>(id) * 9,
                           .seed = id}));
  writer->finish();
  return path;
}

struct Asked final : EmulatedStorage {
  void fetch(std::uint64_t count, bool follows_last) override {
    bytes += count;
    follows.push_back(follows_last);
  }
  std::uint64_t bytes = 0;
  std::vector<bool> follows;
};

std::unique_ptr<Loader> loader_of(std::string_view format, const std::string& path,
                                  std::string_view payload, std::string_view residency = "storage",
                                  EmulatedStorage* store = nullptr, std::uint64_t read_size = 0) {
  SettingsMap map;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::loader, "native")->description->parameters)
    if (const auto value = Value::parse(p.type, p.standard);
        !value->none() || p.type == ParameterType::choice)
      map.set("loader." + std::string(p.key),
              value->none() ? Value{p.type, std::string(p.standard)} : *value);
  map.set("loader.transform.random_resized_crop", {ParameterType::integer, std::int64_t{24}});
  map.set("loader.payload", {ParameterType::choice, std::string(payload)});
  map.set("loader.read_size", {ParameterType::bytes, static_cast<std::int64_t>(read_size)});
  map.set("loader.residency", {ParameterType::choice, std::string(residency)});
  const PrefixedSettings settings(map, "loader.");
  return built_in_catalog()
      .maker(PartKind::loader, "native")
      .loader({.settings = settings,
               .dataset = {format, path},
               .catalog = &built_in_catalog(),
               .store = store});
}

struct Rows {
  std::vector<std::vector<std::byte>> images;
  std::vector<std::int64_t> labels;
  bool operator==(const Rows&) const = default;
};

Rows rows_of(Loader& loader, std::span<const SampleId> ids, std::uint64_t seed, StageMeter& meter) {
  const auto runtime = make_real_runtime();
  const BatchSpec spec = loader.spec();
  const std::size_t bytes = spec.tensor[0].bytes_per_row();
  std::vector<std::byte> images(ids.size() * bytes, std::byte{0xEE});
  Rows rows;
  rows.labels.resize(ids.size(), -1);
  const auto count = static_cast<std::int64_t>(ids.size());
  const TensorView views[] = {
      {spec.tensor[0], count, images.data()},
      {spec.tensor[1], count, reinterpret_cast<std::byte*>(rows.labels.data())}};
  std::vector<SampleRef> refs;
  for (const SampleId id : ids) refs.push_back({id, mix_seed(seed, id)});
  loader.worker(0, *runtime)->fill({.samples = refs, .rows = RowSpan(views, 0, ids.size())}, meter);
  for (std::size_t i = 0; i < ids.size(); ++i)
    rows.images.emplace_back(images.begin() + static_cast<long>(i * bytes),
                             images.begin() + static_cast<long>((i + 1) * bytes));
  return rows;
}

std::vector<SampleId> all_in_order() {
  std::vector<SampleId> ids(kCount);
  for (SampleId id = 0; id < kCount; ++id) ids[id] = id;
  return ids;
}

// Fewer samples than are held: each sample gets its own pixels, so the rows must be those of the
// real thing.
TEST_CASE("native without decoding: crops, flips and resizes of held pixels are the real ones",
          "[unit][native]") {
  const TestFolder folder;
  const std::string path = data_in(folder, "image_folder");
  const auto ids = all_in_order();
  for (const std::uint64_t seed : {1, 2, 3}) {
    RecordingMeter real, without;
    const Rows rows = rows_of(*loader_of("image_folder", path, "stored"), ids, seed, real);
    CHECK(rows_of(*loader_of("image_folder", path, "decoded"), ids, seed, without) == rows);
    CHECK(real.times.count(Stage::decode) == 1);
    CHECK(without.times.count(Stage::decode) == 0);
    CHECK(without.times.count(Stage::transform) == 1);
    // The samples are still read, and their bytes checked.
    CHECK(without.read_bytes == real.read_bytes);
    CHECK(without.payload_bytes == real.payload_bytes);
  }
}

TEST_CASE("native without transforming: samples are decoded, finished rows are copied",
          "[unit][native]") {
  const TestFolder folder;
  const std::string path = data_in(folder, "tar");
  const auto ids = all_in_order();
  for (const std::string payload : {"transformed", "ready"}) {
    INFO(payload);
    const auto loader = loader_of("tar", path, payload);
    RecordingMeter one, other;
    const Rows rows = rows_of(*loader, ids, 1, one);
    CHECK(rows_of(*loader, ids, 2, other) == rows);  // no crop is drawn
    CHECK(rows.labels == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
    for (std::size_t i = 1; i < rows.images.size(); ++i)
      CHECK(rows.images[i] != rows.images[i - 1]);
    CHECK(one.times.count(Stage::decode) == (payload == "transformed" ? 1 : 0));
    CHECK(one.times.count(Stage::read) == 1);
    CHECK(one.payload_bytes > 0);
  }
}

TEST_CASE("native without transforming: a bad sample is still found", "[unit][native]") {
  const TestFolder folder;
  const std::string path = data_in(folder, "image_folder");
  const auto loader = loader_of("image_folder", path, "transformed");
  std::ofstream(path + "/4/a.jpg", std::ios::trunc) << "no image";
  RecordingMeter meter;
  const Rows rows = rows_of(*loader, all_in_order(), 1, meter);
  REQUIRE(meter.faults.size() == 1);
  CHECK(meter.faults[0].id == 4);
  CHECK(rows.images[4] == std::vector<std::byte>(rows.images[4].size()));
}

TEST_CASE("native: a played store is asked for every sample's bytes, and told which follow",
          "[unit][native]") {
  const TestFolder folder;
  const std::vector<SampleId> ids{3, 4, 5, 0, 1, 7, 8};
  for (const std::string format : {"tar", "image_folder", "hdf5"}) {
    INFO(format);
    const std::string path = data_in(folder, format);
    Asked asked;
    RecordingMeter meter;
    rows_of(*loader_of(format, path, "stored", "storage", &asked), ids, 1, meter);
    CHECK(asked.bytes == meter.read_bytes);  // a tar member's header with it
    CHECK(asked.bytes == meter.payload_bytes + (format == "tar" ? 512 * ids.size() : 0));
    if (format == "image_folder")
      CHECK(asked.follows == std::vector<bool>(ids.size(), false));
    else
      CHECK(asked.follows == std::vector<bool>{false, true, true, false, true, false, true});
    Asked merged;
    rows_of(*loader_of(format, path, "stored", "storage", &merged, 1 << 20), ids, 1, meter);
    // 3 to 5, 0 and 1, 7 and 8 are merged; where sample 6 is small, it is read with its neighbours.
    if (format != "image_folder") {
      CHECK(merged.follows.size() <= 3);
      CHECK(std::ranges::count(merged.follows, true) == 0);
      CHECK(merged.bytes >= meter.payload_bytes / 2);
    }
    if (format == "image_folder") CHECK(merged.follows.size() == ids.size());
    Asked unasked;
    rows_of(*loader_of(format, path, "stored", "host", &unasked), ids, 1, meter);
    CHECK(unasked.bytes == 0);  // in memory there is no storage
  }
}

TEST_CASE("native: every component it says it can run without names a parameter and a value it has",
          "[unit][native]") {
  const PartDescription& native = *built_in_catalog().find(PartKind::loader, "native")->description;
  CHECK(native.substitutions.size() == 3);
  for (const Substitution& s : native.substitutions)
    for (const Change& change : s.changes) {
      const auto found = std::ranges::find(native.parameters, change.key, &Parameter::key);
      REQUIRE(found != native.parameters.end());
      CHECK(std::ranges::find(found->choices, change.value) != found->choices.end());
      CHECK(found->standard != change.value);
    }
}

}  // namespace
}  // namespace benchbench::test::without_parts
