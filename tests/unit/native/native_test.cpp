// The native loader on real files of every format.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "tests/unit/decode/jpeg_making.h"
#include "tests/unit/decode/recording_meter.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::native {
namespace {

constexpr std::uint64_t kSamples = 12;

// The loader's parameters at their defaults, then what the test sets.
SettingsMap settings_with(const std::vector<std::pair<std::string, std::string>>& changes) {
  SettingsMap map;
  const PartRow* row = built_in_catalog().find(PartKind::loader, "native");
  const auto put = [&](const Parameter& parameter, std::string_view text) {
    if (text == "none" && parameter.type != ParameterType::choice) return;
    const auto value = Value::parse(parameter.type, text);
    REQUIRE(value);
    map.set("loader." + std::string(parameter.key), *value);
  };
  for (const Parameter& parameter : row->description->parameters)
    put(parameter, parameter.standard);
  for (const auto& [key, text] : changes) {
    const auto found = std::ranges::find(row->description->parameters, key, &Parameter::key);
    REQUIRE(found != row->description->parameters.end());
    put(*found, text);
  }
  return map;
}

std::unique_ptr<Loader> make_loader(const SettingsMap& map, std::string_view format,
                                    const std::string& path) {
  const PrefixedSettings settings(map, "loader.");
  const LoaderContext context{
      .settings = settings, .dataset = {format, path}, .catalog = &built_in_catalog()};
  return built_in_catalog().maker(PartKind::loader, "native").loader(context);
}

std::vector<std::byte> jpeg_of(SampleId id) {
  return make_jpeg({.width = 90 + static_cast<int>(id) * 11,
                    .height = 80 + static_cast<int>(id) * 7,
                    .seed = id});
}

std::string write_dataset(const TestFolder& folder, std::string_view format) {
  const std::string path = folder.at("set-" + std::string(format));
  const auto writer = create_archive(format, path);
  for (SampleId id = 0; id < kSamples; ++id) {
    const std::int64_t label = static_cast<std::int64_t>(id * 5 % 7);
    writer->add("c" + std::to_string(label) + "/" + std::to_string(id) + ".jpg", label,
                jpeg_of(id));
  }
  writer->finish();
  return path;
}

struct Batch {
  std::vector<std::byte> images;
  std::vector<std::int64_t> labels;
  bool operator==(const Batch&) const = default;
};

// Rows `ids` with the seeds that the harness would give, as parts of `requests` equal requests.
Batch fill(Loader& loader, Runtime& runtime, StageMeter& meter, std::span<const SampleId> ids,
           std::size_t requests = 1) {
  const BatchSpec spec = loader.spec();
  Batch batch;
  batch.images.resize(ids.size() * spec.tensor[0].bytes_per_row(), std::byte{0xEE});
  batch.labels.resize(ids.size(), -7);
  const auto rows = static_cast<std::int64_t>(ids.size());
  const TensorView views[] = {
      {spec.tensor[0], rows, batch.images.data()},
      {spec.tensor[1], rows, reinterpret_cast<std::byte*>(batch.labels.data())}};
  std::vector<SampleRef> refs;
  for (const SampleId id : ids) refs.push_back({id, mix_seed(1, id)});
  const std::size_t each = ids.size() / requests;
  for (std::size_t first = 0; first < ids.size(); first += each) {
    const auto worker = loader.worker(0, runtime);
    worker->fill(
        {.samples = std::span(refs).subspan(first, each), .rows = RowSpan(views, first, each)},
        meter);
  }
  return batch;
}

std::vector<SampleId> all_ids() {
  std::vector<SampleId> ids(kSamples);
  for (SampleId id = 0; id < kSamples; ++id) ids[id] = (id * 5) % kSamples;
  return ids;
}

TEST_CASE("native: the same batch from every format, from memory, and in parts", "[unit][native]") {
  const TestFolder folder;
  const auto runtime = make_real_runtime();
  const auto ids = all_ids();
  std::optional<Batch> first;
  for (const std::string format : {"image_folder", "tar", "hdf5"}) {
    const std::string path = write_dataset(folder, format);
    for (const std::string residency : {"storage", "host"}) {
      INFO(format << ' ' << residency);
      const auto map =
          settings_with({{"transform.random_resized_crop", "32"}, {"residency", residency}});
      const auto loader = make_loader(map, format, path);
      CHECK(loader->layout().samples == kSamples);
      CHECK(loader->classes() == 7);
      RecordingMeter meter;
      const Batch batch = fill(*loader, *runtime, meter, ids);
      CHECK(meter.faults.empty());
      CHECK(meter.read_bytes >= (residency == "host" ? 0 : meter.payload_bytes));
      CHECK((meter.read_bytes == 0) == (residency == "host"));
      CHECK(meter.times.count(Stage::read) == (residency == "host" ? 0u : 1u));
      if (!first) first = batch;
      CHECK(batch == *first);
      CHECK(fill(*loader, *runtime, meter, ids, 4) == batch);
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i)
    CHECK(first->labels[i] == static_cast<std::int64_t>(ids[i] * 5 % 7));
}

TEST_CASE("native: rows are uint8 or normalised float32, as asked", "[unit][native]") {
  const TestFolder folder;
  const std::string path = write_dataset(folder, "tar");
  const auto spec_with = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
    return make_loader(settings_with(changes), "tar", path)->spec();
  };
  const BatchSpec standard = spec_with({});
  REQUIRE(standard.count == 2);
  CHECK(std::string_view(standard.tensor[0].name) == "image");
  CHECK(standard.tensor[0].dtype == DType::uint8);
  CHECK(standard.normalize_in_step == kImageNet);
  CHECK_FALSE(spec_with({{"transform.normalize_on", "worker"}}).normalize_in_step);
  CHECK_FALSE(spec_with({{"transform.normalize", "none"}}).normalize_in_step);
  CHECK(standard.tensor[0].row == Shape{{224, 224, 3}, 3});
  CHECK(std::string_view(standard.tensor[1].name) == "label");
  CHECK(standard.tensor[1].dtype == DType::int64);
  CHECK(standard.tensor[1].row.rank == 0);
  CHECK(spec_with({{"transform.normalize_on", "worker"}}).tensor[0].dtype == DType::float32);
  CHECK(spec_with({{"transform.normalize_on", "worker"}, {"transform.normalize", "none"}})
            .tensor[0]
            .dtype == DType::uint8);
  CHECK(spec_with({{"transform.center_crop", "100"}, {"transform.resize", "120"}})
            .tensor[0]
            .row.extent[0] == 100);
}

TEST_CASE("native: settings that contradict each other are refused", "[unit][native]") {
  const TestFolder folder;
  const std::string path = write_dataset(folder, "hdf5");
  const auto refusal = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
    const auto map = settings_with(changes);
    return error_of([&] { make_loader(map, "hdf5", path); });
  };
  CHECK(refusal({{"transform.center_crop", "224"}})
            .find("needs loader.transform.resize | the usual value is resize: 256") !=
        std::string::npos);
  CHECK(refusal({{"transform.center_crop", "224"}, {"transform.resize", "200"}})
            .find("smaller than") != std::string::npos);
  CHECK(refusal({{"transform.resize", "256"}}).find("no effect without") != std::string::npos);
  CHECK(
      refusal({{"transform.scale_min", "0.9"}, {"transform.scale_max", "0.5"}}).find("scale_min") !=
      std::string::npos);
  CHECK(refusal({{"transform.ratio_min", "2"}}).find("ratio_min") != std::string::npos);
  CHECK(refusal({}).empty());
}

