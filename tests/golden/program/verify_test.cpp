// `benchbench verify`: a sound data set, one that was tampered with, a user's own.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace verify_program_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

const char kMade[] =
    "name: made\n"
    "dataset: {format: FORMAT, synthesize: {samples: 50, image: {mean_width: 64, mean_height: 48}, classes: 4}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 16, transform: {random_resized_crop: 32}}\n"
    "trainer: {use: discard}\n"
    "measure: {class: selftest, rounds: 1}\n";

std::string scenario(const std::string& format) {
  std::string text = kMade;
  return text.replace(text.find("FORMAT"), 6, format);
}

// Overwrites `bytes` in the middle of a file.
void damage(const fs::path& file, const std::string& bytes) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(static_cast<std::streamoff>(fs::file_size(file) / 2));
  f << bytes;
}

fs::path first_file_below(const std::string& folder, const std::string& extension) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == extension) return entry.path();
  FAIL("no " << extension << " below " << folder);
  return {};
}

TEST_CASE("verify: every sample once, the smaller last batch too, each as the manifest says", "[golden][app]") {
  for (const std::string format : {"image_folder", "tar", "hdf5"}) {
    Scratch s;
    s.write("made.yaml", scenario(format));
    const Ran r = run_program(s, {"verify", "made.yaml"});
    INFO(format << r.err << r.out);
    CHECK(r.code == 0);
    CHECK_THAT(r.out, Contains("samples     50, ") && Contains("with 2 workers"));
    CHECK_THAT(r.out, Contains("each sample asked for exactly once"));
    CHECK_THAT(r.out, Contains("50 of 50 compared with the manifest, 0 wrong"));
    CHECK_THAT(r.out, Contains("unreadable  0\nsound\n"));
  }
}

TEST_CASE("verify: a changed file is found though making the set only looked at some", "[golden][app]") {
  Scratch s;
  s.write("made.yaml", scenario("image_folder"));
  REQUIRE(run_program(s, {"datagen", "made.yaml"}).code == 0);
  std::string path = run_program(s, {"verify", "made.yaml"}).out;
  path = path.substr(path.find("  ") + 2);
  path.resize(path.find('\n'));
  const fs::path file = first_file_below(path, ".jpg");
  damage(file, "changed");
  const Ran r = run_program(s, {"verify", "made.yaml"});
  INFO(r.err << r.out);
  // Making the set looks at digests too: whichever of the two sees it first must not let it pass.
  CHECK(r.code != 0);
  CHECK_THAT(r.err + r.out, Contains("wrong") || Contains("manifest"));
}

TEST_CASE("verify: of a user's own data only decoding is checked, and what cannot be read is named", "[golden][app]") {
  Scratch s;
  s.write("made.yaml", scenario("image_folder"));
  std::string path = run_program(s, {"verify", "made.yaml"}).out;
  path = path.substr(path.find("  ") + 2);
  path.resize(path.find('\n'));
  fs::copy(path, s.path("photos"), fs::copy_options::recursive);
  const std::string own =
      "name: own\ndataset: {path: photos}\n"
      "loader: {use: native, num_workers: 1, batch_size: 8, transform: {random_resized_crop: 32}}\ntrainer: {use: discard}\n";
  s.write("own.yaml", own);
  const Ran good = run_program(s, {"verify", "own.yaml"});
  INFO(good.err << good.out);
  CHECK(good.code == 0);
  CHECK_THAT(good.out, Contains("no manifest of your own data: only that it decodes was checked") && Contains("readable\n"));
  const fs::path file = first_file_below(s.path("photos"), ".jpg");
  std::ofstream(file) << "no picture";
  const Ran bad = run_program(s, {"verify", "own.yaml"});
  INFO(bad.err << bad.out);
  CHECK(bad.code == 1);
  CHECK_THAT(bad.out, Contains("unreadable  1") && Contains(file.filename().string()) && Contains("NOT SOUND"));
}

TEST_CASE("verify: a loader that reads no data has nothing to verify", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"verify", "tiny.yaml"});
  CHECK(r.code == 2);
  CHECK_THAT(r.err, Contains("loader synthetic reads no data set"));
}

TEST_CASE("plan: a cold scenario says how much data a window needs", "[golden][app]") {
  Scratch s;
  s.write("made.yaml", scenario("image_folder"));
  const std::vector<std::string> more{"--set", "dataset.synthesize.samples=200", "--set", "dataset.cache=cold"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), more.begin(), more.end());
    return run_program(s, words);
  };
  REQUIRE(with({"datagen", "made.yaml"}).code == 0);
  const Ran before = with({"plan", "made.yaml", "--no-probe"});
  CHECK_THAT(before.out, Contains("cold: how many samples a window needs is not known before a run"));
  const Ran r = with({"plan", "made.yaml"});
  INFO(r.err << r.out);
  CHECK(r.code == 0);
  CHECK_THAT(r.out, Contains("cold: at least ") && Contains("the data set has 200: epochs repeat, evicted between them"));
}

}  // namespace verify_program_test
}  // namespace benchbench::test
