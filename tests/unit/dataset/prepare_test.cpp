// dataset.prepare: images decoded or made smaller once, ahead of time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "harness/core/error.h"
#include "harness/dataset/dataset.h"
#include "harness/dataset/sample_source.h"
#include "scenarios/decode/decoded_image.h"
#include "tests/unit/dataset/places.h"

namespace benchbench::prepare_test {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::small_synthesis;
using test::TemporaryFolder;
using test::users_data;
using test::write_text;

constexpr int kSize = 40;
constexpr int kCount = 12;

SettingsMap prepared(SettingsMap map, const std::string& how, int size = kSize) {
  map.set("dataset.prepare", {ParameterType::text, how});
  map.set("dataset.prepare_size", {ParameterType::integer, std::int64_t{size}});
  return map;
}

SettingsMap pictures(const std::string& format, const std::string& seed = "1") {
  return small_synthesis(format, {{"samples", std::to_string(kCount)},
                                  {"seed", seed},
                                  {"image.mean_width", "120"},
                                  {"image.mean_height", "90"}});
}

DatasetNeed made(const SettingsMap& map, const TemporaryFolder& place) {
  const std::atomic<bool> go_on{false};
  const DatasetNeed need = *dataset_need(map, place.path("cache"), built_in_catalog());
  ensure_dataset(need, built_in_catalog(), [](auto, auto, auto) {}, go_on);
  // It is what its manifest says.
  ensure_dataset(need, built_in_catalog(), [](auto, auto, auto) {}, go_on);
  return need;
}

std::unique_ptr<SampleArchive> opened(const DatasetNeed& need) {
  return built_in_catalog().maker(PartKind::sample_format, need.format).format.open(need.path);
}

std::vector<std::vector<std::byte>> payloads(const DatasetNeed& need) {
  const auto archive = opened(need);
  const auto runtime = make_real_runtime();
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  std::vector<std::vector<std::byte>> all;
  for (SampleId id = 0; id < archive->layout().samples; ++id) {
    const auto payload = reader->read(id, 0, meter).payload;
    all.emplace_back(payload.begin(), payload.end());
  }
  return all;
}

// What native hands over for evaluation, [kSize, kSize, 3] a sample.
std::vector<std::byte> rows_of_native(const DatasetNeed& need) {
  SettingsMap settings;
  for (const Parameter& p :
       built_in_catalog().find(PartKind::loader, "native")->description->parameters)
    if (p.standard != "none")
      settings.set("loader." + std::string(p.key), *Value::parse(p.type, p.standard));
  settings.set("loader.transform.resize", {ParameterType::integer, std::int64_t{kSize}});
  settings.set("loader.transform.center_crop", {ParameterType::integer, std::int64_t{kSize}});
  const PrefixedSettings view(settings, "loader.");
  const auto loader = built_in_catalog()
                          .maker(PartKind::loader, "native")
                          .loader({.settings = view,
                                   .dataset = {need.format, need.path},
                                   .catalog = &built_in_catalog()});
  const BatchSpec spec = loader->spec();
  TensorView views[] = {{spec.tensor[0], kCount, nullptr}, {spec.tensor[1], kCount, nullptr}};
  std::vector<std::byte> rows(views[0].bytes()), labels(views[1].bytes());
  views[0].data = rows.data();
  views[1].data = labels.data();
  std::vector<SampleRef> refs;
  for (SampleId id = 0; id < kCount; ++id) refs.push_back({id, 7});
  const auto runtime = make_real_runtime();
  NullMeter meter;
  loader->worker(0, *runtime)->fill({.samples = refs, .rows = RowSpan(views, 0, kCount)}, meter);
  return rows;
}

double mean_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]));
  return sum / static_cast<double>(a.size());
}

std::string words_of_error(const SettingsMap& map, const TemporaryFolder& place) {
  try {
    made(map, place);
  } catch (const ScenarioError& error) {
    return std::string(error.message());
  }
  return "no error";
}

std::string origin_line(const DatasetNeed& need) {
  const std::string marker = read_text(dataset_folder(need) + "/" + kFinishedMarker);
  const std::size_t at = marker.find("digest of the source ");
  return at == std::string::npos ? "" : marker.substr(at, marker.find('\n', at) - at);
}

