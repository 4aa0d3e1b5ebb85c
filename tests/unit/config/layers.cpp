// Which layer wins, what a sweep becomes, what is decided for the user.
#include <algorithm>

#include "tests/unit/config/external_catalog.h"

namespace benchbench::test {
namespace config_layers {

const std::string kReal =
    "dataset: {format: image_folder, synthesize: {samples: 64}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 8, transform: {random_resized_crop: 64}}\n"
    "trainer: {use: resnet50, memory_format: channels_last}\n";

bool told(const Scenario& s, const std::string& text) {
  return std::any_of(s.decisions.begin(), s.decisions.end(),
                     [&](const std::string& d) { return d.find(text) != std::string::npos; });
}

const AxisValue& value(const Scenario& s, const std::string& axis, const std::string& label) {
  for (const Axis& a : s.axes)
    for (const AxisValue& v : a.values)
      if (a.key == axis && v.label == label) return v;
  FAIL("no value " << label << " of axis " << axis);
  throw 0;
}

std::string set_to(const AxisValue& v, const std::string& key) {
  for (const auto& [k, held] : v.set)
    if (k == key) return held.text();
  return "not set";
}

TEST_CASE("scenario: default < file < device variant < --variant < --set", "[unit][config]") {
  struct Row {
    std::string file, variants;
    bool big, set;
    std::int64_t batch_size;
  };
  const std::string cpu = "cpu: {loader.batch_size: 16}", big = "big: {loader: {batch_size: 64}}";
  const Row rows[] = {{"", "", false, false, 1},
                      {", batch_size: 4", "", false, false, 4},
                      {", batch_size: 4", cpu, false, false, 16},
                      {", batch_size: 4", big, false, false, 4},
                      {", batch_size: 4", big + ", " + cpu, true, false, 64},
                      {", batch_size: 4", big + ", " + cpu, true, true, 128}};
  for (const Row& row : rows) {
    ScenarioRequest request = request_for("");
    if (row.big) request.variants = {"big"};
    if (row.set) request.sets = {{"loader.batch_size", "128"}};
    const std::string text = "loader: {use: synthetic" + row.file + "}\ntrainer: {use: timed}\n" +
                             (row.variants.empty() ? "" : "variants: {" + row.variants + "}\n");
    CHECK(load_text(text, request).base.integer("loader.batch_size") == row.batch_size);
  }
}

TEST_CASE(
    "scenario: what a variant and --set gave in place of what is kept, the last one's name with it",
    "[unit][config]") {
  const std::string text = kReal +
                           "measure: {rounds: 3}\n"
                           "variants: {cpu: {trainer.use: resnet18, loader.batch_size: 16, "
                           "loader.num_workers: 2, measure.rounds: 4}}\n";
  const auto replaced = [&](std::vector<Overlay> sets) {
    ScenarioRequest request = request_for("");
    request.sets = std::move(sets);
    std::vector<std::string> all;
    for (const Replaced& r : load_text(text, request).replaced)
      all.push_back(r.by + ": " + r.key + "=" + r.from + "->" + r.to);
    return all;
  };
  // What it says again, and how it is measured, changes nothing of what is.
  const std::string part = "cpu: trainer.use=resnet50->resnet18";
  CHECK(replaced({}) == std::vector<std::string>{part, "cpu: loader.batch_size=8->16"});
  CHECK(replaced({{"loader.batch_size", "64"}}) ==
        std::vector<std::string>{part, "--set: loader.batch_size=8->64"});
  CHECK(replaced({{"loader.batch_size", "8"}}) == std::vector<std::string>{part});
  CHECK(load_text(kMock).replaced.empty());
}

TEST_CASE("scenario: which of its parts are mocks is kept, swept ones too", "[unit][config]") {
  CHECK(load_text(kMock).mocks == std::vector<std::string>{"loader=synthetic", "trainer=timed"});
  CHECK(load_text(kReal).mocks.empty());
  CHECK(load_text(kReal + "sweep: {trainer.use: [resnet50, discard, timed]}\n").mocks ==
        std::vector<std::string>{"trainer=discard", "trainer=timed"});
}

TEST_CASE("scenario: --set takes its key out of the sweep and says so, --sweep puts it back",
          "[unit][config]") {
  const std::string text =
      kMock + "sweep: {loader.batch_size: [1, 2], loader.num_workers: [0, 1]}\n";
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.batch_size", "8"}};
  const Scenario set = load_text(text, request);
  REQUIRE(set.axes.size() == 1);
  CHECK(set.axes[0].key == "loader.num_workers");
  CHECK(told(set, "sweep of loader.batch_size dropped: --set"));
  request.sweeps = {{"loader.batch_size", "4,8,16"}};
  const Scenario sweep = load_text(text, request);
  REQUIRE(sweep.axes.size() == 2);
  CHECK(sweep.axes[1].key == "loader.batch_size");
  CHECK(sweep.axes[1].values.size() == 3);
  CHECK(sweep.base.integer("loader.batch_size") == 8);
}

TEST_CASE("scenario: which axes the command line gave is known", "[unit][config]") {
  const std::string text = kMock +
                           "sweep: {loader.batch_size: [1, 2], loader.num_workers: [0, 1]}\n"
                           "variants: {more: {sweep: {loader.prefetch_factor: [1, 2]}}}\n";
  const auto typed = [&](const auto& give) {
    ScenarioRequest request = request_for("");
    give(request);
    const Scenario s = load_text(text, request);
    std::string keys;
    for (const Axis& axis : s.axes)
      if (axis.typed) keys += axis.key + " ";
    return keys;
  };
  CHECK(typed([](ScenarioRequest&) {}).empty());
  CHECK(typed([](ScenarioRequest& r) { r.variants = {"more"}; }).empty());
  CHECK(typed([](ScenarioRequest& r) { r.sweeps = {{"loader.in_order", "true,false"}}; }) ==
        "loader.in_order ");
  CHECK(typed([](ScenarioRequest& r) { r.sweeps = {{"loader.batch_size", "4,8"}}; }) ==
        "loader.batch_size ");
  CHECK(typed([](ScenarioRequest& r) { r.only = {{"loader.batch_size", "4,8"}}; }) ==
        "loader.batch_size ");
  CHECK(typed([](ScenarioRequest& r) { r.sets = {{"sweep", "{loader.num_workers: [2, 4]}"}}; }) ==
        "loader.num_workers ");
}

TEST_CASE("scenario: of two --set of one key the last counts", "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.batch_size", "8"}, {"loader", "{batch_size: 16}"}};
  CHECK(load_text(kMock, request).base.integer("loader.batch_size") == 16);
}

