// cuda:0 from the command line to the record: what is chosen, what is SKIPPED and why, what a
// record says of the device.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <sstream>

#include "tests/golden/cuda/stub_run.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace cuda_device_test {

using Catch::Matchers::Contains;

constexpr const char* kNoKernels = "this build has no CUDA kernels";

TEST_CASE("cuda: a run on cuda:0 says which device, driver and UUID it ran on", "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  const Scratch& s = plain_run();
  const auto report = nlohmann::json::parse(read_file(s.path("r.json")));
  const auto pipeline = records_of(s, "r", "pipeline").at(0),
             trainer = records_of(s, "r", "trainer").at(0);
  const auto& environment = pipeline.at("environment");
  CHECK(environment.at("gpus") == "1 x Stub H100");
  CHECK(environment.at("cuda") == "13.0, driver 580.65.06");
  REQUIRE(environment.at("gpu_uuids").size() == 1);
  CHECK(report.at("gpu").at("model") == "Stub H100");
  CHECK(report.at("gpu").at("uuid") == environment.at("gpu_uuids").at(0));
  CHECK(report.at("gpu").at("known") == nlohmann::json{{"other_processes", true},
                                                       {"slowed_down", true},
                                                       {"uncorrected_memory_errors", true}});
  for (const auto& record : {pipeline, trainer}) {
    CHECK(usable(record));
    const auto& device = record.at("facts").at("device");
    CHECK(device.at("name") == "cuda:0");
    CHECK(device.at("model") == "Stub H100");
    CHECK(device.at("uuid") == environment.at("gpu_uuids").at(0));
    CHECK(device.at("copies").get<int>() == record.at("facts").at("steps").get<int>());
    CHECK(device.at("copied_bytes").get<double>() ==
          16 * (32 * 32 * 3 + 8) * device.at("copies").get<double>());  // images and labels
    CHECK(device.at("kernel_deviation_share").get<double>() <= 0.01);
    const auto& gpu = record.at("facts").at("gpu");
    CHECK(gpu.at("name") == "cuda:0");
    CHECK(gpu.at("uuid") == device.at("uuid"));
    CHECK(gpu.at("absent") == "");
    CHECK(gpu.at("divided") == false);
    CHECK(gpu.at("foreign") == 0);
    CHECK(gpu.at("throttled") == "none");
    CHECK(gpu.at("power_limit_watts") == 700);
    CHECK(gpu.at("pcie_generation") == 5);
  }
  CHECK(records_of(s, "r", "loader").at(0).at("facts").value("device", nlohmann::json()).is_null());
  CHECK(read_file(s.path("leaks")).empty());
}

TEST_CASE(
    "cuda: pinned memory is of the device in every mode, and the loader's own batches are in it",
    "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const Ran ran = run_on_stub(s, {"run", "stub.yaml", "--out", "r", "--set",
                                  "loader.pin_memory=true", "--set", "trainer.device_wait=block"});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  for (const char* const mode : {"loader", "trainer", "pipeline"}) {
    const auto record = records_of(s, "r", mode).at(0);
    CHECK(usable(record));
    const auto& stages = record.at("facts").at("stages");
    // Copies are enqueued: nothing holds the host.
    if (std::string(mode) != "loader")
      CHECK(stages.value("h2d", nlohmann::json{{"ns", 0}}).at("ns") == 0);
  }
  CHECK(read_file(s.path("leaks")).empty());
}

TEST_CASE("cuda: images that the loader leaves to the step are normalised there",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const auto device_of = [&](const std::string& run, const std::string& where) {
    const Ran ran =
        run_on_stub(s, {"run", "stub.yaml", "--out", run, "--set", "measure.modes=pipeline",
                        "--set", "loader.normalize_on_device=" + where});
    INFO(ran.err << ran.out);
    REQUIRE(ran.code == 0);
    CHECK(read_file(s.path("leaks")).empty());
    return records_of(s, run, "pipeline").at(0).at("facts");
  };
  const auto with = device_of("w", "true"), without = device_of("n", "false");
  const auto calls = [](const nlohmann::json& facts) {
    // Calls of each step, and one of the window.
    return facts.at("device").at("calls").get<std::uint64_t>() /
           facts.at("device").at("steps").get<std::uint64_t>();
  };
  CHECK(calls(with) == calls(without) + 3);  // a launch, and an event at each of its ends
  const auto forward = [](const nlohmann::json& facts) {
    return facts.at("stages").at("forward").at("ns").get<double>() /
           facts.at("device").at("steps").get<double>();
  };
  // Less what three events take that are between two steps' kernels too.
  CHECK(forward(without) > 0.98e6);
  CHECK(forward(with) > 1e6 + 1000);  // what a kernel takes besides its work
  const auto billed = [](const nlohmann::json& facts) {
    return facts.at("stages").at("forward").at("count").get<double>() /
           facts.at("device").at("steps").get<double>();
  };
  CHECK(billed(without) == Approx(1));
  CHECK(billed(with) == Approx(2));
}

