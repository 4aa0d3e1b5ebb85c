// Images that cuda:0 decodes, from the command line to the record: the batches are those of the
// CPU's path, a bad file is one bad sample, and what is missing is SKIPPED by name.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/golden/cuda/stub_run.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace cuda_decode_test {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

constexpr const char* kNoKernels = "this build has no CUDA kernels";

std::string scenario(const std::string& dataset) {
  return "name: decode\nquestion: Does the device decode the same images?\ndataset: " + dataset +
         "\nloader: {use: native, num_workers: 2, batch_size: 4, shuffle: true, transform: "
         "{random_resized_crop: 24, normalize: none}}\n"
         "trainer: {use: touch, device: \"cuda:0\"}\n"
         "measure: {rounds: 1, class: selftest, window: 200ms, window_batches: 100, warmup: "
         "20ms}\n";
}

constexpr const char* kMade =
    "{format: FORMAT, synthesize: {samples: 16, image: {mean_width: 90, mean_height: 70}}}";

std::string made_as(const std::string& format) {
  std::string text = kMade;
  return text.replace(text.find("FORMAT"), 6, format);
}

Ran run_with(const Scratch& s, const std::string& run, const std::string& backend,
             const std::vector<std::string>& more = {}, const StubSettings& settings = {}) {
  std::vector<std::string> words{
      "run",   "decode.yaml",           "--out", run, "--set", "loader.decode.backend=" + backend,
      "--set", "measure.modes=pipeline"};
  words.insert(words.end(), more.begin(), more.end());
  return run_on_stub(s, words, settings);
}

nlohmann::json facts_of(const Scratch& s, const std::string& run, const std::string& mode) {
  const auto record = records_of(s, run, mode).at(0);
  INFO(record.dump(1));
  CHECK((usable(record) || record.at("status") == "INVALID"));  // of a busy machine
  return record.at("facts");
}

std::uint64_t sum_of(const nlohmann::json& loss) {
  return static_cast<std::uint64_t>(std::ldexp(loss.get<double>() - 1, 32));
}

// Returns the sum of all pixels of the first batch and its labels.
double first_sum(const Scratch& s, const std::string& backend, const std::string& modes) {
  const Ran ran = run_with(s, backend, backend, {"--set", "measure.modes=" + modes});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  CHECK(read_file(s.path("leaks")).empty());
  return static_cast<double>(sum_of(facts_of(s, backend, "pipeline").at("loss_first")));
}

// The same crops of the same samples.
TEST_CASE("cuda: the device decodes the batches that workers would have made", "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  for (const std::string format : {"tar", "image_folder"}) {
    Scratch s;
    s.write("decode.yaml", scenario(made_as(format)));
    const double wanted = first_sum(s, "cpu", "pipeline");
    CHECK(wanted > 4 * 24 * 24 * 3 * 20);
    const bool all = format == "tar";
    CHECK(first_sum(s, "nvjpeg", all ? "loader,trainer,pipeline" : "pipeline") ==
          Approx(wanted).epsilon(0.001));
    if (!all) continue;
    const auto there = facts_of(s, "nvjpeg", "pipeline");
    CHECK_THAT(there.at("loader_note").get<std::string>(),
               Contains("; nvJPEG 13.0.4 decodes with the JPEG engines of "
                        "cuda:0: 8 of 1 core"));
    CHECK(there.at("notices").dump().find("nvJPEG") == std::string::npos);
    CHECK(there.at("decode_errors") == 0);
    CHECK(there.at("stages").at("read").at("count").get<int>() > 0);
    CHECK(there.at("stages").count("transform") == 0);
    CHECK(facts_of(s, "nvjpeg", "loader").at("device").at("copies") > 0);
    // A buffer of the device that a busy machine uses late is filled in the window, once.
    CHECK(facts_of(s, "nvjpeg", "trainer").at("device").at("copies") <= 2);
  }
}

// The folder of a user, of images that a run has made.
std::vector<fs::path> own_folder(const Scratch& s) {
  s.write("decode.yaml", scenario(made_as("image_folder")));
  REQUIRE(run_with(s, "made", "cpu").code == 0);
  std::vector<fs::path> images;
  fs::create_directories(s.path("mine/a"));
  for (const auto& entry : fs::recursive_directory_iterator(s.path()))
    if (entry.path().extension() == ".jpg" &&
        entry.path().string().find("/mine/") == std::string::npos) {
      images.push_back(s.path("mine/a/" + std::to_string(images.size()) + ".jpg"));
      fs::copy_file(entry.path(), images.back());
    }
  REQUIRE(images.size() == 16);
  s.write("decode.yaml", scenario("{path: mine, format: image_folder}"));
  return images;
}

// Bytes are missing within the image: its header and its end are well.
void damage(const fs::path& file) {
  std::string bytes = read_file(file);
  bytes.erase(bytes.size() / 2, bytes.size() / 4);
  std::ofstream(file, std::ios::trunc | std::ios::binary) << bytes;
}

TEST_CASE("cuda: a file that the device cannot decode is that sample's error, and the run goes on",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  const auto images = own_folder(s);
  damage(images[5]);
  const Ran ran = run_with(s, "r", "nvjpeg");
  INFO(ran.err << ran.out);
  const auto record = records_of(s, "r", "pipeline").at(0);
  CHECK(record.at("status") != "FAILED");
  const auto& facts = record.at("facts");
  CHECK(facts.at("decode_errors").get<int>() > 0);
  CHECK(facts.at("steps").get<int>() > 16);
  REQUIRE(facts.at("faults").size() == 1);
  CHECK(facts.at("faults").at(0).dump().find("a/5.jpg") != std::string::npos);
  CHECK(facts.at("faults").at(0).dump().find("NVJPEG_STATUS_BAD_JPEG") != std::string::npos);
  CHECK(read_file(s.path("leaks")).empty());
}

TEST_CASE("cuda: what decoding on the device needs and is not there is SKIPPED by name",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("decode.yaml", scenario(made_as("tar")));
  const auto skipped = [&](const std::string& run, const std::vector<std::string>& more,
                           const StubSettings& settings = {}) {
    const Ran ran = run_with(s, run, "nvjpeg", more, settings);
    CHECK(ran.code == 8);
    return on_one_line(ran.out);
  };
  CHECK_THAT(skipped("none", {}, {{"WITHOUT_NVJPEG", "1"}}),
             Contains("SKIPPED: loader.decode.backend: nvjpeg needs libnvjpeg.so.13 of the package "
                      "nvidia-nvjpeg: "));
  CHECK_THAT(
      skipped("cpu", {"--set", "trainer={use: timed, step_time: 1ms, device: cpu}"}),
      Contains("SKIPPED: needs trainer.device: cuda:N for loader.decode.backend: nvjpeg, not cpu"));
  CHECK_THAT(skipped("unit", {"--set", "loader.work_unit=sample"}),
             Contains("needs loader.work_unit: batch for loader.decode.backend: nvjpeg"));
  CHECK_THAT(skipped("host", {"--set", "trainer={use: discard, device: \"cuda:0\"}"}),
             Contains("needs trainer.at: device for loader.decode.backend: nvjpeg with trainer "
                      "discard"));
}

}  // namespace cuda_decode_test
}  // namespace benchbench::test