TEST_CASE("scenario: a variant replaces an axis, and none drops one", "[unit][config]") {
  const Scenario s = load_text(
      kMock +
      "sweep: {loader.batch_size: [1, 2, 3], loader.num_workers: [0, 1]}\n"
      "variants: {cpu: {sweep: {loader.batch_size: [8, 16], loader.num_workers: none}}}\n");
  REQUIRE(s.axes.size() == 1);
  REQUIRE(s.axes[0].values.size() == 2);
  CHECK(s.axes[0].values[1].label == "16");
  CHECK(told(s, "sweep of loader.num_workers dropped: variant cpu sets it to none"));
}

TEST_CASE("scenario: dotted and nested keys mix", "[unit][config]") {
  const Scenario s = load_text(
      "loader.use: native\nloader: {transform.random_resized_crop: 32}\n"
      "loader.transform: {horizontal_flip: 0}\n"
      "dataset: {synthesize: {samples: 9, image: {quality: 50}}}\ntrainer: {use: timed}\n");
  CHECK(s.base.integer("loader.transform.random_resized_crop") == 32);
  CHECK(s.base.real("loader.transform.horizontal_flip") == 0);
  CHECK(s.base.integer("dataset.synthesize.image.quality") == 50);
  CHECK(s.base.integer("dataset.synthesize.image.mean_width") == 500);
  CHECK(s.base.text("dataset.format") == "image_folder");
}

