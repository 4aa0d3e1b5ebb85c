#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/dataset/dataset.h"
#include "harness/dataset/free_space.h"
#include "harness/dataset/making_lock.h"
#include "harness/dataset/manifest.h"
#include "harness/dataset/sample_source.h"
#include "tests/unit/dataset/places.h"

namespace benchbench::dataset_test {

namespace fs = std::filesystem;
using test::read_text;
using test::small_synthesis;
using test::TemporaryFolder;
using test::users_data;
using test::write_text;

const std::atomic<bool> kGoOn{false};

void ensure(const DatasetNeed& need) {
  ensure_dataset(need, built_in_catalog(), [](auto, auto, auto) {}, kGoOn);
}

DatasetNeed need_of(const SettingsMap& map, const TemporaryFolder& cache) {
  return *dataset_need(map, cache.path("cache"), built_in_catalog());
}

struct Payload {
  std::string bytes;
  std::int64_t label;
};
std::vector<Payload> payloads(const DatasetNeed& need) {
  const auto archive =
      built_in_catalog().maker(PartKind::sample_format, need.format).format.open(need.path);
  const auto runtime = make_real_runtime();
  const auto reader = archive->reader(*runtime);
  NullMeter meter;
  std::vector<Payload> all;
  for (SampleId id = 0; id < archive->layout().samples; ++id) {
    const StoredSample sample = reader->read(id, 0, meter);
    all.push_back({{reinterpret_cast<const char*>(sample.payload.data()), sample.payload.size()},
                   sample.label});
  }
  return all;
}

// That hold encoded images, in the order of the catalogue.
std::vector<std::string> image_formats() {
  std::vector<std::string> names;
  for (const PartRow& row : built_in_catalog().rows())
    if (row.description->kind == PartKind::sample_format && row.description->holds.images &&
        row.module.empty())
      names.emplace_back(row.description->name);
  return names;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.message()) + " | " + std::string(error.hint());
  }
  return "no error";
}

// The files of a data set in image_folder, in id order.
std::vector<std::string> image_files(const DatasetNeed& need) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(need.path)) {
    if (entry.path().extension() == ".jpg") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("dataset: every format holds the same logical samples, made or converted",
          "[unit][dataset]") {
  const std::vector<std::string> formats = image_formats();
  REQUIRE_FALSE(formats.empty());
  const TemporaryFolder together;
  const DatasetNeed first = need_of(small_synthesis(formats.front()), together);
  ensure(first);
  const auto wanted = payloads(first);
  REQUIRE(wanted.size() == 40);
  const Manifest manifest = read_manifest(first).value();
  for (SampleId id = 0; id < 40; ++id) {
    CHECK(manifest.digests[id] == digest_of(wanted[id].bytes));
    CHECK(manifest.lengths[id] == wanted[id].bytes.size());
    CHECK(manifest.labels[id] == wanted[id].label);
    CHECK(wanted[id].label == static_cast<std::int64_t>(id / 8));
  }
  for (const std::string& format : formats) {
    INFO(format);
    const TemporaryFolder alone;
    // Converted from the first, and made directly.
    for (const TemporaryFolder* cache : {&together, &alone}) {
      const DatasetNeed need = need_of(small_synthesis(format), *cache);
      ensure(need);
      CHECK(dataset_need(small_synthesis(format), cache->path("cache"), built_in_catalog())->ready);
      CHECK(read_manifest(need)->digests == manifest.digests);
      CHECK(read_manifest(need)->labels == manifest.labels);
      const auto found = payloads(need);
      REQUIRE(found.size() == wanted.size());
      for (SampleId id = 0; id < 40; ++id) {
        CHECK(found[id].bytes == wanted[id].bytes);
        CHECK(found[id].label == wanted[id].label);
      }
    }
  }
}

TEST_CASE("dataset: what lies ready is used, not made again", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  std::uint64_t last = 0;
  ensure_dataset(need, built_in_catalog(), [&](auto done, auto, auto) { last = done; }, kGoOn);
  CHECK(last == 40);
  const auto time = fs::last_write_time(manifest_path(need));
  ensure_dataset(need, built_in_catalog(), [](auto, auto, auto) { FAIL("made again"); }, kGoOn);
  CHECK(fs::last_write_time(manifest_path(need)) == time);
}

TEST_CASE("dataset: a making that was cut short is removed and made anew", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  write_text(dataset_folder(need) + "/images/n0000/junk.jpg", "junk");
  write_text(dataset_folder(need) + "/left-over", "junk");
  ensure(need);
  CHECK_FALSE(fs::exists(dataset_folder(need) + "/left-over"));
  CHECK(image_files(need).size() == 40);
}

TEST_CASE("dataset: a sample that is not what the manifest says is named", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  ensure(need);
  const std::string file = image_files(need).at(23);
  const std::string good = read_text(file);
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);

  SECTION("a flipped bit") {
    write_text(file, bad);
    const std::string message = message_of([&] { ensure(need); });
    CHECK_THAT(message, Catch::Contains("sample 23") &&
                            Catch::Contains(fs::path(file).filename().string()) &&
                            Catch::Contains("digest") && Catch::Contains("remove the folder"));
    CHECK_THROWS_AS(ensure(need), ScenarioError);
  }
  SECTION("a shorter file") {
    write_text(file, good.substr(0, 100));
    CHECK_THAT(message_of([&] { ensure(need); }),
               Catch::Contains("sample 23") && Catch::Contains("100 bytes"));
  }
  SECTION("a missing file") {
    fs::remove(file);
    const std::string message = message_of([&] { ensure(need); });
    CHECK_THAT(message, Catch::Contains(dataset_folder(need)));
    CHECK_THROWS_AS(ensure(need), ScenarioError);
  }
  SECTION("the conversion to another format notices") {
    write_text(file, bad);
    for (const std::string& format : image_formats()) {
      if (format == "image_folder") continue;
      const std::string message =
          message_of([&] { ensure(need_of(small_synthesis(format), cache)); });
      CHECK_THAT(message, Catch::Contains("sample 23") && Catch::Contains("manifest"));
    }
  }
  SECTION("a manifest of fewer samples") {
    Manifest manifest = read_manifest(need).value();
    manifest.digests.pop_back();
    manifest.labels.pop_back();
    manifest.lengths.pop_back();
    write_manifest(manifest_path(need), manifest);
    CHECK_THAT(message_of([&] { ensure(need); }), Catch::Contains("40 samples instead of 39"));
  }
}