// Each batch is the same 16 samples: all sums are multiples of the first step's.
TEST_CASE("cuda: touch reads each batch on the device, and its loss is their sum",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml",
          "name: touch\nquestion: Do the bytes arrive?\n"
          "loader: {use: synthetic, num_workers: 1, batch_size: 16, samples: 16, batch_time: 2ms, "
          "height: 8, width: 8, wait: sleep}\n"
          "trainer: {use: touch, device: \"cuda:0\"}\n"
          "measure: {rounds: 1, class: selftest, window: 200ms, window_batches: 100, warmup: 20ms, "
          "modes: pipeline}\n");
  const auto facts_of = [&](const std::string& run, const std::string& set) {
    const Ran ran = run_on_stub(s, {"run", "stub.yaml", "--out", run, "--set", set});
    INFO(ran.err << ran.out);
    REQUIRE(ran.code == 0);
    CHECK(read_file(s.path("leaks")).empty());
    return records_of(s, run, "pipeline").at(0).at("facts");
  };
  const auto sum_of = [](const nlohmann::json& loss) {
    return static_cast<std::uint64_t>(std::ldexp(loss.get<double>() - 1, 32));
  };
  const auto facts = facts_of("r", "loader.pin_memory=true"),
             once = facts_of("o", "trainer.copy=once");
  const std::uint64_t first = sum_of(facts.at("loss_first")), last = sum_of(facts.at("loss_last"));
  // The bytes are random; labels are among them, which are small.
  CHECK(static_cast<double>(first) == Approx(16 * 8 * 8 * 3 * 127.5).epsilon(0.03));
  CHECK(last % first == 0);
  // The steps of the window, and those of the warm-up.
  CHECK(last / first > facts.at("steps").get<std::uint64_t>());
  CHECK(facts.at("stages").at("forward").at("count") == facts.at("device").at("steps"));
  CHECK(facts.at("stages").at("forward").at("ns").get<double>() >=
        2000 * facts.at("device").at("steps").get<double>());
  CHECK(sum_of(once.at("loss_first")) == first);
}

// The first batch is the same half of the samples in both runs: shuffled by one seed.
TEST_CASE("cuda: rows that stay on the device are gathered there, and are those that are copied",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml",
          "name: rows\nquestion: Are the right rows gathered?\n"
          "dataset: {synthesize: {samples: 8, image: {mean_width: 40, mean_height: 40}}}\n"
          "loader: {use: native, num_workers: 1, batch_size: 4, shuffle: true, transform: "
          "{center_crop: 8, "
          "resize: 8, normalize: none}}\n"
          "trainer: {use: touch, device: \"cuda:0\"}\n"
          "measure: {rounds: 1, class: selftest, window: 200ms, window_batches: 100, warmup: "
          "20ms}\n");
  const auto facts_of = [&](const std::string& residency, const std::string& modes) {
    const Ran ran =
        run_on_stub(s, {"run", "stub.yaml", "--out", residency, "--set", "measure.modes=" + modes,
                        "--set", "loader.residency=" + residency});
    INFO(ran.err << ran.out);
    for (const auto& record : journal_of(s, residency)) {
      CAPTURE(record.at("trial").at("mode"));
      CHECK((usable(record) || record.at("status") == "INVALID"));  // of a busy machine
    }
    CHECK(read_file(s.path("leaks")).empty());
    return records_of(s, residency, "pipeline").at(0).at("facts");
  };
  const auto gathered = facts_of("device", "loader,trainer,pipeline"),
             copied = facts_of("storage", "pipeline");
  const auto sum_of = [](const nlohmann::json& loss) {
    return static_cast<std::uint64_t>(std::ldexp(loss.get<double>() - 1, 32));
  };
  CHECK(sum_of(copied.at("loss_first")) > 0);
  CHECK(sum_of(gathered.at("loss_first")) == sum_of(copied.at("loss_first")));
  const auto each_step = [](const nlohmann::json& facts, const char* what) {
    return facts.at("device").at(what).get<std::uint64_t>() /
           facts.at("device").at("steps").get<std::uint64_t>();
  };
  CHECK(each_step(gathered, "calls") == each_step(copied, "calls") + 1);
  CHECK(each_step(gathered, "copied_bytes") == 4 * 8);
}