TEST_CASE("scenario: a resolved one has every default and no auto", "[unit][config]") {
  const Scenario s = load_text(kReal + "sweep: {loader.num_workers: [0, 1]}\n");
  for (const auto& [key, held] : s.base.all()) {
    INFO(key);
    CHECK(held.text() != "auto");
    CHECK_FALSE(held.none());
  }
  CHECK(s.base.text("trainer.device") == "cpu");
  CHECK(told(s, "trainer.device: auto is cpu: trainer resnet50 has no steps for CUDA devices"));
  CHECK(told(load_text(kMock), "trainer.device: auto is cpu: no driver"));
  CHECK(s.base.text("loader.dispatch") == "shared");
  CHECK(s.base.integer("loader.max_jobs") == 4);
  CHECK(s.base.integer("trainer.intra_op_threads") == 1);
  CHECK(s.base.text("trainer.precision") == "fp32");
  CHECK(s.base.integer("measure.rounds") == 3);
}

TEST_CASE("scenario: intra-op threads leave the largest num_workers its cores, at least one",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.cores = 8;
  CHECK(load_text(kReal + "sweep: {loader.num_workers: [0, 5]}\n", request)
            .base.integer("trainer.intra_op_threads") == 3);
  CHECK(load_text(kReal, request).base.integer("trainer.intra_op_threads") == 6);
  CHECK(load_text(kReal + "sweep: {loader.num_workers: [64]}\n", request)
            .base.integer("trainer.intra_op_threads") == 1);
  request.sets = {{"trainer.intra_op_threads", "5"}};
  CHECK(load_text(kReal, request).base.integer("trainer.intra_op_threads") == 5);
}

TEST_CASE("scenario: the device's variant is laid on, whoever names the device", "[unit][config]") {
  const std::string text =
      kMock + "variants: {cpu: {loader.batch_size: 2}, cuda: {loader.batch_size: 3}}\n";
  CHECK(load_text(text).base.integer("loader.batch_size") == 2);
  ScenarioRequest request = request_for("");
  request.cuda_available = true;
  CHECK(load_text(text, request).base.integer("loader.batch_size") == 3);
  CHECK(load_text(text, request).base.text("trainer.device") == "cuda:0");
  request.sets = {{"trainer.device", "cpu"}};
  CHECK(load_text(text, request).base.integer("loader.batch_size") == 2);
}

TEST_CASE("scenario: device auto is CUDA where every trainer has steps for it", "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.cuda_available = true;
  const auto decided = [&](const std::string& text) {
    const Scenario s = load_text(text, request);
    return s.base.text("trainer.device") + ": " + s.decisions.front();
  };
  CHECK(decided(kMock) == "cuda:0: trainer.device: auto is cuda:0");
  CHECK(decided(kReal) ==
        "cpu: trainer.device: auto is cpu: trainer resnet50 has no steps for CUDA devices");
  const std::string cuda_variant = "variants: {cuda: {trainer: {use: resnet18}}}\n";
  CHECK_THAT(decided(kMock + cuda_variant), Catch::Contains("trainer resnet18 has no steps"));
  for (const char* axis : {"sweep: {trainer.use: [timed, resnet18]}\n",
                           "sweep: {trainer: [{use: timed}, {use: resnet18}]}\n"})
    CHECK_THAT(decided(kMock + axis), Catch::Contains("trainer resnet18 has no steps"));
  // Emulated devices have steps of it.
  const std::string roofline =
      "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: roofline}\n";
  CHECK(load_text(roofline, request, built_in_catalog()).decisions.front() ==
        "trainer.device: auto is cpu: trainer roofline has no steps for CUDA devices");
  request.sets = {{"trainer.device", "cuda:0"}};
  CHECK(load_text(kReal, request).base.text("trainer.device") == "cuda:0");
}

