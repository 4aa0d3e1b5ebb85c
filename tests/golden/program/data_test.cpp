// `benchbench data`: what goes together, and a conversion. verify_test.cpp has --verify.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace data_program_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const char kMade[] =
    "name: made\n"
    "dataset: {format: image_folder, synthesize: {samples: 12, "
    "image: {mean_width: 32, mean_height: 32}, classes: 2}}\n"
    "loader: {use: native, num_workers: 1, batch_size: 4, transform: {random_resized_crop: 16}}\n"
    "trainer: {use: discard}\n"
    "measure: {class: selftest, rounds: 1}\n";

// Returns the folder that `data made.yaml` names.
std::string make_photos(const Scratch& s) {
  s.write("made.yaml", kMade);
  const Ran made = run_program(s, {"data", "made.yaml"});
  REQUIRE(made.code == 0);
  REQUIRE_THAT(made.out, Catch::Matchers::StartsWith("image_folder\t"));
  return made.out.substr(13, made.out.find('\n') - 13);
}

TEST_CASE("data: makes what a scenario needs, says where it is, and says so again",
          "[golden][app]") {
  const Scratch s;
  const std::string photos = make_photos(s);
  CHECK(fs::is_directory(photos));
  CHECK(make_photos(s) == photos);
  s.write("tiny.yaml", tiny_scenario());
  const Ran none = run_program(s, {"data", "tiny.yaml"});
  CHECK(none.code == 0);
  CHECK(none.out.empty());
  CHECK_THAT(none.err, Contains("tiny.yaml reads no dataset: nothing to make"));
}

TEST_CASE("data: what is said of making them ends with all of them", "[golden][app]") {
  const Scratch s;
  s.write("made.yaml", kMade);
  CHECK_THAT(run_program(s, {"data", "made.yaml"}).err, Contains("12 of 12 samples"));
  CHECK_THAT(run_program(s, {"data", "made.yaml"}).err, !Contains("samples"));
}

TEST_CASE("data: --to converts by extension or by name, and the samples are the same",
          "[golden][app]") {
  const Scratch s;
  const std::string photos = make_photos(s);
  const Ran tar = run_program(s, {"data", photos, "--to", "a.tar"});
  CHECK(tar.code == 0);
  CHECK(tar.out == "tar\ta.tar\n");
  CHECK_THAT(tar.err, Contains("12 samples") && Contains("all digests match"));
  // What is before the first = is a format; the rest is the path.
  const Ran named = run_program(s, {"data", "a.tar", "--from", "tar", "--to", "mds=x=y"});
  CHECK(named.code == 0);
  CHECK(named.out == "mds\tx=y\n");
  CHECK(fs::exists(s.path("x=y/index.json")));
}

TEST_CASE("data: what does not go together, or is not a scenario, is refused with what to do",
          "[golden][app]") {
  const Scratch s;
  s.write("made.yaml", kMade);
  fs::create_directories(s.path("photos"));
  s.write("photos.tar", "");
  const auto refused = [&](const Words& words, const std::string& error, const std::string& hint) {
    const Ran ran = run_program(s, words);
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK_THAT(on_one_line(ran.err), Contains(error) && Contains(hint));
  };
  refused({"data"}, "FILE is missing", "-h` shows examples");
  for (const char* path : {"photos", "photos.tar"})
    for (const Words& more : {Words{}, Words{"--verify"}}) {
      Words words{"data", path};
      words.insert(words.end(), more.begin(), more.end());
      refused(
          words, std::string(path) + " is not a scenario, which is a YAML file",
          "--to PATH converts it, a scenario takes it by --set dataset.path=" + std::string(path));
    }
  refused({"data", "photos", "--from", "tar"}, "--from goes with --to PATH", "--to photos.tar");
  refused({"data", "made.yaml", "--verify", "--columns", "image=a"},
          "--columns goes with --to PATH", "--to photos.tar");
  refused({"data", "photos", "--to", "x.tar", "--verify"},
          "--verify is of a scenario's data, --to of data to convert", "compares every digest");
  refused({"data", "photos", "--to", "x.tar", "--set", "dataset.keep=0.5"},
          "--set is of a scenario's data, --to of data to convert", "compares every digest");
  refused({"data", "photos", "--to", "tarr=x"}, "--to: unknown format 'tarr'; did you mean tar?",
          "formats: ");
  refused({"data", "photos", "--to", "x.txt"}, "--to x.txt: cannot derive the format",
          "write --to FORMAT=x.txt");
  refused({"data", "photos", "--to", "tar="}, "--to tar=: the path is missing", "");
  refused({"data", "nowhere", "--to", "x.tar"}, "'nowhere' does not exist", "");
}

}  // namespace data_program_test
}  // namespace benchbench::test
