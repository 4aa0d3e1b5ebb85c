// On a real file, read by the HDF5 library: its lock, inflating and storage each get their own
// name.
#include <catch2/catch.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/control.h"
#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace hdf5_lock_test {

using nlohmann::json;

namespace {

// Volumes of 128 KiB, which take the library most of a millisecond each to inflate, a transform
// that takes next to none, and a step that is short but long enough to be measured by itself:
// without its rate no lock is named.
const char kVolumes[] =
    "name: gz\n"
    "dataset: {format: hdf5_gzip, synthesize: {samples: 64, seed: 7, volume: {depth: 16, height: "
    "64, width: 64}, classes: 2}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 2, io: library, transform: {random_patch: "
    "8, smooth_sigma: 0.0}}\n"
    "trainer: {use: timed, step_time: 100us, device: cpu}\n"
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

struct Truth {
  const char* named;
  std::vector<std::string> settings;
  const char* next;
  bool two_modes = false;  // without the trainer alone, so that no side has a time
};

// What the run says that is not so; empty if all is.
std::string wrong_with(const json& found, const Truth& truth) {
  const double step = found.at("step_ms").at("value");
  const bool lock = truth.named == std::string("lock"),
             storage = truth.named == std::string("storage");
  if (found.at("bound_by") != json::array({truth.named})) return "bound_by";
  CHECK_THAT(found.at("next").get<std::string>(), Catch::StartsWith(truth.next));
  if (!storage && ms_of(found, "storage") >= step / 4) return "storage";
  if (lock && found.at("lock_wait_ms").get<double>() <= step / 10) return "lock_wait_ms";
  return "";
}

// 0 if all that the run says is so, else 1; not a number if its trials were too noisy to name a
// loader's time.
double off_of(const Truth& truth) {
  Scratch s;
  const json run = run_with(s, truth.settings);
  const json& found = run.at("substitutions");
  const std::string wrong = wrong_with(found, truth);
  if (wrong.empty()) return 0;
  std::printf("%s: %s: %s\n", truth.named, wrong.c_str(), found.dump().c_str());
  return found.at("loader_ms").is_null() && !truth.two_modes ? std::nan("") : 1;
}

// Two workers find the lock taken only where each has a core: the control keeps two cores busy.
// Nothing but the truth makes a run say it, so that one run is enough.
TEST_CASE("run: --substitute tells the HDF5 library's lock, inflating and a slow store apart",
          "[golden][app][.all]") {
  const char* past_it = "set loader.io to auto (now library)";
  const Truth truths[] = {{"lock", {}, past_it},
                          {"lock", {"--set", "trainer.use=discard"}, past_it},
                          {"lock", {"--set", "measure.modes=[loader, pipeline]"}, past_it, true},
                          {"decode",
                           {"--set", "loader.num_workers=1"},
                           "set dataset.format to hdf5_contiguous (now hdf5_gzip)"},
                          {"storage",
                           {"--set", "dataset.storage.latency=4ms"},
                           "set loader.residency to host (now storage)"}};
  std::vector<TimedTrial> trials;
  for (const Truth& truth : truths)
    trials.push_back({truth.named, [&] { return off_of(truth); }, -0.5, 0.5, 0, 1});
  judge_by_control({2, std::chrono::milliseconds{1}, false, true}, 0.1, trials);
}

}  // namespace
}  // namespace hdf5_lock_test
}  // namespace benchbench::test