TEST_CASE(
    "dataset prepare: decoded pixels are what native makes of the original, "
    "in every format that holds them",
    "[unit][dataset]") {
  const TemporaryFolder place;
  const std::vector<std::byte> wanted = rows_of_native(made(pictures("image_folder"), place));
  int formats = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format || !row.description->holds.pixels ||
        !row.module.empty())
      continue;
    INFO(row.description->name);
    ++formats;
    const TemporaryFolder own;
    const DatasetNeed need =
        made(prepared(pictures(std::string(row.description->name)), "decoded"), own);
    const PayloadSpec payload = opened(need)->payload();
    REQUIRE(payload.row.rank == 3);
    CHECK(payload.row.extent[0] == kSize);
    CHECK(payload.row.extent[1] == kSize);
    const auto samples = payloads(need);
    REQUIRE(samples.size() == kCount);
    for (std::size_t i = 0; i < samples.size(); ++i)
      REQUIRE(std::equal(samples[i].begin(), samples[i].end(),
                         wanted.begin() + static_cast<std::ptrdiff_t>(i * samples[i].size())));
    CHECK(rows_of_native(need) == wanted);
    CHECK(need.bytes_estimate == kCount * kSize * kSize * 3);
    CHECK(unreadable_samples(need).empty());
  }
  CHECK(formats >= 5);
}

TEST_CASE(
    "dataset prepare: a smaller JPEG has the shorter side asked for and looks like the original",
    "[unit][dataset]") {
  const TemporaryFolder place;
  const DatasetNeed original = made(pictures("image_folder"), place);
  const DatasetNeed folder = made(prepared(pictures("image_folder"), "jpeg"), place);
  const DatasetNeed tar = made(prepared(pictures("tar"), "jpeg"), place);  // out of its sibling
  CHECK(dataset_folder(folder) != dataset_folder(original));
  CHECK(payloads(folder) == payloads(tar));
  const auto before = opened(original);
  const auto after = opened(tar);
  ImageDecoder decoder;
  const auto samples = payloads(tar);
  REQUIRE(samples.size() == kCount);
  for (SampleId id = 0; id < kCount; ++id) {
    const auto image = DecodedImage::of(samples[id], decoder);
    REQUIRE(image);
    CHECK(std::min(image->width(), image->height()) == kSize);
    CHECK(after->label_of(id) == before->label_of(id));
    CHECK(after->name_of(id) == before->name_of(id));
  }
  const double difference = mean_difference(rows_of_native(tar), rows_of_native(original));
  CHECK(difference > 0.1);  // it was encoded anew
  CHECK(difference < 6);
}

TEST_CASE("dataset prepare: the marker names the source's digest, of all its bytes",
          "[unit][dataset]") {
  const TemporaryFolder place;
  const DatasetNeed jpeg = made(prepared(pictures("image_folder"), "jpeg"), place);
  const std::string origin = origin_line(jpeg);
  CHECK(origin.size() == std::string("digest of the source ").size() + 32);
  // A conversion of it.
  CHECK(origin_line(made(prepared(pictures("tar"), "jpeg"), place)) == origin);
  CHECK(origin_line(made(prepared(pictures("raw"), "decoded", 16), place)) == origin);
  CHECK(origin_line(made(prepared(pictures("raw", "2"), "decoded", 16), place)) != origin);
  // The user's own pictures: the same bytes, the same digest.
  const DatasetNeed plain = made(pictures("image_folder"), place);
  CHECK(origin_line(plain).empty());
  CHECK(origin_line(made(prepared(users_data(plain.path), "jpeg"), place)) == origin);
}