TEST_CASE("dataset: a sample whose label is not the manifest's is named, in every format",
          "[unit][dataset]") {
  for (const std::string& format : image_formats()) {
    INFO(format);
    const TemporaryFolder cache;
    const DatasetNeed need = need_of(small_synthesis(format), cache);
    ensure(need);
    const Manifest right = read_manifest(need).value();
    for (const SampleId id : {0u, 23u, 39u}) {
      Manifest manifest = right;
      const std::int64_t label = manifest.labels[id]++;
      write_manifest(manifest_path(need), manifest);
      CHECK_THROWS_AS(ensure(need), ScenarioError);
      CHECK_THAT(
          message_of([&] { ensure(need); }),
          Catch::Contains(fmt::format("sample {} ('", id)) &&
              Catch::Contains(fmt::format("has the label {} instead of {}", label, label + 1)) &&
              Catch::Contains("remove the folder"));
    }
  }
}

TEST_CASE("dataset manifest: it comes back as written, and damage is told", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  CHECK_FALSE(read_manifest(need).has_value());
  const Manifest written{{{1, 2}, {~0ull, 4}}, {-1, 9}, {10, 0}, 10};
  fs::create_directories(dataset_folder(need));
  write_manifest(manifest_path(need), written);
  const Manifest read = read_manifest(need).value();
  CHECK(read.digests == written.digests);
  CHECK(read.labels == written.labels);
  CHECK(read.lengths == written.lengths);
  CHECK(read.bytes == 10);

  const std::string good = read_text(manifest_path(need));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write_text(manifest_path(need), bad);
    CHECK_THROWS_AS(read_manifest(need), StoreError);
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{39}, good.size() - 1}) {
    write_text(manifest_path(need), good.substr(0, length));
    CHECK_THROWS_AS(read_manifest(need), StoreError);
  }
}

TEST_CASE("dataset: an interrupted making leaves nothing that counts", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  std::atomic<bool> stop{false};
  const auto stop_at_start = [&](auto, auto, auto) { stop = true; };
  CHECK_THROWS_AS(ensure_dataset(need, built_in_catalog(), stop_at_start, stop), InterruptedError);
  CHECK_FALSE(fs::exists(dataset_folder(need)));
  ensure(need);
  CHECK(payloads(need).size() == 40);
}

TEST_CASE("dataset: a second maker waits for the first", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  fs::create_directories(fs::path(dataset_folder(need)).parent_path());
  const auto runtime = make_real_runtime();
  std::atomic<bool> stop{false};
  int waited = 0;
  {
    const MakingLock first(dataset_folder(need) + ".lock", *runtime, stop, [] {});
    const auto waiting = [&](std::uint64_t done, std::uint64_t all, std::uint64_t) {
      CHECK(done == 0);
      CHECK(all == 0);
      ++waited;
      stop = true;
    };
    CHECK_THROWS_AS(ensure_dataset(need, built_in_catalog(), waiting, stop), InterruptedError);
  }
  CHECK(waited == 1);
  CHECK_FALSE(fs::exists(dataset_folder(need)));
  ensure(need);
}

TEST_CASE("dataset: a lock that is a link is refused, and what it leads to is not made",
          "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder"), cache);
  fs::create_directories(fs::path(dataset_folder(need)).parent_path());
  fs::create_symlink(cache.path("elsewhere"), dataset_folder(need) + ".lock");
  CHECK_THROWS_WITH(ensure(need), Catch::Matchers::Contains(".lock' is a link"));
  CHECK_FALSE(fs::exists(cache.path("elsewhere")));
}

