// Remarks on labels that are missing, and on what was not read: their making, and those of folders.
#include <catch2/catch.hpp>

#include "scenarios/formats/remark.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::remarks {
namespace {

std::string remark_of(std::string_view format, const std::string& path) {
  return std::string(open_archive(format, path)->remark());
}

TEST_CASE("remarks: pieces are joined, and samples without a label are counted",
          "[unit][formats]") {
  std::string remark;
  add_remark(remark, "");
  CHECK(remark.empty());
  add_remark(remark, "one");
  add_remark(remark, "");
  add_remark(remark, "two");
  CHECK(remark == "one; two");
  CHECK(unlabelled_piece(0, 5).empty());
  CHECK(unlabelled_piece(5, 5) == kNoLabels);
  CHECK(unlabelled_piece(2, 5) == "2 of 5 samples have no label: they get label 0");
}

TEST_CASE("remarks: images without a folder of their class have no labels", "[unit][formats]") {
  const TestFolder folder;
  folder.put("flat/b.jpg");
  CHECK(remark_of("image_folder", folder.at("flat")) == kNoLabels);
  folder.put("flat/c.webp");
  CHECK(remark_of("image_folder", folder.at("flat")) ==
        "passed over 1 file that is not an image: 1 .webp; " + std::string(kNoLabels));
  folder.put("flat/dogs/a.jpg");
  CHECK(remark_of("image_folder", folder.at("flat")) ==
        "passed over 1 file that is not an image: 1 .webp");
}

}  // namespace
}  // namespace benchbench::test::remarks
