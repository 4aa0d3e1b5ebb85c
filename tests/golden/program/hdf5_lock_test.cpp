// On a real file, read by the HDF5 library: its lock, inflating and storage each get their own
// name.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace hdf5_lock_test {

using nlohmann::json;

namespace {

// Volumes of 128 KiB, which take the library most of a millisecond each to inflate, and a transform
// that takes next to none.
const char kVolumes[] =
    "name: gz\n"
    "dataset: {format: hdf5_gzip, synthesize: {samples: 64, seed: 7, volume: {depth: 16, height: "
    "64, width: 64}, classes: 2}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 2, io: library, transform: {random_patch: "
    "8, smooth_sigma: 0.0}}\n"
    "trainer: {use: discard, device: cpu}\n"
    "measure: {class: selftest, rounds: 3, window: 200ms, window_batches: 100, substitute: true}\n";

json run_with(const Scratch& s, const std::vector<std::string>& more) {
  s.write("gz.yaml", kVolumes);
  std::vector<std::string> arguments = {"run", "gz.yaml", "--out", "r", "--json", "r.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran run = run_program(s, arguments);
  INFO(run.err << run.out);
  return json::parse(read_file(s.path("r.json")));
}

double ms_of(const json& substitutions, const std::string& component) {
  for (const json& c : substitutions.at("components"))
    if (c.at("component") == component && !c.at("ms").is_null()) return c.at("ms").at("value");
  return 0;
}

bool too_noisy(const json& run) {
  const json& floor = run.at("aa_floor");
  return floor.is_null() || floor.at("share_95").get<double>() > 0.1;
}

struct Truth {
  const char* named;
  std::vector<std::string> settings;
  const char* next;
};

TEST_CASE("run: --substitute tells the HDF5 library's lock, inflating and a slow store apart",
          "[golden][app]") {
  const Truth truths[] = {{"lock", {}, "set loader.io to auto (now library)"},
                          {"decode",
                           {"--set", "loader.num_workers=1"},
                           "set dataset.format to hdf5_contiguous (now hdf5_gzip)"},
                          {"storage",
                           {"--set", "dataset.storage.latency=4ms"},
                           "set loader.residency to host (now storage)"}};
  for (const Truth& truth : truths) {
    Scratch s;
    const json run = run_with(s, truth.settings);
    const json& found = run.at("substitutions");
    if (found.at("bound_by") != json::array({truth.named}) && too_noisy(run))
      BENCHBENCH_SKIP("machine too noisy");
    INFO(truth.named << found.dump(1));
    CHECK(found.at("bound_by") == json::array({truth.named}));
    CHECK(found.at("next").get<std::string>().starts_with(truth.next));
    const double step = found.at("step_ms").at("value");
    if (truth.named != std::string("storage")) CHECK(ms_of(found, "storage") < step / 4);
    if (truth.named == std::string("lock"))
      CHECK(found.at("lock_wait_ms").get<double>() > step / 10);
  }
}

}  // namespace
}  // namespace hdf5_lock_test
}  // namespace benchbench::test