TEST_CASE(
    "native: bad files among good ones are counted and named, their rows zero, the rest as ever",
    "[unit][native]") {
  const TestFolder folder;
  const std::string root = write_dataset(folder, "image_folder");
  std::filesystem::remove(root + "/.benchbench-index");  // as a user's folder is
  const auto runtime = make_real_runtime();
  const auto loader =
      make_loader(settings_with({{"transform.random_resized_crop", "16"}}), "image_folder", root);
  RecordingMeter before_meter, meter;
  const auto ids = all_ids();
  const Batch before = fill(*loader, *runtime, before_meter, ids);

  const auto archive = open_archive("image_folder", root);
  const auto file = [&](SampleId id) { return root + "/" + std::string(archive->name_of(id)); };
  std::ofstream(file(0), std::ios::trunc) << "GIF89a";
  std::ofstream(file(1), std::ios::trunc) << "";
  std::filesystem::remove(file(2));
  std::filesystem::resize_file(file(3), std::filesystem::file_size(file(3)) / 2);
  const Batch batch = fill(*loader, *runtime, meter, ids);
  CHECK(batch.labels == before.labels);
  const std::size_t bytes = loader->spec().tensor[0].bytes_per_row();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = [&](const Batch& b) {
      return std::vector<std::byte>(b.images.begin() + static_cast<long>(i * bytes),
                                    b.images.begin() + static_cast<long>((i + 1) * bytes));
    };
    if (ids[i] < 3) CHECK(row(batch) == std::vector<std::byte>(bytes));
    if (ids[i] > 3) CHECK(row(batch) == row(before));
  }
  REQUIRE(meter.faults.size() == 4);
  std::ranges::sort(meter.faults, {}, &RecordingMeter::Fault::id);
  CHECK(meter.faults[0].kind == SampleFault::decode_error);
  CHECK(meter.faults[0].what == "Not a JPEG file: starts with 0x47 0x49");
  CHECK(meter.faults[1].kind == SampleFault::decode_error);
  CHECK(meter.faults[2].kind == SampleFault::short_read);
  CHECK(meter.faults[2].what.find("No such file") != std::string::npos);
  CHECK(meter.faults[3].kind == SampleFault::truncated);
  for (SampleId id = 0; id < 4; ++id) CHECK(meter.faults[id].where == archive->name_of(id));
}

TEST_CASE(
    "native: a file that cannot be read is kept as "
    "that sample's error when data is read into memory",
    "[unit][native]") {
  const TestFolder folder;
  const std::string root = write_dataset(folder, "image_folder");
  std::filesystem::remove(root + "/c5/1.jpg");
  const auto runtime = make_real_runtime();
  const auto loader =
      make_loader(settings_with({{"transform.random_resized_crop", "8"}, {"residency", "host"}}),
                  "image_folder", root);
  RecordingMeter meter;
  fill(*loader, *runtime, meter, all_ids());
  REQUIRE(meter.faults.size() == 1);
  CHECK(meter.faults[0].id == 1);
  CHECK(meter.faults[0].where == "c5/1.jpg");
}

}  // namespace
}  // namespace benchbench::test::native
