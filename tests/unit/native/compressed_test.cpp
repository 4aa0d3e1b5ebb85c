// The native loader on compressed arrays without its storage, and without inflating them.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "tests/unit/decode/recording_meter.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::compressed {
namespace {

constexpr SampleId kVolumes = 5;
constexpr PayloadSpec kScan{
    .data = DataKind::volume, .dtype = DType::int16, .row = {.extent = {8, 16, 16}, .rank = 3}};

std::string scans_in(const TestFolder& folder, std::string_view format) {
  const std::string path = folder.at("scans-" + std::string(format));
  const auto writer = built_in_catalog()
                          .maker(PartKind::sample_format, format)
                          .format.create({path, kVolumes, kScan});
  std::vector<std::int16_t> values(8 * 16 * 16);
  for (SampleId id = 0; id < kVolumes; ++id) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int16_t>(i / 9 % 97 + 100 * id);
    writer->add(std::to_string(id) + "/a.npy", static_cast<std::int64_t>(id),
                std::as_bytes(std::span(values)));
  }
  writer->finish();
  return path;
}

struct Waits final : EmulatedStorage {
  void fetch(std::uint64_t count, bool) override { bytes += count; }
  std::uint64_t bytes = 0;
};

struct Setting {
  std::string_view io, payload = "stored", residency = "storage";
};

std::unique_ptr<Loader> loader_of(std::string_view format, const std::string& path,
                                  const Setting& s, EmulatedStorage* store = nullptr) {
  SettingsMap map;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::loader, "native")->description->parameters)
    if (const auto value = Value::parse(p.type, p.standard);
        !value->none() || p.type == ParameterType::choice)
      map.set("loader." + std::string(p.key),
              value->none() ? Value{p.type, std::string(p.standard)} : *value);
  map.set("loader.io", {ParameterType::choice, std::string(s.io)});
  map.set("loader.payload", {ParameterType::choice, std::string(s.payload)});
  map.set("loader.residency", {ParameterType::choice, std::string(s.residency)});
  map.set("loader.transform.random_patch", {ParameterType::integer, std::int64_t{6}});
  const PrefixedSettings settings(map, "loader.");
  return built_in_catalog()
      .maker(PartKind::loader, "native")
      .loader({.settings = settings,
               .dataset = {format, path},
               .catalog = &built_in_catalog(),
               .store = store});
}

std::vector<std::byte> rows_of(Loader& loader, StageMeter& meter) {
  const auto runtime = make_real_runtime();
  const BatchSpec spec = loader.spec();
  std::vector<std::byte> rows(kVolumes * spec.tensor[0].bytes_per_row(), std::byte{0xEE});
  std::vector<std::int64_t> labels(kVolumes, -1);
  const TensorView views[] = {
      {spec.tensor[0], kVolumes, rows.data()},
      {spec.tensor[1], kVolumes, reinterpret_cast<std::byte*>(labels.data())}};
  std::vector<SampleRef> refs;
  for (SampleId id = 0; id < kVolumes; ++id) refs.push_back({id, 31 * id});
  loader.worker(0, *runtime)->fill({.samples = refs, .rows = RowSpan(views, 0, kVolumes)}, meter);
  CHECK(labels == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  return rows;
}

bool billed(const RecordingMeter& meter, Stage stage) { return meter.times.contains(stage); }

}  // namespace

TEST_CASE(
    "native, compressed arrays: without storage they are still inflated, "
    "and by the library under its lock",
    "[unit][native]") {
  const TestFolder folder;
  const std::string path = scans_in(folder, "hdf5_gzip");
  for (const std::string_view io : {"auto", "library"}) {
    INFO("io: " << io);
    Waits store;
    RecordingMeter real, resident;
    const auto rows = rows_of(*loader_of("hdf5_gzip", path, {io}, &store), real);
    CHECK(billed(real, Stage::read));
    CHECK(billed(real, Stage::decode));
    CHECK(billed(real, Stage::lock) == (io == "library"));
    CHECK_FALSE(billed(real, Stage::parse));
    CHECK(store.bytes == real.read_bytes);
    store.bytes = 0;
    CHECK(rows_of(*loader_of("hdf5_gzip", path, {io, "stored", "host"}, &store), resident) == rows);
    CHECK(store.bytes == 0);  // nothing is asked of a store that is played
    CHECK(billed(resident, Stage::decode));
    CHECK(billed(resident, Stage::lock) == (io == "library"));
    CHECK(billed(resident, Stage::read) == (io == "library"));  // from memory, through the library
    CHECK(resident.payload_bytes == real.payload_bytes);
    CHECK(resident.faults.empty());
  }
}

// Fewer samples than are held: each sample gets its own elements, so the rows must be those of the
// real thing.
TEST_CASE("native, compressed arrays: without decoding they are read and not inflated",
          "[unit][native]") {
  const TestFolder folder;
  const std::string path = scans_in(folder, "hdf5_gzip");
  for (const std::string_view io : {"auto", "library"})
    for (const std::string_view payload : {"decoded", "ready"}) {
      INFO("io: " << io << ", payload: " << payload);
      Waits store;
      RecordingMeter real, without;
      const auto rows = rows_of(*loader_of("hdf5_gzip", path, {io}), real);
      const auto held = rows_of(*loader_of("hdf5_gzip", path, {io, payload}, &store), without);
      if (payload == "decoded") CHECK(held == rows);
      CHECK(billed(without, Stage::read));
      CHECK(billed(without, Stage::lock) == (io == "library"));
      CHECK_FALSE(billed(without, Stage::decode));
      CHECK(without.payload_bytes == 0);  // another sample's would not be what the manifest says
      CHECK(without.read_bytes > 0);
      CHECK(without.read_bytes <= real.read_bytes);
      CHECK(store.bytes == without.read_bytes);
    }
}

TEST_CASE("native, arrays as they are: without decoding they are the real thing",
          "[unit][native]") {
  for (const std::string_view format : {"hdf5_chunked", "hdf5_contiguous"}) {
    const TestFolder folder;
    const std::string path = scans_in(folder, format);
    RecordingMeter real, without;
    const auto rows = rows_of(*loader_of(format, path, {"library"}), real);
    CHECK(rows_of(*loader_of(format, path, {"library", "decoded"}), without) == rows);
    CHECK(without.payload_bytes == real.payload_bytes);
    CHECK_FALSE(billed(real, Stage::decode));
    CHECK(billed(real, Stage::lock));
  }
}

}  // namespace benchbench::test::compressed
