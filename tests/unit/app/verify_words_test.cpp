#include "harness/app/data/verify_words.h"

#include <catch2/catch.hpp>

#include "harness/part/sample_format.h"

namespace benchbench {
namespace verify_words_test {

DataPass pass_of(std::uint32_t classes, std::uint32_t met, std::string remark = {}) {
  DataPass pass;
  pass.classes = classes;
  pass.labels_met = met;
  pass.remark = std::move(remark);
  return pass;
}

TEST_CASE("verify: how many classes there are, and how many of them have no sample",
          "[unit][app]") {
  CHECK(classes_words(pass_of(0, 0)).empty());
  CHECK(classes_words(pass_of(1, 1)) == "1 (label 0)");
  CHECK(classes_words(pass_of(10, 10)) == "10 (labels 0 to 9)");
  CHECK(classes_words(pass_of(12, 10)) == "12 (labels 0 to 11), of which 2 have no sample");
  CHECK(classes_words(pass_of(3, 2)) == "3 (labels 0 to 2), of which 1 has no sample");
  CHECK(classes_words(pass_of(1, 1, std::string(kNoLabels))) ==
        "1: no labels were found, all samples have label 0");
}

TEST_CASE("verify: a remark is a line a piece, and what was not read is in the last line",
          "[unit][app]") {
  const std::string files = "passed over 30 files that are not an image: 29 .webp, 1 .txt",
                    slow = "its chunks of [2, 3] do not hold one sample each";
  const std::string all = files + "; " + std::string(kNoLabels) + "; " + slow;
  CHECK(remark_lines(all) == files + "\nnote        " + slow + "\n");
  CHECK(remark_lines("").empty());
  CHECK(whole_words(pass_of(1, 1, all), false) ==
        "readable, but passed over 30 files that are not an image");
  CHECK(whole_words(pass_of(1, 1, files + "; passed over 2 members whose key has another image"),
                    false) ==
        "readable, but passed over 30 files that are not an image and 2 members whose key has "
        "another image");
  CHECK(whole_words(pass_of(1, 1, slow), false) == "readable");
  CHECK(whole_words(pass_of(1, 1), true) == "sound");
}

}  // namespace verify_words_test
}  // namespace benchbench