// On a GPU as the settings say; false where that ends with an error.
bool run_trainer(const Scratch& s, const std::string& run, const StubSettings& settings) {
  return run_on_stub(s,
                     {"run", "stub.yaml", "--out", run, "--set", "measure.modes=trainer", "--set",
                      "trainer.device_wait=block"},
                     settings)
             .code == 0;
}

// Whose run "f" has neither NVML's power nor its processes.
const Scratch& run_without_some_calls_of_nvml() {
  static const Scratch folder;
  static const bool ran = [] {
    folder.write("stub.yaml", stub_scenario());
    return run_trainer(
        folder, "f",
        {{"FAIL", "nvmlDeviceGetPowerUsage=3,nvmlDeviceGetComputeRunningProcesses_v3=3"}});
  }();
  REQUIRE(ran);
  return folder;
}

std::map<std::string, nlohmann::json> probes_of(const Scratch& s, const std::string& run) {
  std::map<std::string, nlohmann::json> probes;
  const auto record = records_of(s, run, "trainer").at(0);
  for (const auto& probe : record.at("facts").at("probes"))
    probes[probe.at("name").get<std::string>()] = probe;
  return probes;
}

TEST_CASE(
    "cuda: NVML's readings are probes, and a call that fails is not available with its reason",
    "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  auto probes = probes_of(plain_run(), "r");
  for (const char* const name :
       {"gpu_busy", "gpu_memory_busy", "gpu_memory", "gpu_clock", "gpu_memory_clock", "gpu_power",
        "gpu_temperature", "gpu_received", "gpu_sent"}) {
    CAPTURE(name);
    REQUIRE(probes.contains(name));
    CHECK(probes[name].at("state") == "measured");
    CHECK(probes[name].at("samples").get<int>() > 0);
  }
  CHECK(probes["gpu_busy"].at("mean").get<double>() > 0);
  CHECK(probes["gpu_busy"].at("mean").get<double>() <= 1);
  auto failing = probes_of(run_without_some_calls_of_nvml(), "f");
  CHECK(failing["gpu_power"].at("state") == "not available");
  CHECK_THAT(failing["gpu_power"].at("why").get<std::string>(),
             Contains("nvmlDeviceGetPowerUsage failed"));
  CHECK(failing["gpu_clock"].at("state") == "measured");
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  REQUIRE(run_trainer(s, "w", {{"FAIL", "nvmlInit_v2=9"}}));
  auto without = probes_of(s, "w");
  CHECK(without["gpu_busy"].at("state") == "not available");
  CHECK_FALSE(without["gpu_busy"].at("why").get<std::string>().empty());
}

TEST_CASE("cuda: who else is on the GPU, and what slows it down, is a doubt", "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const auto detail_of = [](const Scratch& folder, const std::string& run) {
    return on_one_line(run_program(folder, {"report", run, "--detail"}).out);
  };
  CHECK_THAT(detail_of(plain_run(), "r"), !Contains("used cuda:0 too") &&
                                              !Contains("was slowed down") &&
                                              !Contains("not known: "));
  REQUIRE(run_trainer(s, "three", {{"STRANGERS", "3"}, {"THROTTLE", "0x21"}, {"ECC_GROWS", "1"}}));
  CHECK_THAT(detail_of(s, "three"),
             Contains("3 other processes used cuda:0 too") &&
                 Contains("cuda:0 was slowed down: hot") && Contains("R11 (device): ") &&
                 Contains("the memory of cuda:0 had ") && Contains("that could not be corrected"));
  REQUIRE(run_trainer(s, "new", {{"NEWCOMER_AT", "4"}, {"THROTTLE", "0x3"}}));
  CHECK_THAT(detail_of(s, "new"), Contains("another process used cuda:0 too") &&
                                      !Contains("cuda:0 was slowed down") &&
                                      !Contains("R11 (device)"));
  CHECK_THAT(detail_of(run_without_some_calls_of_nvml(), "f"),
             Contains("not known: whether other processes used it (NVML does not say)"));
  REQUIRE(run_on_stub(s, {"run", "stub.yaml", "--out", "unasked", "--set", "measure.modes=trainer",
                          "--set", "measure.probe_every=0s"})
              .code == 0);
  CHECK_THAT(
      detail_of(s, "unasked"),
      Contains(
          "whether its memory had errors that could not be corrected (measure.probe_every is 0)"));
}