TEST_CASE("dataset: no space is told with numbers before anything is written", "[unit][dataset]") {
  const TemporaryFolder cache;
  const DatasetNeed need = need_of(small_synthesis("image_folder", {{"samples", "1000000000"},
                                                                    {"image.mean_width", "4000"},
                                                                    {"image.mean_height", "3000"}}),
                                   cache);
  const std::string message = message_of([&] { ensure(need); });
  CHECK_THAT(message, Catch::Contains("not enough space") && Catch::Contains("PiB") &&
                          Catch::Contains("free"));
  CHECK_FALSE(fs::exists(dataset_folder(need)));

  CHECK(space_wanted(1000, 0) == 1050 + (512ull << 20));
  CHECK_NOTHROW(require_space({space_wanted(1000, 1), 1}, 1000, 1, "it", "/x"));
  CHECK_THROWS_AS(require_space({space_wanted(1000, 1) - 1, 1}, 1000, 1, "it", "/x"),
                  ScenarioError);
  CHECK_THROWS_AS(require_space({space_wanted(1000, 2), 1}, 1000, 2, "it", "/x"), ScenarioError);
}

TEST_CASE("dataset: a cache folder that cannot be written is told", "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("cache"), "a file where the folder should be");
  CHECK_THAT(message_of([&] { ensure(need_of(small_synthesis("image_folder"), place)); }),
             Catch::Contains("BENCHBENCH_CACHE"));
}

TEST_CASE("dataset: the user's folder is converted into the cache and left as it is",
          "[unit][dataset]") {
  const TemporaryFolder place;
  const DatasetNeed made = need_of(small_synthesis("image_folder"), place);
  ensure(made);
  const std::string photos = place.path("photos");
  int number = 0;
  // The user's own: other names, no index of ours.
  for (const std::string& file : image_files(made)) {
    write_text(photos + (number % 2 ? "/dog/" : "/cat/") + std::to_string(number) + ".jpg",
               read_text(file));
    ++number;
  }
  const auto own = need_of(users_data(photos), place);
  ensure(own);
  CHECK_FALSE(read_manifest(own).has_value());
  const auto before = payloads(own);
  for (const std::string& format : image_formats()) {
    if (format == "image_folder") continue;
    const DatasetNeed need = need_of(users_data(photos, format), place);
    ensure(need);
    const auto after = payloads(need);
    REQUIRE(after.size() == before.size());
    for (SampleId id = 0; id < after.size(); ++id) {
      CHECK(after[id].bytes == before[id].bytes);
      CHECK(after[id].label == before[id].label);
    }
    CHECK(read_manifest(need)->digests.size() == 40);
  }
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(photos))
    files += entry.is_regular_file();
  CHECK(files == 40);
}

// Makes the data set while `file` vanishes, after the folder was listed and before it is read: root
// reads any file that is there.
void ensure_without(const DatasetNeed& need, const std::string& file) {
  ensure_dataset(need, built_in_catalog(), [&](auto, auto, auto) { fs::remove(file); }, kGoOn);
}

TEST_CASE("dataset: a file that cannot be read is an empty sample in every other format",
          "[unit][dataset]") {
  for (const std::string& format : image_formats()) {
    if (format == "image_folder") continue;
    INFO(format);
    const TemporaryFolder place;
    const std::string photos = place.path("photos");
    for (const char* name : {"cat/a", "cat/b", "dog/c", "dog/d"})
      write_text(photos + "/" + name + ".jpg", std::string("\xff\xd8 picture ") + name);
    const DatasetNeed need = need_of(users_data(photos, format), place);
    ensure_without(need, photos + "/cat/b.jpg");
    const auto made = payloads(need);
    REQUIRE(made.size() == 4);
    CHECK(made[0].bytes.ends_with("cat/a"));
    CHECK(made[1].bytes.empty());
    CHECK(made[1].label == 0);
    CHECK(made[2].bytes.ends_with("dog/c"));
    CHECK(made[2].label == 1);
    CHECK(unreadable_samples(need) == std::vector<std::string>{"cat/b.jpg"});
    ensure(need);  // and is what its manifest says
  }
}

TEST_CASE("dataset: the user's folder is refused where not one file can be read",
          "[unit][dataset]") {
  const TemporaryFolder place;
  const std::string file = place.path("photos/cat/b.jpg");
  write_text(file, "\xff\xd8");
  const DatasetNeed need = need_of(users_data(place.path("photos"), "tar"), place);
  CHECK_THAT(message_of([&] { ensure_without(need, file); }),
             Catch::Contains("none of the 1 samples") && Catch::Contains("cat/b.jpg"));
  CHECK_FALSE(fs::exists(dataset_folder(need)));
}

TEST_CASE("dataset: a folder without images is refused", "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("notes/readme.txt"), "hello");
  CHECK_THROWS_AS(ensure(need_of(users_data(place.path("notes")), place)), ScenarioError);
  for (const std::string& format : image_formats()) {
    if (format == "image_folder") continue;
    const DatasetNeed need = need_of(users_data(place.path("notes"), format), place);
    CHECK_THROWS_AS(ensure(need), ScenarioError);
    CHECK_FALSE(fs::exists(dataset_folder(need)));
  }
}

}  // namespace benchbench::dataset_test
