// The native loader on real files of every format.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "harness/part/catalog.h"
#include "harness/record/value.h"
#include "scenarios/decode/row_maker.h"
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

SettingsMap decoded_on_device(std::vector<std::pair<std::string, std::string>> changes = {}) {
  changes.insert(changes.begin(),
                 {{"decode.backend", "nvjpeg"}, {"transform.random_resized_crop", "32"}});
  return settings_with(changes);
}

// A slot of a loader that leaves decoding to a device.
struct Undecoded {
  explicit Undecoded(std::size_t rows) : images(rows), labels(rows, -7) {}
  void fill(LoaderWorker& worker, StageMeter& meter, std::span<const SampleId> ids) {
    const auto rows = static_cast<std::int64_t>(ids.size());
    const TensorView views[] = {
        {encoded_tensor(), rows, reinterpret_cast<std::byte*>(images.data())},
        {{.name = "label", .dtype = DType::int64, .row = {}},
         rows,
         reinterpret_cast<std::byte*>(labels.data())}};
    std::vector<SampleRef> refs;
    for (const SampleId id : ids) refs.push_back({id, mix_seed(1, id)});
    worker.fill({.samples = refs, .rows = RowSpan(views, 0, ids.size())}, meter);
  }
  std::span<const EncodedFile> files_in(const Loader& loader) const {
    return loader.files_of(reinterpret_cast<const std::byte*>(images.data()));
  }
  std::vector<EncodedImage> images;
  std::vector<std::int64_t> labels;
};

bool holds(const EncodedFile& file, const std::vector<std::byte>& bytes) {
  return std::equal(bytes.begin(), bytes.end(), file.bytes);
}

TEST_CASE("native: a loader that leaves decoding to a device hands over files and the CPU's crops",
          "[unit][native]") {
  const TestFolder folder;
  const auto runtime = make_real_runtime();
  CHECK(make_loader(settings_with({}), "tar", write_dataset(folder, "tar"))->leave_decoding() ==
        nullptr);
  const auto map = decoded_on_device();
  const auto loader = make_loader(map, "tar", folder.at("set-tar"));
  CHECK(loader->spec().tensor[0].row == Shape{{32, 32, 3}, 3});
  const auto undecoded = loader->leave_decoding();
  REQUIRE(undecoded);
  CHECK(undecoded->spec().tensor[0] == encoded_tensor());
  CHECK(undecoded->spec().tensor[1] == loader->spec().tensor[1]);
  RecordingMeter meter;
  const auto worker = undecoded->worker(0, *runtime);
  const auto ids = all_ids();
  Undecoded first(ids.size()), second(ids.size());
  first.fill(*worker, meter, ids);
  second.fill(*worker, meter, std::vector<SampleId>(ids.rbegin(), ids.rend()));
  ImageRecipe recipe;
  recipe.size = 32;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::vector<std::byte> file = jpeg_of(ids[i]);
    const EncodedImage& image = first.images[i];
    const CropPlan plan = plan_crop(recipe, 90 + static_cast<int>(ids[i]) * 11,
                                    80 + static_cast<int>(ids[i]) * 7, mix_seed(1, ids[i]));
    CHECK(image.bytes == file.size());
    CHECK(image.pixel_bytes == 0);
    CHECK(Region{image.x, image.y, image.box_width, image.box_height} == plan.box);
    CHECK(image.mirrored == (plan.mirrored ? 1 : 0));
    CHECK(holds(first.files_in(*undecoded)[i], file));
    CHECK(holds(second.files_in(*undecoded)[ids.size() - 1 - i], file));
    CHECK(first.labels[i] == static_cast<std::int64_t>(ids[i] * 5 % 7));
    bytes += file.size();
  }
  CHECK(meter.faults.empty());
  CHECK(meter.payload_bytes == 2 * bytes);
  CHECK(meter.times.count(Stage::read) == 1);
  CHECK(undecoded->note() == loader->note());
  // The slot's next batch takes the place of the one before, and no other's.
  first.fill(*worker, meter, std::vector<SampleId>(ids.size(), 3));
  for (const EncodedFile& file : first.files_in(*undecoded)) CHECK(holds(file, jpeg_of(3)));
  CHECK(holds(second.files_in(*undecoded)[0], jpeg_of(ids.back())));
}

