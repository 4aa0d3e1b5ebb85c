// `benchbench data FILE --verify`: a sound data set, one that was tampered with, a user's own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace verify_program_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

const char kMade[] =
    "name: made\n"
    "dataset: {format: FORMAT, synthesize: {samples: 50, "
    "image: {mean_width: 64, mean_height: 48}, classes: 4}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 16, transform: {random_resized_crop: 32}}\n"
    "trainer: {use: discard}\n"
    "measure: {class: selftest, rounds: 1}\n";

std::string scenario(const std::string& format) {
  std::string text = kMade;
  return text.replace(text.find("FORMAT"), 6, format);
}

void overwrite(const fs::path& file, std::size_t at, const std::string& bytes) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(static_cast<std::streamoff>(at));
  f << bytes;
  REQUIRE(f.flush());
}

// By name, which is by id.
std::vector<fs::path> files_below(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  return files;
}

// Makes the data set of made.yaml, finds it sound, and says where it lies.
std::string made_data(const Scratch& s, const std::string& format) {
  s.write("made.yaml", scenario(format));
  REQUIRE(run_program(s, {"data", "made.yaml"}).code == 0);
  const Ran sound = run_program(s, {"data", "made.yaml", "--verify"});
  INFO(sound.err << sound.out);
  REQUIRE(sound.code == 0);
  REQUIRE_THAT(sound.out, Catch::Matchers::StartsWith(format + "  "));
  const std::size_t at = format.size() + 2;
  return sound.out.substr(at, sound.out.find('\n') - at);
}

TEST_CASE("verify: every sample once, the smaller last batch too, each as the manifest says",
          "[golden][app]") {
  for (const std::string format : {"image_folder", "tar", "hdf5"}) {
    Scratch s;
    s.write("made.yaml", scenario(format));
    const Ran r = run_program(s, {"data", "made.yaml", "--verify"});
    INFO(format << r.err << r.out);
    CHECK(r.code == 0);
    CHECK_THAT(r.out, Contains("samples     50, ") && Contains("with 2 workers"));
    CHECK_THAT(r.out, Contains("\nclasses     4 (labels 0 to 3)\norder "));
    CHECK_THAT(r.out, Contains("each sample requested exactly once"));
    CHECK_THAT(r.out, Contains("50 of 50 compared with the manifest, 0 wrong"));
    CHECK_THAT(r.out, Contains("unreadable  0\nsound\n"));
  }
}

TEST_CASE("verify: a changed sample is found, counted and named, and nothing else is",
          "[golden][app]") {
  Scratch s;
  const fs::path file = files_below(made_data(s, "image_folder"), ".jpg").at(23);
  overwrite(file, fs::file_size(file) / 2, "changed");
  const Ran r = run_program(s, {"data", "made.yaml", "--verify"});
  INFO(r.err << r.out);
  CHECK(r.code == 1);
  CHECK_THAT(r.out, Contains("each sample requested exactly once"));
  CHECK_THAT(r.out, Contains("50 of 50 compared with the manifest, 1 wrong\n"));
  CHECK_THAT(
      r.out,
      Contains("  sample 23: content: the stored bytes differ from the manifest's digest\n"));
  CHECK_THAT(r.out, Catch::Matchers::EndsWith("NOT SOUND\n"));
}

TEST_CASE("verify: a label that is not the manifest's is found, counted and named",
          "[golden][app]") {
  Scratch s;
  const fs::path data = made_data(s, "tar");
  // Labels are read from the shard itself where the index beside it is gone.
  std::size_t indexes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data.parent_path()))
    if (entry.path().string().ends_with(".benchbench-index")) indexes += fs::remove(entry.path());
  REQUIRE(indexes == 1);
  const fs::path shard = files_below(data.string(), ".tar").front();
  const std::size_t name = read_file(shard).find(".cls");
  REQUIRE(name != std::string::npos);
  const std::size_t label = name / 512 * 512 + 512;
  const char found = read_file(shard).at(label);
  REQUIRE((found >= '0' && found <= '3'));
  const std::string other(1, found == '3' ? '0' : static_cast<char>(found + 1));
  CHECK_THAT(run_program(s, {"data", "made.yaml", "--verify"}).out,
             Contains("50 of 50 compared with the manifest, 0 wrong\n"));
  overwrite(shard, label, other);
  const Ran r = run_program(s, {"data", "made.yaml", "--verify"});
  INFO(r.err << r.out);
  CHECK(r.code == 1);
  CHECK_THAT(r.out,
             Contains("50 of 50 compared with the manifest, 0 wrong, 1 with a wrong label\n"));
  CHECK_THAT(r.out, Contains("  sample 0: label: the label is " + other + ", the manifest has " +
                             found + "\n"));
  CHECK_THAT(r.out, Catch::Matchers::EndsWith("NOT SOUND\n"));
}