TEST_CASE("scenario: a key of the command line is dropped where another device has another trainer",
          "[unit][config]") {
  const std::string text =
      "loader: {use: synthetic, num_workers: 1}\n"
      "trainer: {use: resnet18, device: cpu}\n"
      "sweep: {trainer.device: [cpu, emulated]}\n"
      "variants: {emulated: {trainer: {use: timed, step_time: 1ms}, "
      "sweep: {loader.pin_memory: [false, true]}}}\n";
  ScenarioRequest request = request_for("");
  request.sets = {{"trainer.precision", "bf16-mixed"}};
  const Scenario scenario = load_text(text, request, built_in_catalog());
  CHECK(scenario.base.text("trainer.precision") == "bf16-mixed");
  CHECK(std::ranges::count(scenario.decisions,
                           "at trainer.device=emulated: trainer timed has no precision: dropped") ==
        1);
  request.sets = {{"trainer.precisoin", "bf16-mixed"}};
  CHECK_THROWS_WITH(load_text(text, request, built_in_catalog()),
                    Catch::Contains("unknown key trainer.precisoin"));
}

TEST_CASE("scenario: device auto of a network is the CPU where torch has no CUDA",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.cuda_available = true;
  int asked = 0;
  std::string missing = "needs torch with CUDA: libcufile.so.0 is not here";
  request.ask_torch_module = [&] { return ++asked, missing; };
  const auto decided = [&](const std::string& trainer) {
    return load_text("loader: {use: synthetic, num_workers: 1}\ntrainer: {use: " + trainer + "}\n",
                     request, built_in_catalog())
        .decisions.front();
  };
  CHECK(decided("resnet18") == "trainer.device: auto is cpu: " + missing);
  CHECK(asked == 1);
  missing = "";
  CHECK(decided("resnet18") == "trainer.device: auto is cuda:0");
  CHECK(decided("discard") == "trainer.device: auto is cuda:0");
  CHECK(asked == 2);
}

TEST_CASE("scenario: device auto of steps in the user's Python is what its torch finds",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  std::string asked;
  request.ask_torch = [&](const std::string& trainer, const std::string& python) {
    asked += trainer + " in " + python + ". ";
    return python == "bare" ? ExternalCuda{false, "bare has no torch"} : ExternalCuda{true, ""};
  };
  const auto decided = [&](const std::string& more) {
    return load_text(
               "loader: {use: synthetic, num_workers: 1}\n"
               "trainer: {use: python, script: train.py, call: step" +
                   more + "}\n",
               request, external_catalog())
        .decisions.front();
  };
  CHECK(decided("") == "trainer.device: auto is cpu: no driver");
  CHECK(asked == "");  // it takes seconds, and can change nothing
  request.ask_cuda = [] { return CudaKnown{true, "", false}; };
  CHECK(decided("") == "trainer.device: auto is cuda:0");  // without our kernels
  CHECK(decided(", python: bare") == "trainer.device: auto is cpu: bare has no torch");
  CHECK(asked == "python in . python in bare. ");
  request.ask_torch = nullptr;
  CHECK(decided("") == "trainer.device: auto is cpu: the torch of trainer python was not asked");
}

TEST_CASE(
    "scenario: device auto is the CPU where a parameter of the trainer means something there alone",
    "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.cuda_available = true;
  const auto decided = [&](const std::string& parameters, const std::string& more = "") {
    const std::string text =
        "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: timed, step_time: 1ms" +
        parameters + "}\n" + more;
    return load_text(text, request, built_in_catalog()).decisions.front();
  };
  CHECK(decided(", copy_bandwidth: 1GB/s") ==
        "trainer.device: auto is cpu: trainer.copy_bandwidth is of steps on the CPU");
  CHECK(decided("", "sweep: {trainer.copy_factor: [1, 4]}\n") ==
        "trainer.device: auto is cpu: trainer.copy_factor is of steps on the CPU");
  CHECK(decided("", "sweep: {trainer: [{use: timed}, {use: timed, copy_factor: 2}]}\n") ==
        "trainer.device: auto is cpu: trainer.copy_factor is of steps on the CPU");
  CHECK(decided("", "sweep: {trainer: [{use: timed}, {use: timed, copy_factor: 1}]}\n") ==
        "trainer.device: auto is cuda:0");
  for (const char* const nothing :
       {"", ", copy_bandwidth: none", ", copy_factor: 1", ", copy_factor: 1.0", ", kernels: 4"})
    CHECK(decided(nothing) == "trainer.device: auto is cuda:0");
  CHECK(decided("", "sweep: {trainer.copy_factor: [1]}\n") == "trainer.device: auto is cuda:0");
}