TEST_CASE("native: what a device does not decode the workers do, and bad files are told as ever",
          "[unit][native]") {
  const TestFolder folder;
  const std::string root = write_dataset(folder, "image_folder");
  std::filesystem::remove(root + "/.benchbench-index");
  const auto archive = open_archive("image_folder", root);
  const auto write = [&](SampleId id, const std::vector<std::byte>& bytes) {
    std::ofstream(root + "/" + std::string(archive->name_of(id)), std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  };
  write(0, {std::byte{'G'}, std::byte{'I'}, std::byte{'F'}});
  std::vector<std::byte> cut = jpeg_of(1);
  cut.resize(cut.size() / 2);
  write(1, cut);
  write(2, make_jpeg({.width = 40, .height = 30, .components = 4}));
  write(3, make_jpeg({.width = 40, .height = 30, .rgb = true}));
  write(4, make_jpeg({.width = 40, .height = 30, .progressive = true}));
  const auto runtime = make_real_runtime();
  const auto loader = make_loader(decoded_on_device(), "image_folder", root)->leave_decoding();
  std::filesystem::remove(root + "/" + std::string(archive->name_of(5)));
  RecordingMeter meter;
  const auto worker = loader->worker(0, *runtime);
  Undecoded slot(6);
  slot.fill(*worker, meter, std::vector<SampleId>{0, 1, 2, 3, 4, 5});
  for (const std::size_t none : {0, 5}) CHECK(slot.images[none].bytes == 0);
  for (const std::size_t decoded : {1, 2, 3}) {
    const EncodedImage& image = slot.images[decoded];
    CHECK(image.pixel_bytes == 4);
    CHECK(image.bytes == static_cast<std::size_t>(4 * image.width * image.height));
  }
  CHECK(slot.images[4].pixel_bytes == 0);
  const PlainImage plain = decode_whole(make_jpeg({.width = 40, .height = 30, .rgb = true}));
  const std::byte* const pixels = slot.files_in(*loader)[3].bytes;
  for (std::size_t i = 0; i < plain.values.size(); ++i)
    REQUIRE(std::to_integer<int>(pixels[i / 3 * 4 + i % 3]) == plain.values[i]);
  REQUIRE(meter.faults.size() == 3);
  CHECK(meter.faults[0].kind == SampleFault::decode_error);
  CHECK(meter.faults[1].kind == SampleFault::truncated);
  CHECK(meter.faults[2].kind == SampleFault::short_read);
  CHECK(std::string(loader->note()).find("; workers decoded 3 images of other kinds") !=
        std::string::npos);
}

TEST_CASE("native: settings that a device's decoder does not go with are refused by name",
          "[unit][native]") {
  const TestFolder folder;
  const std::string path = write_dataset(folder, "tar");
  const auto refusal = [&](std::vector<std::pair<std::string, std::string>> changes) {
    const auto map = decoded_on_device(std::move(changes));
    return error_of([&] { make_loader(map, "tar", path); });
  };
  const auto needs = [&](const std::string& key, const std::string& given,
                         const std::string& allowed) {
    return refusal({{key, given}})
        .starts_with("loader.decode.backend: nvjpeg needs loader." + key + ": " + allowed);
  };
  CHECK(refusal({}).empty());
  CHECK(needs("payload", "decoded", "stored"));
  CHECK(needs("transform.scaled_decode", "true", "false"));
  CHECK(refusal({{"residency", "host"}}).empty());
  CHECK(refusal(
            {{"residency", "device"}, {"transform.center_crop", "32"}, {"transform.resize", "32"}})
            .starts_with("loader.decode.backend: nvjpeg needs loader.residency: storage"));
}

}  // namespace
}  // namespace benchbench::test::native