TEST_CASE(
    "dataset prepare: how and how large is part of the key, and the user's own data is never it",
    "[unit][dataset]") {
  const TemporaryFolder place;
  const auto folder_of = [](const SettingsMap& map) {
    return dataset_folder(*dataset_need(map, "/cache", built_in_catalog()));
  };
  SettingsMap standard = pictures("raw");
  const std::string plain = folder_of(standard);
  standard.set("dataset.prepare_size", {ParameterType::integer, std::int64_t{64}});
  CHECK(folder_of(standard) == plain);  // of nothing
  standard = pictures("raw");
  standard.set("dataset.prepare", {ParameterType::text, std::string("decoded")});
  CHECK(folder_of(standard) == folder_of(prepared(pictures("raw"), "decoded", 256)));
  CHECK(folder_of(standard) != plain);
  CHECK(folder_of(standard) != folder_of(prepared(pictures("raw"), "decoded", 255)));
  CHECK(folder_of(standard) != folder_of(prepared(pictures("raw"), "jpeg", 256)));
  write_text(place.path("photos/cat/1.jpg"), "\xff\xd8");
  const DatasetNeed own =
      *dataset_need(users_data(place.path("photos")), "/cache", built_in_catalog());
  const DatasetNeed jpeg = *dataset_need(prepared(users_data(place.path("photos")), "jpeg"),
                                         "/cache", built_in_catalog());
  CHECK(is_users_own(own));
  CHECK_FALSE(is_users_own(jpeg));
  CHECK(jpeg.format == "image_folder");
  CHECK_FALSE(jpeg.ready);
  CHECK(dataset_need(prepared(users_data(place.path("photos")), "decoded"), "/cache",
                     built_in_catalog())
            ->format == "raw");
}

TEST_CASE("dataset prepare: an image that cannot be decoded is told, and empty or zeros",
          "[unit][dataset]") {
  const TemporaryFolder place;
  const DatasetNeed original = made(pictures("image_folder"), place);
  const std::string photos = place.path("photos");
  fs::copy(original.path, photos, fs::copy_options::recursive);
  std::vector<std::string> names;
  for (SampleId id = 0; id < kCount; ++id) names.emplace_back(opened(original)->name_of(id));
  const std::string cut = read_text(photos + "/" + names[3]);
  write_text(photos + "/" + names[3], cut.substr(0, cut.size() / 2));
  write_text(photos + "/" + names[5], "\xff\xd8 no picture at all");
  std::vector<std::string> damaged{names[3], names[5]};
  std::sort(damaged.begin(), damaged.end());
  const std::vector<std::byte> zeros(kSize * kSize * 3);
  for (const std::string format : {"raw", "npy"}) {  // the second would be made out of the first
    const DatasetNeed need = made(prepared(users_data(photos, format), "decoded"), place);
    auto told = unreadable_samples(need);
    std::sort(told.begin(), told.end());
    CHECK(told == damaged);
    const auto samples = payloads(need);
    CHECK(std::count(samples.begin(), samples.end(), zeros) == 2);
  }
  const DatasetNeed jpeg = made(prepared(users_data(photos, "tar"), "jpeg"), place);
  CHECK(unreadable_samples(jpeg).size() == 2);
  const auto samples = payloads(jpeg);
  CHECK(std::count(samples.begin(), samples.end(), std::vector<std::byte>{}) == 2);
}

TEST_CASE("dataset prepare: what holds no encoded images, or cannot hold pixels, is refused",
          "[unit][dataset]") {
  const TemporaryFolder place;
  CHECK_THAT(words_of_error(prepared(pictures("tar"), "decoded"), place),
             Catch::Contains("tar cannot hold decoded images"));
  const DatasetNeed pixels = made(prepared(pictures("raw"), "decoded"), place);
  fs::copy(pixels.path, place.path("mine.raw"));
  CHECK_THAT(words_of_error(prepared(users_data(place.path("mine.raw")), "jpeg"), place),
             Catch::Contains("jpeg needs encoded images"));
}

TEST_CASE("dataset prepare: the plan's price of smaller JPEGs is near", "[unit][dataset]") {
  const TemporaryFolder place;
  const SettingsMap map = prepared(
      small_synthesis(
          "raw", {{"samples", "24"}, {"image.mean_width", "500"}, {"image.mean_height", "375"}}),
      "jpeg", 128);
  const DatasetNeed need = made(map, place);
  CHECK(static_cast<double>(need.bytes_estimate) ==
        Approx(static_cast<double>(read_manifest(need)->bytes)).epsilon(0.25));
}

}  // namespace
}  // namespace benchbench::prepare_test