TEST_CASE("scenario: device auto is the CPU where a build has no kernels for the trainer",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.ask_cuda = [] { return CudaKnown{true, "", false}; };
  const auto decided = [&](const char* trainer) {
    return load_text(std::string("loader: {use: synthetic, num_workers: 1}\ntrainer: {use: ") +
                         trainer + "}\n",
                     request, built_in_catalog())
        .decisions.front();
  };
  CHECK(decided("timed") == "trainer.device: auto is cpu: this build has no CUDA kernels");
  CHECK(decided("touch") == "trainer.device: auto is cpu: this build has no CUDA kernels");
  CHECK(decided("discard") == "trainer.device: auto is cuda:0");
}

TEST_CASE("scenario: where discard drops batches is a setting of those who set it",
          "[unit][config]") {
  const auto load = [&](const char* at) {
    const std::string text = "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: discard" +
                             std::string(at) + "}\n";
    return load_text(text, request_for(""), built_in_catalog()).base;
  };
  CHECK_FALSE(load("").has("trainer.at"));
  CHECK(load(", at: host").text("trainer.at") == "host");
  CHECK(load(", at: device, device: emulated").text("trainer.at") == "device");
}

TEST_CASE("scenario: how to wait for a device means something on CUDA alone", "[unit][config]") {
  const auto load = [&](const char* device, const char* wait) {
    ScenarioRequest request = request_for("");
    request.sets = {{"trainer.device", device}};
    if (*wait) request.sets.push_back({"trainer.device_wait", wait});
    return load_text(kMock, request);
  };
  CHECK(load("cuda:0", "").base.text("trainer.device_wait") == "spin");
  CHECK(load("cuda:0", "block").base.text("trainer.device_wait") == "block");
  const Scenario cpu = load("cpu", "block");
  CHECK_FALSE(cpu.base.has("trainer.device_wait"));
  CHECK(std::ranges::count(cpu.decisions,
                           "trainer.device_wait has no effect: trainer.device is cpu") == 1);
  CHECK(std::ranges::count(load("cpu", "").decisions,
                           "trainer.device_wait has no effect: trainer.device is cpu") == 0);
}

TEST_CASE("scenario: sweeping the device lays on each point's variant", "[unit][config]") {
  const Scenario s = load_text(kMock +
                               "sweep: {trainer.device: [cpu, cuda]}\n"
                               "variants: {cpu: {loader.batch_size: 2}, cuda: {loader.batch_size: "
                               "3, trainer.step_time: 1ms}}\n");
  CHECK(s.base.integer("loader.batch_size") == 2);
  CHECK(value(s, "trainer.device", "cpu").set.empty());
  const AxisValue& cuda = value(s, "trainer.device", "cuda:0");
  CHECK(set_to(cuda, "loader.batch_size") == "3");
  CHECK(set_to(cuda, "trainer.step_time") == "1ms");
  CHECK(set_to(cuda, "trainer.device") == "cuda:0");
}

TEST_CASE("scenario: on an axis of devices another device's variant brings its own sweep",
          "[unit][config]") {
  const std::string text = kMock +
                           "sweep: {trainer.device: [cpu, emulated]}\n"
                           "variants: {cpu: {loader.batch_size: 2}, emulated: {loader.batch_size: "
                           "3, sweep: {loader.num_workers: [0, 4]}}}\n";
  const Scenario s = load_text(text);
  REQUIRE(s.axes.size() == 1);
  const Axis& axis = s.axes.front();
  REQUIRE(axis.values.size() == 3);  // its own 0 workers make no point
  CHECK(axis.values[1].label == "emulated");
  CHECK(axis.values[2].label == "emulated num_workers=4");
  CHECK(set_to(axis.values[2], "trainer.device") == "emulated");
  CHECK(set_to(axis.values[2], "loader.batch_size") == "3");
  CHECK(set_to(axis.values[2], "loader.num_workers") == "4");
  ScenarioRequest there = request_for("");
  there.sets = {{"trainer.device", "emulated"}};
  const Scenario alone = load_text(text, there);
  CHECK(alone.base.integer("loader.batch_size") == 3);
  CHECK(alone.axes.front().key == "loader.num_workers");
}