TEST_CASE("verify: of a user's own data only decoding is checked, and what cannot be read is named",
          "[golden][app]") {
  Scratch s;
  fs::copy(made_data(s, "image_folder"), s.path("photos"), fs::copy_options::recursive);
  const std::string own =
      "name: own\ndataset: {path: photos}\n"
      "loader: {use: native, num_workers: 1, batch_size: 8, transform: {random_resized_crop: "
      "32}}\ntrainer: {use: discard}\n";
  s.write("own.yaml", own);
  const Ran good = run_program(s, {"data", "own.yaml", "--verify"});
  INFO(good.err << good.out);
  CHECK(good.code == 0);
  CHECK_THAT(good.out, Contains("your own data have no manifest: only decoding was checked") &&
                           Contains("readable\n"));
  const fs::path file = files_below(s.path("photos"), ".jpg").front();
  std::ofstream(file) << "no picture";
  const Ran bad = run_program(s, {"data", "own.yaml", "--verify"});
  INFO(bad.err << bad.out);
  CHECK(bad.code == 1);
  CHECK_THAT(bad.out, Contains("unreadable  1") && Contains(file.filename().string()) &&
                          Contains("NOT SOUND"));
}

TEST_CASE("verify: files that the format does not read are counted, and labels that are missing",
          "[golden][app]") {
  Scratch s;
  fs::create_directories(s.path("photos"));
  for (const fs::path& file : files_below(made_data(s, "image_folder"), ".jpg")) {
    fs::copy(file, s.path("photos") / file.filename());
    fs::copy(file, (s.path("photos") / file.stem()).concat(".webp"));
  }
  s.write("own.yaml",
          "name: own\ndataset: {path: photos}\n"
          "loader: {use: native, num_workers: 1, batch_size: 8, transform: "
          "{random_resized_crop: 32}}\ntrainer: {use: discard}\n");
  const Ran r = run_program(s, {"data", "own.yaml", "--verify"});
  INFO(r.err << r.out);
  CHECK(r.code == 0);
  const std::string files = "passed over 50 files that are not an image";
  CHECK_THAT(r.out, Contains("\nclasses     1: no labels were found, all samples have label 0\n" +
                             files + ": 50 .webp\norder "));
  CHECK_THAT(r.out, Catch::Matchers::EndsWith("readable, but " + files + "\n"));
  // A run warns as well, once.
  const Ran made = run_program(s, {"data", "own.yaml"});
  CHECK_THAT(made.err, Contains("note: ") && Contains("photos: " + files + ": 50 .webp\n"));
  CHECK_THAT(made.err, !Contains("no labels"));
}

TEST_CASE("verify: a loader that reads no data has nothing to verify", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran r = run_program(s, {"data", "tiny.yaml", "--verify"});
  CHECK(r.code == 2);
  CHECK_THAT(r.err, Contains("loader synthetic reads no dataset"));
}

TEST_CASE("plan: a cold scenario says how much data a window needs", "[golden][app]") {
  Scratch s;
  s.write("made.yaml", scenario("image_folder"));
  const std::vector<std::string> more{"--set", "dataset.synthesize.samples=200", "--set",
                                      "dataset.cache=cold"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), more.begin(), more.end());
    return run_program(s, words);
  };
  REQUIRE(with({"data", "made.yaml"}).code == 0);
  const Ran before = with({"plan", "made.yaml", "--no-probe"});
  CHECK_THAT(before.out, Contains("cold: the number of samples a window needs is unknown"));
  const Ran r = with({"plan", "made.yaml"});
  INFO(r.err << r.out);
  CHECK(r.code == 0);
  // Lines are folded at 80 columns.
  CHECK_THAT(std::regex_replace(r.out, std::regex("\\s+"), " "),
             Contains("cold: at least ") &&
                 Contains("the dataset has 200: epochs repeat, with an eviction before each"));
}

}  // namespace verify_program_test
}  // namespace benchbench::test
