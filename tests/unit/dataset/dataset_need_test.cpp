#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/unit/dataset/places.h"

namespace benchbench::dataset_need_test {

using test::small_synthesis;
using test::TemporaryFolder;
using test::users_data;
using test::write_text;

TEST_CASE("dataset need: settings without data name none", "[unit][dataset]") {
  SettingsMap map;
  map.set("dataset.format", {ParameterType::text, std::string("tar")});
  map.set("loader.use", {ParameterType::text, std::string("synthetic")});
  CHECK_FALSE(dataset_need(map, "/cache", built_in_catalog()).has_value());
  map.set("dataset.path", {ParameterType::text, std::monostate{}});
  CHECK_FALSE(dataset_need(map, "/cache", built_in_catalog()).has_value());
}

TEST_CASE("dataset need: the same synthesis lies in the same place, another in another",
          "[unit][dataset]") {
  const auto place = [](const SettingsMap& map) {
    return dataset_need(map, "/cache", built_in_catalog())->path;
  };
  const std::string path = place(small_synthesis("image_folder"));
  CHECK(path.starts_with("/cache/datasets/"));
  CHECK(place(small_synthesis("image_folder")) == path);
  for (const auto& [key, text] : std::map<std::string, std::string>{{"samples", "41"},
                                                                    {"seed", "8"},
                                                                    {"classes", "6"},
                                                                    {"image.mean_width", "49"},
                                                                    {"image.mean_height", "33"},
                                                                    {"image.spread", "0.1"},
                                                                    {"image.quality", "91"}}) {
    INFO(key);
    CHECK(place(small_synthesis("image_folder", {{key, text}})) != path);
  }
  SettingsMap other = small_synthesis("image_folder");  // what is not of the data does not move it
  other.set("loader.batch_size", {ParameterType::integer, std::int64_t{4}});
  CHECK(place(other) == path);
}

TEST_CASE("dataset need: formats of the same samples lie beside each other", "[unit][dataset]") {
  const DatasetNeed folder =
      *dataset_need(small_synthesis("image_folder"), "/cache", built_in_catalog());
  const DatasetNeed tar = *dataset_need(small_synthesis("tar"), "/cache", built_in_catalog());
  CHECK(folder.path != tar.path);
  CHECK(in_format(folder, "tar", built_in_catalog()).path == tar.path);
  CHECK(in_format(tar, "image_folder", built_in_catalog()).path == folder.path);
  CHECK(folder.source == "synthesize");
  CHECK(folder.synthesize.integer("dataset.synthesize.samples") == 40);
  CHECK_FALSE(folder.ready);
  CHECK_FALSE(is_users_own(folder));
}

TEST_CASE("dataset need: 2048 pictures of 500 x 375 are priced at about 210 MB",
          "[unit][dataset]") {
  const DatasetNeed need = *dataset_need(
      small_synthesis(
          "tar", {{"samples", "2048"}, {"image.mean_width", "500"}, {"image.mean_height", "375"}}),
      "/cache", built_in_catalog());
  CHECK(static_cast<double>(need.bytes_estimate) ==
        Approx(2048 * 500.0 * 375 * 4.35 / 8).epsilon(0.02));
}

TEST_CASE("dataset need: a finished marker makes it ready", "[unit][dataset]") {
  const TemporaryFolder cache;
  const SettingsMap map = small_synthesis("image_folder");
  const std::string folder = dataset_folder(*dataset_need(map, cache.path(), built_in_catalog()));
  std::filesystem::create_directories(folder + "/images");
  CHECK_FALSE(dataset_need(map, cache.path(), built_in_catalog())->ready);
  write_text(folder + "/" + kFinishedMarker, "");
  CHECK(dataset_need(map, cache.path(), built_in_catalog())->ready);
}

TEST_CASE("dataset need: an HDF5 file of the user's is read in the layout that is named",
          "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("a.h5"), "x");
  SettingsMap settings;
  settings.set("dataset.path", Value{ParameterType::text, place.path("a.h5")});
  settings.set("dataset.format", Value{ParameterType::text, std::string("hdf5_chunked")});
  CHECK(is_users_own(*dataset_need(settings, place.path("cache"), built_in_catalog())));
  settings.set("dataset.format", Value{ParameterType::text, std::string("tar")});
  CHECK_FALSE(is_users_own(*dataset_need(settings, place.path("cache"), built_in_catalog())));
}

TEST_CASE("dataset need: the user's own data is taken where it lies", "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("photos/cat/1.jpg"), "x");
  for (const char* format : {"", "image_folder"}) {
    const DatasetNeed need = *dataset_need(users_data(place.path("photos"), format),
                                           place.path("cache"), built_in_catalog());
    CHECK(need.format == "image_folder");
    CHECK(need.path == std::filesystem::canonical(place.path("photos")));
    CHECK(is_users_own(need));
    CHECK(need.ready);
    CHECK(need.bytes_estimate == 0);
  }
}

TEST_CASE(
    "dataset need: a conversion of the user's data lies in the cache and moves when a file changes",
    "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("photos/cat/1.jpg"), "abc");
  write_text(place.path("photos/dog/2.jpg"), "defgh");
  const auto need = [&] {
    return *dataset_need(users_data(place.path("photos"), "tar"), place.path("cache"),
                         built_in_catalog());
  };
  const DatasetNeed first = need();
  CHECK(first.path.starts_with(place.path("cache/datasets/")));
  CHECK_FALSE(is_users_own(first));
  CHECK_FALSE(first.ready);
  CHECK(first.bytes_estimate == 8);
  CHECK(need().path == first.path);

  const auto time = std::filesystem::last_write_time(place.path("photos/cat/1.jpg"));
  std::filesystem::last_write_time(place.path("photos/cat/1.jpg"), time + std::chrono::seconds{1});
  const std::string touched = need().path;
  CHECK(touched != first.path);
  std::filesystem::last_write_time(place.path("photos/cat/1.jpg"), time);
  CHECK(need().path == first.path);

  write_text(place.path("photos/dog/3.jpg"), "");
  CHECK(need().path != first.path);
  CHECK(need().path != touched);
}

TEST_CASE(
    "dataset need: columns are those of the user's data, and other columns another conversion",
    "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("x.parquet"), "x");
  const auto need = [&](const char* format, const char* image) {
    SettingsMap settings = users_data(place.path("x.parquet"), format);
    if (*image) settings.set("dataset.columns.image", {ParameterType::text, std::string(image)});
    return *dataset_need(settings, place.path("cache"), built_in_catalog());
  };
  const DatasetNeed own = need("parquet", "img"), none = need("tar", ""), made = need("tar", "img");
  CHECK(dataset_place(own).columns.image == "img");
  CHECK(dataset_place(own).columns.label.empty());
  CHECK_FALSE(dataset_place(made).columns.given());  // what is made has columns of ours
  CHECK(made.columns.image == "img");
  CHECK(made.columns.text() == "columns 'img' '' ''");
  CHECK(none.columns.text().empty());
  CHECK(made.path != none.path);
  CHECK(made.path != need("tar", "other").path);
  CHECK(made.path == need("tar", "img").path);
}

TEST_CASE("dataset need: what the kernel answers is no dataset", "[unit][dataset]") {
  for (const std::string path : {"/sys", "/proc/self", "/proc/self/status"}) {
    SettingsMap settings;
    settings.set("dataset.path", *Value::parse(ParameterType::text, path));
    CHECK_THROWS_WITH(
        dataset_need(settings, "/cache", built_in_catalog()),
        "dataset.path: '" + path + "' is in a file system of the kernel, which holds no data");
  }
}

TEST_CASE("dataset need: a path that is not there names its neighbour", "[unit][dataset]") {
  const TemporaryFolder place;
  write_text(place.path("photos/cat/1.jpg"), "x");
  try {
    dataset_need(users_data(place.path("photo")), place.path("cache"), built_in_catalog());
    FAIL("accepted");
  } catch (const ScenarioError& error) {
    CHECK_THAT(std::string(error.message()), Catch::Contains("photo'"));
    CHECK_THAT(std::string(error.hint()), Catch::Contains("photos"));
  }
  write_text(place.path("notes.txt"), "hello");
  CHECK_THROWS_AS(
      dataset_need(users_data(place.path("notes.txt")), place.path("cache"), built_in_catalog()),
      ScenarioError);
}

TEST_CASE("dataset need: the cache folder follows its three variables", "[unit][dataset]") {
  const auto keep = [](const char* name) {
    return std::string(std::getenv(name) ? std::getenv(name) : "");
  };
  const std::string own = keep("BENCHBENCH_CACHE");
  const std::string xdg = keep("XDG_CACHE_HOME");
  const std::string home = keep("HOME");
  ::setenv("BENCHBENCH_CACHE", "/a", 1);
  ::setenv("XDG_CACHE_HOME", "/b", 1);
  ::setenv("HOME", "/c", 1);
  CHECK(default_cache_folder() == "/a");
  ::unsetenv("BENCHBENCH_CACHE");
  CHECK(default_cache_folder() == "/b/benchbench");
  ::unsetenv("XDG_CACHE_HOME");
  CHECK(default_cache_folder() == "/c/.cache/benchbench");
  if (!own.empty()) ::setenv("BENCHBENCH_CACHE", own.c_str(), 1);
  if (!xdg.empty()) ::setenv("XDG_CACHE_HOME", xdg.c_str(), 1);
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace benchbench::dataset_need_test
