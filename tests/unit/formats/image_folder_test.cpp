#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/unit/formats/places.h"

namespace benchbench::test::folder_format {
namespace {

TEST_CASE("image folder: order and labels are torchvision's", "[unit][formats]") {
  const TestFolder folder;
  // Expected from torchvision.datasets.ImageFolder on the same tree (with empty/ removed, which it
  // refuses).
  for (const char* name :
       {"root/b/2.jpg", "root/b/10.JPG", "root/b/sub/0.jpeg", "root/b/sub-x/9.jpg", "root/a/z.Jpeg",
        "root/a/notes.txt", "root/c/x.webp", "root/B/1.jpg", "root/b/11.PNG"}) {
    folder.put(name);
  }
  std::filesystem::create_directories(folder.at("root/empty"));
  const auto archive = open_archive("image_folder", folder.at("root"));
  CHECK(listing_of(*archive) ==
        "B/1.jpg:0 a/z.Jpeg:1 b/10.JPG:2 b/11.PNG:2 b/2.jpg:2 b/sub/0.jpeg:2 b/sub-x/9.jpg:2");
  CHECK(archive->classes() == 3);
  CHECK(archive->remark() ==
        "passed over 2 files that are not an image: 1 .txt, 1 .webp; 2 folders without an image "
        "are not classes, where torchvision's ImageFolder stops: c, empty");
}

TEST_CASE("image folder: a hidden folder is a class as torchvision's, and the remark names it",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("root/cats/1.jpg");
  CHECK(open_archive("image_folder", folder.at("root"))->remark().empty());
  folder.put("root/.cache/0.jpg");
  const auto one = open_archive("image_folder", folder.at("root"));
  CHECK(listing_of(*one) == ".cache/0.jpg:0 cats/1.jpg:1");
  CHECK(one->remark() == "1 class folder is hidden: .cache");
  folder.put("root/.trash/2.png");
  std::filesystem::create_directories(folder.at("root/.git"));
  const auto two = open_archive("image_folder", folder.at("root"));
  CHECK(listing_of(*two) == ".cache/0.jpg:0 .trash/2.png:1 cats/1.jpg:2");
  CHECK(
      two->remark() ==
      "2 class folders are hidden: .cache, .trash; 1 folder without an image is not a class, where "
      "torchvision's ImageFolder stops: .git");
}

TEST_CASE("image folder: images directly in it are one class behind the others",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("flat/b.jpg");
  folder.put("flat/a.jpg");
  CHECK(listing_of(*open_archive("image_folder", folder.at("flat"))) == "a.jpg:0 b.jpg:0");
  folder.put("flat/zoo/c.jpg");
  CHECK(listing_of(*open_archive("image_folder", folder.at("flat"))) ==
        "zoo/c.jpg:0 a.jpg:1 b.jpg:1");
}

TEST_CASE(
    "image folder: links are followed, not round in circles; pipes and dead links are passed over",
    "[unit][formats]") {
  const TestFolder folder;
  folder.put("root/a/1.jpg");
  folder.put("elsewhere/2.jpg");
  std::filesystem::create_directory_symlink(folder.at("elsewhere"), folder.at("root/b"));
  std::filesystem::create_directory_symlink(folder.at("root"), folder.at("root/a/round"));
  std::filesystem::create_symlink(folder.at("nowhere"), folder.at("root/a/dead.jpg"));
  REQUIRE(::mkfifo(folder.at("root/a/pipe.jpg").c_str(), 0600) == 0);
  const auto archive = open_archive("image_folder", folder.at("root"));
  CHECK(archive->name_of(0) == "a/1.jpg");
  CHECK(archive->name_of(archive->layout().samples - 1) == "b/2.jpg");
  CHECK(archive->layout().samples < 8);
  CHECK(std::string(archive->remark()).find("2 broken link or device") != std::string::npos);
}

TEST_CASE("image folder: one link may lead out of the folder, from there no further one",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("elsewhere/2.jpg");
  folder.put("further/3.jpg");
  folder.put("root/a/1.jpg");
  folder.put("root/a/deep/4.jpg");
  std::filesystem::create_directory_symlink(folder.at("elsewhere"), folder.at("root/b"));
  std::filesystem::create_directory_symlink(folder.at("further"), folder.at("elsewhere/on"));
  std::filesystem::create_directory_symlink(folder.at("root/a/deep"), folder.at("root/a/within"));
  CHECK(listing_of(*open_archive("image_folder", folder.at("root"))) ==
        "a/1.jpg:0 a/deep/4.jpg:0 a/within/4.jpg:0 b/2.jpg:1");
}

TEST_CASE("image folder: links through a disk end with an error that says how far it was looked",
          "[unit][formats]") {
  const TestFolder folder;
  for (int i = 0; i < 1000; ++i) folder.put("disk/" + std::to_string(i) + ".txt", "");
  std::filesystem::create_directory(folder.at("root"));
  for (int i = 0; i < 1001; ++i)
    std::filesystem::create_directory_symlink(folder.at("disk"),
                                              folder.at("root/l" + std::to_string(i)));
  CHECK(error_of([&] { open_archive("image_folder", folder.at("root")); })
            .find("'" + folder.at("root") +
                  "' is too large to be a dataset: 1000000 entries were looked at, "
                  "and 0 of them are images") == 0);
  folder.put("root/l/1.jpg");  // what is found counts
  CHECK(error_of([&] {
          open_archive("image_folder", folder.at("root"));
        }).find("1000100 entries were looked at, and 1 of them is an image") != std::string::npos);
}

TEST_CASE("image folder: a folder without images says what it looked for and what it found",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("bmps/a/1.bmp");
  folder.put("bmps/a/2.bmp");
  folder.put("bmps/read.me");
  const std::string said = error_of([&] { open_archive("image_folder", folder.at("bmps")); });
  CHECK(said.find("no images in '" + folder.at("bmps")) == 0);
  CHECK(said.find(".jpg, .jpeg, .jpe, .jfif, .png files") != std::string::npos);
  CHECK(said.find("3 other files (2 .bmp, 1 .me)") != std::string::npos);
}

TEST_CASE("image folder: a file that vanished or grew is read as it is, or is that sample's error",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("root/a/1.jpg", "one");
  folder.put("root/a/2.jpg", "two");
  const auto runtime = make_real_runtime();
  NullMeter meter;
  const auto archive = open_archive("image_folder", folder.at("root"));
  const auto reader = archive->reader(*runtime);
  std::filesystem::remove(folder.at("root/a/1.jpg"));
  folder.put("root/a/2.jpg", "two and more");
  const std::string said = error_of([&] { reader->read(0, 0, meter); });
  CHECK(said.find("cannot open 'a/1.jpg': No such file or directory") == 0);
  CHECK(reader->read(1, 0, meter).payload.size() == 12);
}

TEST_CASE("image folder: an index that leads out of the folder is refused, and so is a damaged one",
          "[unit][formats]") {
  const TestFolder folder;
  {
    const auto writer = create_archive("image_folder", folder.at("made"));
    writer->add("x/2.jpg", 4, std::as_bytes(std::span("abc", 3)));
    writer->add("x/1.jpg", 2, std::as_bytes(std::span("abc", 3)));
    writer->finish();
  }
  CHECK(listing_of(*open_archive("image_folder", folder.at("made"))) == "x/2.jpg:4 x/1.jpg:2");
  std::string index = bytes_of(folder.at("made/.benchbench-index"));
  index[index.size() - 3] ^= 1;
  folder.put("made/.benchbench-index", index);
  // Its order would be another.
  const std::string said = error_of([&] { open_archive("image_folder", folder.at("made")); });
  CHECK(said.find(".benchbench-index' is damaged") != std::string::npos);
  std::filesystem::remove(folder.at("made/.benchbench-index"));
  // Without the index it is read as the folder is.
  CHECK(listing_of(*open_archive("image_folder", folder.at("made"))) == "x/1.jpg:0 x/2.jpg:0");
}

TEST_CASE("formats with an index of their own: labels that are none are refused",
          "[unit][formats]") {
  const TestFolder folder;
  const std::vector<std::byte> twelve(12);
  for (const std::string format : {"image_folder", "npy", "npz", "tokens", "tar"}) {
    for (const std::int64_t label :
         {std::int64_t{-1}, std::int64_t{0x80000000}, std::int64_t{0x7FFFFFFF}}) {
      INFO(format << ' ' << label);
      const std::string path = folder.at(format + std::to_string(label));
      const PayloadSpec array{
          .data = DataKind::volume, .dtype = DType::uint8, .row = {.extent = {2, 2, 3}, .rank = 3}};
      const PayloadSpec tokens{.data = DataKind::tokens, .dtype = DType::uint16, .row = {}};
      const auto writer = built_in_catalog()
                              .maker(PartKind::sample_format, format)
                              .format.create({path, 1,
                                              format == "tokens"         ? tokens
                                              : format.starts_with("np") ? array
                                                                         : PayloadSpec{}});
      writer->add("x/1.jpg", label, twelve);
      writer->finish();
      const std::string said = error_of([&] { open_archive(format, path); });
      CHECK(said.empty() == (label == 0x7FFFFFFF));
    }
  }
}

TEST_CASE("image folder: no space, or no right to write, is told with the path",
          "[unit][formats]") {
  const std::string said =
      error_of([] { create_archive("image_folder", "/proc/benchbench/data"); });
  CHECK(said.find("/proc/benchbench") != std::string::npos);
}

}  // namespace
}  // namespace benchbench::test::folder_format
