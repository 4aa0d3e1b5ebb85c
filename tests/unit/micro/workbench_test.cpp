#include "harness/micro/workbench.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/micro/alone.h"
#include "harness/micro/null_line.h"
#include "harness/micro/reading_threads.h"

namespace benchbench::micro {
namespace workbench_test {

constexpr Recipe kFew{.samples = 4, .mean_width = 64};

TEST_CASE("workbench: a data set is made once, when it is asked for, and goes with it",
          "[unit][micro]") {
  std::string path;
  {
    Workbench bench(built_in_catalog());
    const DatasetPlace first = bench.data("image_folder", kFew);
    path = first.path;
    REQUIRE(std::filesystem::exists(path));
    const auto made = std::filesystem::last_write_time(path);
    CHECK(bench.data("image_folder", kFew).path == path);
    CHECK(std::filesystem::last_write_time(path) == made);
    CHECK(bench.data("tar", kFew).path != path);
    const auto archive =
        built_in_catalog().maker(PartKind::sample_format, "image_folder").format.open(path);
    CHECK(archive->layout().samples == 4);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("workbench: what the build does not have is told by name", "[unit][micro]") {
  Workbench bench(built_in_catalog());
  CHECK_THROWS_WITH(bench.data("floppy", kFew), "this build has no sample_format floppy");
  CHECK_THROWS_WITH(bench.settings(PartKind::loader, "floppy"), "this build has no loader floppy");
}

TEST_CASE("workbench: every kind that a format holds has a recipe", "[unit][micro]") {
  const auto all = recipes_for({.images = true, .pixels = true, .volumes = true, .tokens = true});
  std::vector<std::string> names;
  for (const Recipe& recipe : all) names.push_back(recipe.name());
  CHECK(names == std::vector<std::string>{"image", "pixels_224", "volume", "tokens"});
  CHECK(recipes_for({}).empty());
}

TEST_CASE("loader alone: it makes batches, and hands the same ones over for ever",
          "[unit][micro]") {
  Workbench bench(built_in_catalog());
  LoaderAlone loader(bench, {.name = "synthetic",
                             .given = {{"height", "8"}, {"width", "8"}},
                             .batch_size = 4,
                             .access = "sequential",
                             .slots = 2});
  CHECK(loader.make() == 4);
  const BatchLease next = loader.next();
  REQUIRE(next.ids().size() == 4);
  CHECK(next.ids()[0] == 4);
}

TEST_CASE("loader alone: a cached batch is filled once a slot", "[unit][micro]") {
  Workbench bench(built_in_catalog());
  LoaderAlone loader(bench, {.name = "synthetic",
                             .given = {{"height", "8"}, {"width", "8"}},
                             .batch_size = 4,
                             .access = "sequential",
                             .slots = 2});
  std::vector<SampleId> firsts;
  for (int i = 0; i < 5; ++i) firsts.push_back(loader.cached().ids()[0]);
  CHECK(firsts == std::vector<SampleId>{0, 4, 0, 4, 0});
}

TEST_CASE("null line: as many steps as asked for, with and without workers", "[unit][micro]") {
  Workbench bench(built_in_catalog());
  for (const std::uint32_t workers : {0U, 2U}) {
    NullLine line(bench, {.workers = workers, .max_jobs = 4});
    CHECK(line.run(300) > 0);
  }
}

// Counts what it is asked for; dies of sample 3.
class Counting final : public OneReader {
 public:
  Counting(std::vector<std::atomic<int>>& read, bool dies) : read_(read), dies_(dies) {}
  void read(SampleId id) override {
    if (dies_ && id == 3) throw PartError("no sample 3");
    ++read_[id];
  }

 private:
  std::vector<std::atomic<int>>& read_;
  bool dies_;
};

TEST_CASE(
    "reading threads: together they read each sample as often as asked, "
    "and what one dies of is told",
    "[unit][micro]") {
  Workbench bench(built_in_catalog());
  const DatasetPlace place = bench.data("image_folder", kFew);
  const auto archive =
      built_in_catalog().maker(PartKind::sample_format, place.format).format.open(place.path);
  std::vector<std::atomic<int>> read(4);
  bool dies = false;
  const MakeReader make = [&](SampleArchive&, Runtime&) {
    return std::make_unique<Counting>(read, dies);
  };
  read_all(*archive, make, 3, 5);
  for (const auto& count : read) CHECK(count == 5);
  dies = true;
  CHECK_THROWS_WITH(read_all(*archive, make, 2, 1), "no sample 3");
  CHECK_THROWS_WITH(read_all(*archive, by_archive(true), 1, 1),
                    "the format has no library of its own to compare with");
}

}  // namespace workbench_test
}  // namespace benchbench::micro