TEST_CASE("scenario: shuffle is another name of access, and is printed back as written",
          "[unit][config]") {
  const Scenario s = load_text(
      "loader: {use: synthetic, shuffle: false}\n"
      "trainer: {use: timed}\nsweep: {loader.shuffle: [false, true]}\n");
  CHECK(s.base.text("loader.access") == "sequential");
  CHECK(s.axes.at(0).key == "loader.shuffle");
  CHECK(set_to(value(s, "loader.shuffle", "true"), "loader.access") == "random");
  CHECK(value(s, "loader.shuffle", "false").set.empty());
  const auto told = [](const std::string& text) {
    const Scenario scenario =
        load_text("loader: {use: synthetic, " + text + "}\ntrainer: {use: timed}\n");
    return std::ranges::count_if(
        scenario.decisions, [](const std::string& d) { return d.starts_with("loader.shuffle: "); });
  };
  CHECK(std::ranges::count(s.decisions, "loader.shuffle: false is loader.access: sequential") == 1);
  CHECK(told("shuffle: true") == 1);
  CHECK(told("access: random") == 0);
}

TEST_CASE("scenario: a sampling order brings its own parameters, and takes them with it",
          "[unit][config]") {
  const Scenario s = load_text(
      "loader: {use: synthetic, access: shuffle_buffer, buffer_size: 77}\ntrainer: {use: timed}\n"
      "sweep: {loader.access: [shuffle_buffer, block_shuffle, random]}\n");
  CHECK(s.base.text("loader.buffer_size") == "77");
  CHECK(value(s, "loader.access", "shuffle_buffer").set.empty());
  CHECK(set_to(value(s, "loader.access", "block_shuffle"), "loader.window") == "16");
  CHECK(std::ranges::count(value(s, "loader.access", "block_shuffle").erase,
                           "loader.buffer_size") == 1);
  CHECK_THROWS(load_text("loader: {use: synthetic, buffer_size: 77}\ntrainer: {use: timed}\n"));
}

TEST_CASE("scenario: a part is an axis, and takes its own parameters with it", "[unit][config]") {
  const Scenario s = load_text(
      kReal +
      "sweep:\n  loader: [{use: native}, {use: rate_limited, rate: 500/s}, {use: rate_limited, "
      "rate: 1k/s, num_workers: 1}]\n"
      "  trainer: [{use: resnet50}, {use: resnet18}, {use: timed, step_time: 55ms}]\n");
  CHECK(value(s, "loader", "native").set.empty());
  CHECK(value(s, "loader", "native").erase.empty());
  const AxisValue& limited = value(s, "loader", "rate_limited(rate=500/s)");
  CHECK(set_to(limited, "loader.use") == "rate_limited");
  CHECK(set_to(limited, "loader.rate") == "500/s");
  CHECK(std::find(limited.erase.begin(), limited.erase.end(),
                  "loader.transform.random_resized_crop") != limited.erase.end());
  CHECK(set_to(limited, "loader.batch_size") == "not set");  // the harness's keys stay
  CHECK(set_to(value(s, "loader", "rate_limited(rate=1k/s num_workers=1)"), "loader.num_workers") ==
        "1");
  // What the new part takes too is the same experiment, and stays.
  CHECK(set_to(value(s, "trainer", "resnet18"), "trainer.memory_format") == "not set");
  CHECK(set_to(value(s, "trainer", "timed(step_time=55ms)"), "trainer.step_time") == "55ms");
  CHECK(told(s,
             "at loader=rate_limited(rate=500/s): loader rate_limited has no "
             "transform.random_resized_crop: dropped"));
}