TEST_CASE(
    "cuda: trainer.device: auto is cuda:0 where the trainers have steps for it, "
    "else the CPU, and both are told",
    "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  Scratch s;
  const std::string variants =
      "variants: {cuda: {loader.batch_size: 8}, cpu: {loader.batch_size: 4}}\n";
  s.write("auto.yaml", stub_scenario(variants));
  const Ran there = run_on_stub(s, {"plan", "auto.yaml", "--set", "trainer.device=auto"});
  CHECK(there.code == 0);
  CHECK_THAT(on_one_line(there.out + there.err),
             Contains("trainer.device: auto is cuda:0") && Contains("variant cuda applied"));
  const Ran cpu = run_on_stub(
      s, {"plan", "auto.yaml", "--set", "trainer.device=auto", "--set", "trainer.use=roofline"});
  CHECK(cpu.code == 0);
  CHECK_THAT(
      on_one_line(cpu.out + cpu.err),
      Contains("trainer.device: auto is cpu: trainer roofline has no steps for CUDA devices") &&
          Contains("variant cpu applied"));
  const Ran swept = run_on_stub(s, {"plan", "auto.yaml", "--set", "trainer.device=auto", "--sweep",
                                    "trainer=[{use: timed}, {use: roofline}]"});
  CHECK_THAT(on_one_line(swept.out + swept.err),
             Contains("auto is cpu: trainer roofline has no steps"));
  const Ran none =
      run_on_stub(s, {"plan", "auto.yaml", "--set", "trainer.device=auto"}, {{"DEVICES", "0"}});
  CHECK_THAT(on_one_line(none.out + none.err),
             Contains("trainer.device: auto is cpu: the CUDA driver"));
}

TEST_CASE("cuda: what a machine lacks is SKIPPED with the driver's reason", "[golden][cuda]") {
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const auto skipped = [&](const std::string& run, const std::vector<std::string>& more,
                           const StubSettings& settings) {
    std::vector<std::string> words{"run", "stub.yaml", "--out", run};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_on_stub(s, words, settings);
    CHECK(ran.code == 8);
    return on_one_line(ran.out);
  };
  CHECK_THAT(skipped("none", {}, {{"DEVICES", "0"}}),
             Contains("SKIPPED: needs cuda:0: the CUDA driver finds no device"));
  CHECK_THAT(
      skipped("old", {}, {{"DRIVER", "10020"}}),
      Contains(
          "SKIPPED: needs cuda:0: the CUDA driver is of version 10.2, which is older than 11.0"));
  CHECK_THAT(skipped("index", {"--set", "trainer.device=cuda:3"}, {{"DEVICES", "2"}}),
             Contains("SKIPPED: needs cuda:3: there are cuda:0 to cuda:1"));
  CHECK_THAT(skipped("start", {}, {{"FAIL", "cuInit=803"}}), Contains("does not start"));
}

TEST_CASE("cuda: a device that --expect-device asks for is there, or the run does not begin",
          "[golden][cuda]") {
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  CHECK(run_on_stub(s,
                    {"run", "stub.yaml", "--out", "a", "--expect-device", "cuda:1", "--set",
                     "measure.modes=loader"},
                    {{"DEVICES", "2"}})
            .code == 0);
  const Ran lacking = run_on_stub(
      s, {"run", "stub.yaml", "--out", "b", "--expect-device", "cuda:2"}, {{"DEVICES", "2"}});
  CHECK(lacking.code == 6);
  CHECK_THAT(lacking.err, Contains("there is no cuda:2: 2 x Stub GPU, CUDA 13.0"));
}