TEST_CASE("scenario: --set of another part drops what it does not take, and its axes",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"trainer", "{use: timed, step_time: 3ms}"}};
  const Scenario s = load_text(kReal + "sweep: {trainer.precision: [fp32, bf16-mixed]}\n", request);
  CHECK(s.base.text("trainer.step_time") == "3ms");
  CHECK_FALSE(s.base.has("trainer.memory_format"));
  CHECK(s.axes.empty());
  CHECK(told(s, "trainer timed has no memory_format: dropped"));
  CHECK(told(s, "sweep of trainer.precision dropped: trainer timed has no such setting"));
}

TEST_CASE("scenario: a path given later takes the place of synthesize", "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"dataset.path", "/some/photos"}};
  const Scenario s = load_text(kReal, request);
  CHECK(s.base.text("dataset.path") == "/some/photos");
  CHECK_FALSE(s.base.has("dataset.synthesize.samples"));
  CHECK(told(s, "dataset.synthesize dropped: --set sets dataset.path"));
}

TEST_CASE("scenario: a loader that reads no data may have some, but is told", "[unit][config]") {
  const Scenario s = load_text(kMock + "dataset: {synthesize: {samples: 8}}\n");
  CHECK(told(s, "dataset has no effect: loader synthetic does not read it"));
  CHECK_FALSE(load_text(kMock).base.has("dataset.format"));
}

TEST_CASE("scenario: rounds asked for on the command line are not cut by the file's budget",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"measure.rounds", "10"}};
  const std::string text = kMock + "measure: {budget: 50s}\n";
  const Scenario s = load_text(text, request);
  CHECK_FALSE(s.base.has("measure.budget"));
  CHECK(told(s, "measure.budget of 50s dropped: --set gives measure.rounds"));
  request.sets.push_back({"measure.budget", "40s"});
  CHECK(load_text(text, request).base.text("measure.budget") == "40s");
  CHECK(load_text(text).base.text("measure.budget") == "50s");
}

TEST_CASE("scenario: modes are a list in any order", "[unit][config]") {
  CHECK(load_text(kMock + "measure: {modes: [pipeline, loader]}\n").base.text("measure.modes") ==
        "loader,pipeline");
}

TEST_CASE("scenario: name and question come from the file, the name else from its own",
          "[unit][config]") {
  CHECK(load_text("name: a-b.c\nquestion: why?\n" + kMock).name == "a-b.c");
  CHECK(load_text(kMock).name == "scenario");
  require_refused("name: ../../etc\n" + kMock, 1, 7, "../../etc", "letters, digits");
}

TEST_CASE(
    "scenario: prepared pixels lie in raw unless told otherwise, at that value of an axis alone",
    "[unit][config]") {
  const std::string data = "dataset: {synthesize: {samples: 9}, prepare: decoded}\n";
  const std::string rest = "loader: {use: native}\ntrainer: {use: discard}\n";
  const Scenario s = load_text(data + rest, request_for(""), built_in_catalog());
  CHECK(s.base.text("dataset.prepare") == "decoded");
  CHECK(s.base.text("dataset.format") == "raw");
  CHECK(told(s, "dataset.format is raw, the default for the pixels that dataset.prepare makes"));
  const Scenario named = load_text(
      "dataset: {synthesize: {samples: 9}, prepare: decoded, prepare_size: 64, format: npy}\n" +
          rest,
      request_for(""), built_in_catalog());
  CHECK(named.base.text("dataset.format") == "npy");
  CHECK(named.base.integer("dataset.prepare_size") == 64);
  const Scenario swept = load_text("dataset: {synthesize: {samples: 9}}\n" + rest +
                                       "sweep: {dataset.prepare: [none, jpeg, decoded]}\n",
                                   request_for(""), built_in_catalog());
  CHECK_FALSE(swept.base.has("dataset.prepare"));
  CHECK(swept.base.text("dataset.format") == "image_folder");
  CHECK(set_to(value(swept, "dataset.prepare", "jpeg"), "dataset.format") == "not set");
  CHECK(set_to(value(swept, "dataset.prepare", "decoded"), "dataset.format") == "raw");
  CHECK_THROWS_AS(load_text("dataset: {synthesize: {samples: 9}, prepare: decodet}\n" + rest,
                            request_for(""), built_in_catalog()),
                  ScenarioDiagnostics);
}

}  // namespace config_layers
}  // namespace benchbench::test