// What a doctor writes on a machine whose link is slow, made at the first call.
struct SlowLink {
  Scratch folder;
  Ran doctor = run_on_stub(folder, {"doctor", "--write"},
                           {{"PAGEABLE_GBPS", "0.5"}, {"PINNED_GBPS", "0.5"}});
};
const SlowLink& slow_link() {
  static const SlowLink made;
  return made;
}

TEST_CASE("cuda: doctor measures the link, and its rates are ceilings of that GPU",
          "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  const Ran& doctor = slow_link().doctor;
  INFO(doctor.err);
  CHECK_THAT(doctor.out, Contains("1 x Stub GPU, CUDA 13.0, driver 580.65.06") &&
                             Contains("link to cuda:0") && Contains("pageable to cuda:0") &&
                             Contains("copies of 64 MiB") && Contains("memory of cuda:0") &&
                             Contains("clock of cuda:0") && Contains("1980 MHz"));
  const std::string kept = read_file(slow_link().folder.path("cache/machine.yaml"));
  CHECK_THAT(kept, Contains("gpu: 00112233-4455-6677-8899-aabbccddee00") &&
                       Contains("link_to_device: ") && Contains("link_pageable_from_device: ") &&
                       Contains("device_memory: "));
}

// Returns the bytes that a trial copied in a nanosecond, which are GB/s.
double read_copy_rate(const nlohmann::json& record) {
  const auto& device = record.at("facts").at("device");
  return device.at("copied_bytes").get<double>() / device.at("copy_ns").get<double>();
}

// The ceilings are those of a slow link; then the copies are fast, if the stub's thread has a core.
TEST_CASE("cuda: copies that are faster than the link can be void the trial", "[golden][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP(kNoKernels);
  const Scratch& s = slow_link().folder;
  s.write("stub.yaml", stub_scenario());
  const Ran ran = run_on_stub(s,
                              {"run", "stub.yaml", "--out", "r", "--set", "measure.modes=trainer",
                               "--set", "loader.pin_memory=true"},
                              {{"PINNED_GBPS", "200"}});
  for (const auto& record : journal_of(s, "r"))
    if (read_copy_rate(record) < 1)
      BENCHBENCH_NOT_JUDGED("the stub's copies were held up: they are no faster than a slow link");
  CHECK(ran.code == 8);
  for (const auto& record : journal_of(s, "r")) CHECK(record.at("status") == "INVALID");
  CHECK_THAT(on_one_line(run_program(s, {"report", "r"}).out),
             Contains("R12 (physics)") && Contains("batches were copied to cuda:0 at"));
}

TEST_CASE(
    "cuda: a scenario for the CPU does not ask the driver, and one that hangs does not hold it up",
    "[golden][cuda]") {
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const Ran ran = run_on_stub(s,
                              {"run", "stub.yaml", "--out", "r", "--set", "trainer.device=cpu",
                               "--set", "measure.modes=loader", "--set", "measure.timeout=10s"},
                              {{"HANG_AT_CALL", "1"}});
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(records_of(s, "r", "loader").at(0).at("environment").at("gpus") == "");
}

TEST_CASE("cuda: runs on the CPU of a machine with another GPU, or none, are comparable",
          "[golden][cuda]") {
  Scratch s;
  s.write("stub.yaml", stub_scenario());
  const std::vector<std::string> words{"run",   "stub.yaml",
                                       "--set", "trainer.device=cpu",
                                       "--set", "measure.modes=loader",
                                       "--set", "loader.pin_memory=false"};
  const auto run = [&](const char* folder, const char* device, const StubSettings& settings) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--set", std::string("trainer.device=") + device, "--out", folder});
    REQUIRE(run_on_stub(s, all, settings).code == 0);
  };
  run("a", "cpu", {});
  // The driver is asked, and a loader alone runs on the CPU.
  run("b", "auto", {{"NAME", "Another GPU"}});
  CHECK_THAT(on_one_line(run_program(s, {"compare", "a", "b"}).out),
             !Contains("different hardware"));
}

}  // namespace cuda_device_test
}  // namespace benchbench::test
