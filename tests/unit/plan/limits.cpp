// What cannot run here, what does not fit, what a budget cuts, how many rounds a verdict needs.
#include "harness/plan/budget.h"
#include "harness/plan/confirm.h"
#include "harness/plan/price.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_limits {

TEST_CASE("skips: pin_memory without pinned memory skips its point, with the reason",
          "[unit][plan]") {
  const Plan plan = plan_text(kSixAxes);
  const Point& pinned = point_named(plan, "pin_memory=true");
  REQUIRE(pinned.skip);
  CHECK(*pinned.skip == "pinned memory needs CUDA: no CUDA device");
  for (const auto& [mode, t] : pinned.trials) CHECK(plan.trials[t].skip);
  for (const PlannedRun& s : plan.order) CHECK_FALSE(plan.trials[s.trial].skip);
  CHECK_FALSE(plan.points[0].skip);
}

TEST_CASE("skips: a missing module leaves the loader's trials, and another anchor",
          "[unit][plan]") {
  PlanContext context = context_for();
  context.missing_modules["torch"] = "libtorch was not found";
  const Plan plan = plan_text(kSixAxes, context);
  CHECK(trial_of(plan, plan.points[0], Mode::trainer).skip ==
        "needs libtorch: libtorch was not found");
  CHECK(trial_of(plan, plan.points[0], Mode::pipeline).skip);
  CHECK_FALSE(trial_of(plan, plan.points[0], Mode::loader).skip);
  CHECK_FALSE(plan.points[0].skip);
  CHECK(plan.anchor == trial_of(plan, plan.points[0], Mode::loader).index);
}

TEST_CASE("skips: a CUDA device that is not there", "[unit][plan]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"trainer.device", "cuda:1"}};
  PlanContext context = context_for();
  context.cuda.why = "no driver";
  const Plan plan = plan_text(kMock, context, request);
  CHECK(trial_of(plan, plan.points[0], Mode::pipeline).skip == "needs cuda:1: no driver");
  CHECK_FALSE(trial_of(plan, plan.points[0], Mode::loader).skip);
}

// Of the pipeline of a scenario on `device`, on a machine with that CUDA.
std::string skip_on(const std::string& text, const std::string& device, CudaThere cuda,
                    const Catalog& catalog = small_catalog()) {
  ScenarioRequest request = request_for("");
  request.sets = {{"trainer.device", device}};
  PlanContext context = context_for(catalog);
  context.cuda = std::move(cuda);
  const Plan plan = make_plan(load_text(text, request, catalog), context);
  return trial_of(plan, plan.points[0], Mode::pipeline).skip.value_or("");
}

TEST_CASE("skips: CUDA devices that are there, and those of a higher number", "[unit][plan]") {
  CHECK(skip_on(kMock, "cuda:0", {.devices = 1, .kernels = true}).empty());
  CHECK(skip_on(kMock, "cuda:1", {.devices = 1, .kernels = true}) ==
        "needs cuda:1: there is cuda:0 alone");
  CHECK(skip_on(kMock, "cuda:1", {.devices = 2, .kernels = true}).empty());
  CHECK(skip_on(kMock, "cuda:2", {.devices = 2, .kernels = true}) ==
        "needs cuda:2: there are cuda:0 to cuda:1");
}

TEST_CASE("skips: on CUDA a trainer without steps for it, and a build without kernels",
          "[unit][plan]") {
  const std::string resnet =
      "name: n\nquestion: q?\nloader: {use: synthetic}\ntrainer: {use: resnet18}\n";
  CHECK_THAT(skip_on(resnet, "cuda:0", {.devices = 1, .kernels = true}),
             Catch::Contains("needs a trainer with steps for device cuda:0 (") &&
                 Catch::Contains("not resnet18"));
  CHECK_THAT(skip_on(kMock, "cuda:0", {.devices = 1, .kernels = false}),
             Catch::Contains("needs CUDA kernels for trainer timed on cuda:0"));
}

TEST_CASE(
    "skips: a trainer whose work has a known time runs on the emulated accelerator, not on CUDA",
    "[unit][plan]") {
  const std::string roofline =
      "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: roofline, sample_flops: 1e6}\n";
  CHECK(skip_on(roofline, "emulated", {}, built_in_catalog()).empty());
  // A driver would not help, so its absence is not the reason.
  for (const unsigned devices : {0u, 1u})
    CHECK_THAT(
        skip_on(roofline, "cuda:0", {.devices = devices, .kernels = true}, built_in_catalog()),
        Catch::StartsWith("needs a trainer with steps for device cuda:0 (discard, timed, touch, "
                          "resnet18, ") &&
            Catch::EndsWith(", not roofline"));
  CHECK_THAT(skip_on("loader: {use: synthetic, num_workers: 1}\ntrainer: {use: faulty}\n",
                     "emulated", {}, built_in_catalog()),
             Catch::Contains("device emulated (discard, timed, roofline, touch), not faulty"));
}

TEST_CASE("skips: a network needs torch's CUDA module on a CUDA device alone", "[unit][plan]") {
  const std::string network =
      "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: resnet18}\n";
  PlanContext context = context_for(built_in_catalog());
  context.cuda = {.devices = 1, .kernels = false};
  context.missing_modules["torch_cuda"] = "needs torch with CUDA: libcufile.so.0 is not here";
  const auto skip = [&](const char* device) {
    ScenarioRequest request = request_for("");
    request.sets = {{"trainer.device", device}};
    const Scenario scenario = load_text(network, request, built_in_catalog());
    return make_plan(scenario, context).trials.back().skip.value_or("");
  };
  CHECK(skip("cpu") == "");
  CHECK(skip("cuda:0") == "needs torch with CUDA: libcufile.so.0 is not here");
  context.missing_modules.clear();
  CHECK(skip("cuda:0") == "");  // without kernels of ours
  CHECK_THAT(skip("emulated"), Catch::EndsWith(", not resnet18"));
}

TEST_CASE("skips: a trainer's parameters where they mean nothing", "[unit][plan]") {
  const auto timed = [](const std::string& parameters, const char* device) {
    return skip_on(
        "loader: {use: synthetic, num_workers: 1}\ntrainer: {use: timed, step_time: 1ms, " +
            parameters + "}\n",
        device, {.devices = 1, .kernels = true}, built_in_catalog());
  };
  CHECK(timed("kernels: 4", "cpu") ==
        "needs a device with memory of its own for trainer.kernels: 4 (trainer.device: "
        "emulated or cuda:N), not cpu");
  CHECK(timed("kernels: 4", "emulated").empty());
  CHECK(timed("kernels: 4", "cuda:0").empty());
  CHECK(timed("copy_bandwidth: 1GB/s", "cpu").empty());
  CHECK(timed("copy_bandwidth: 1GB/s", "emulated") ==
        "needs trainer.device: cpu for trainer.copy_bandwidth: 1GB/s, "
        "not emulated, which copies batches itself");
  CHECK(timed("copy_factor: 4", "cuda:0") ==
        "needs trainer.device: cpu for trainer.copy_factor: 4, "
        "not cuda:0, which copies batches itself");
  CHECK(timed("copy_factor: 1, copy_bandwidth: none", "emulated").empty());
}

TEST_CASE(
    "skips: pinned memory needs a device with memory of its own, but for the user's DataLoader, "
    "which pins by itself",
    "[unit][plan]") {
  const auto ours = [&](const char* device, CudaThere cuda) {
    ScenarioRequest request = request_for("");
    request.sets = {{"trainer.device", device}, {"loader.pin_memory", "true"}};
    PlanContext context = context_for();
    context.cuda = std::move(cuda);
    const Plan plan = make_plan(load_text(kMock, request), context);
    return trial_of(plan, plan.points[0], Mode::loader).skip.value_or("");
  };
  CHECK(ours("cuda:0", {.devices = 1, .kernels = true}).empty());
  CHECK(ours("cpu", {.devices = 1, .kernels = true}) ==
        "pinned memory needs a device with memory of its own: trainer.device is cpu");
  CHECK(ours("cpu", {.why = "no driver"}) == "pinned memory needs CUDA: no driver");
}

TEST_CASE("skips: batches are dropped on a device where there is one", "[unit][plan]") {
  const std::string at =
      "loader: {use: synthetic, num_workers: 1, batch_size: 8, sample_time: 1ms}\ntrainer: {use: "
      "discard, at: device}\n";
  CHECK(skip_on(at, "cpu", {}, built_in_catalog()) ==
        "needs a device with memory of its own for trainer.at: "
        "device (trainer.device: emulated or cuda:N), not cpu");
  CHECK(skip_on(at, "emulated", {}, built_in_catalog()).empty());
  CHECK(skip_on(at, "cuda:0", {.devices = 1, .kernels = false}, built_in_catalog()).empty());
}

TEST_CASE("skips: rows are kept on a device where there is one and its batches end",
          "[unit][plan]") {
  const auto skipped = [](const std::string& trainer, const char* device, bool kernels = true) {
    return skip_on(
        "dataset: {synthesize: {samples: 64}}\nloader: {use: native, num_workers: 1, "
        "batch_size: 8, residency: device, transform: {center_crop: 16, resize: 16}}\ntrainer: "
        "{use: " +
            trainer + "}\n",
        device, {.devices = 1, .kernels = kernels}, built_in_catalog());
  };
  CHECK(skipped("timed", "emulated").empty());
  CHECK(skipped("timed", "cuda:0").empty());
  CHECK(skipped("timed", "cpu") ==
        "needs a device with memory of its own for loader.residency: device (trainer.device: "
        "emulated or cuda:N), not cpu");
  CHECK(skipped("discard", "emulated") ==
        "needs trainer.at: device for loader.residency: device with trainer discard");
  CHECK(skipped("discard, at: device", "cuda:0").empty());
  // Gathering is a kernel.
  CHECK_THAT(skipped("discard, at: device", "cuda:0", false),
             Catch::StartsWith("needs CUDA kernels for trainer discard"));
}

TEST_CASE("skips: under the simulated clock parts that cannot, and all of them is an error",
          "[unit][plan]") {
  PlanContext context = context_for();
  context.simulated = true;
  const Plan plan =
      plan_text(kMock + "sweep: {trainer: [{use: timed}, {use: resnet18}]}\n", context);
  CHECK_FALSE(plan.points[0].skip);
  CHECK(trial_of(plan, plan.points[1], Mode::pipeline).skip ==
        "trainer resnet18 cannot run under the simulated clock");
  CHECK_THROWS_WITH(plan_text(kSixAxes, context),
                    Catch::Contains("no trial can run under the simulated clock"));
}

TEST_CASE("skips: fewer samples than a batch with drop_last would deliver nothing",
          "[unit][plan]") {
  const Plan plan = plan_text(
      "dataset: {synthesize: {samples: 16}}\nloader: {use: native, batch_size: 8}\n"
      "trainer: {use: timed}\nsweep: {loader.batch_size: [16, 32]}\n");
  CHECK_FALSE(point_named(plan, "batch_size=16").skip);
  CHECK(point_named(plan, "batch_size=32").skip ==
        "loader.batch_size is 32, "
        "but the dataset has 16 samples and drop_last drops incomplete batches");
}

TEST_CASE("price: memory that is not there is refused with its numbers", "[unit][plan]") {
  PlanContext context = context_for();
  context.environment.memory_bytes = 1ull << 30;
  const std::string text =
      "loader: {use: synthetic, num_workers: 8, batch_size: 4096, "
      "prefetch_factor: 4, height: 64, width: 64}\ntrainer: {use: timed}\n";
  // 34 slots of 4096 rows of 64 x 64 x 3 bytes and a label
  CHECK(batch_bytes_guess(load_text(text).base) == 4096ull * (64 * 64 * 3 + 8));
  try {
    plan_text(text, context);
    FAIL("fits?");
  } catch (const ScenarioError& e) {
    CHECK_THAT(std::string(e.what()),
               Catch::Contains("point base needs") && Catch::Contains("34 batches"));
    CHECK(e.hint().find("batch_size") != std::string_view::npos);
  }
}

TEST_CASE("price: disk that is not there is refused, each data set counted once", "[unit][plan]") {
  PlanContext context = context_for();
  const Plan plan = plan_text(kSixAxes, context);
  CHECK(plan.datasets.size() == 3);
  CHECK(plan.price.disk_bytes > 3ull * 2048 * 50000);
  CHECK(plan.price.disk_bytes < 3ull * 2048 * 200000);
  context.free_disk_bytes = 300 << 20;
  CHECK_THROWS_WITH(plan_text(kSixAxes, context),
                    Catch::Contains("of disk space, but 300 MiB are free in /nowhere"));
}

TEST_CASE("price: what earlier runs taught replaces the guess", "[unit][plan]") {
  PlanContext context = context_for();
  const Plan guessed = plan_text(kMock + "measure: {rounds: 2, window: 1s}\n", context);
  CHECK_THAT(guessed.price.basis, Catch::Contains("guessed"));
  for (const Trial& t : guessed.trials)
    context.prices[price_key(t)] = {.startup_seconds = 1, .step_seconds = 1, .memory_bytes = 12345};
  const Plan known = plan_text(kMock + "measure: {rounds: 2, window: 1s}\n", context);
  CHECK(known.price.basis == "earlier runs on this machine");
  // Start 1 s, a first batch and 3 steps of warm-up, 5 batches: 10 s; loader, pipeline, and the
  // trainer three times.
  CHECK(known.price.seconds == Approx(2 * 5 * 10 + kRunSeconds));
  CHECK(known.price.memory_bytes == 12345);
}

TEST_CASE("price: a warm-up is as long as the trial's own rule makes it", "[unit][plan]") {
  const auto seconds_of_a_round = [](const std::string& measure) {
    const std::string text =
        "loader: {use: synthetic, num_workers: 4}\ntrainer: {use: timed}\nmeasure: {" + measure +
        "rounds: 2, window: 8s, window_batches: 1, modes: [pipeline]}\n";
    PlanContext context = context_for();
    for (const Trial& t : plan_text(text, context).trials)
      context.prices[price_key(t)] = {.startup_seconds = 1, .step_seconds = 1};
    const Plan plan = plan_text(text, context);
    return plan.price.seconds_per_round / 3;  // a lone trial is the anchor
  };
  // 4 workers are 2 batches ahead each, and three of their bursts show that it is steady.
  CHECK(seconds_of_a_round("") == Approx(1 + (8 + 12) + 8));
  CHECK(seconds_of_a_round("warmup_cap: 5s, ") == Approx(1 + 5 + 8));
  CHECK(seconds_of_a_round("warmup_cap: 50s, ") == Approx(1 + (8 + 12) + 8));
  CHECK(seconds_of_a_round("warmup: 2s, ") == Approx(1 + 2 + 8));
}

TEST_CASE("price: a window of several workers ends with a whole burst, and has two",
          "[unit][plan]") {
  const auto window_of = [](const std::string& measure) {
    const std::string text =
        "loader: {use: synthetic, num_workers: 4}\ntrainer: {use: timed}\nmeasure: {warmup: 2s, " +
        measure + ", rounds: 2, modes: [pipeline]}\n";
    PlanContext context = context_for();
    for (const Trial& t : plan_text(text, context).trials)
      context.prices[price_key(t)] = {.startup_seconds = 1, .step_seconds = 1};
    return plan_text(text, context).price.seconds_per_round / 3 - 3;  // a lone trial is the anchor
  };
  CHECK(window_of("window: 9s") == Approx(12));
  CHECK(window_of("window: 12s") == Approx(12));
  CHECK(window_of("window: 1s, window_batches: 1") == Approx(8));
  CHECK(window_of("window: 1s, window_batches: 13") == Approx(16));
}

TEST_CASE("price: a window ends with whole periods of the trainer's, where ten windows hold them",
          "[unit][plan]") {
  const auto window_of = [](const std::string& window) {
    const std::string text =
        "loader: {use: synthetic, num_workers: 4}\ntrainer: {use: timed, postprocess: {every: 20, "
        "time: 1ms}}\nmeasure: {warmup: 2s, window_batches: 1, rounds: 2, modes: [pipeline], "
        "window: " +
        window + "}\n";
    PlanContext context = context_for();
    for (const Trial& t : plan_text(text, context).trials)
      context.prices[price_key(t)] = {.startup_seconds = 1, .step_seconds = 1};
    return plan_text(text, context).price.seconds_per_round / 3 - 3;  // a lone trial is the anchor
  };
  CHECK(window_of("9s") == Approx(20));
  CHECK(window_of("21s") == Approx(40));
  CHECK(window_of("1s") == Approx(8));  // two bursts
}

TEST_CASE("price: windows of segments are of whole bursts alone", "[unit][plan]") {
  const std::string text =
      "loader: {use: synthetic, num_workers: 4}\ntrainer: {use: timed, postprocess: {every: 20, "
      "time: 1ms}}\nmeasure: {warmup: 2s, window_batches: 1, rounds: 2, modes: [pipeline], "
      "window: 9s}\n";
  const auto window_with = [&](const std::string& key, const std::string& value) {
    PlanContext context = context_for();
    Trial trial = plan_text(text, context).trials.at(0);
    if (!key.empty()) trial.settings.set(key, {ParameterType::text, value});
    context.prices[price_key(trial)] = {.startup_seconds = 1, .step_seconds = 1};
    bool guessed = false;
    return seconds_of(trial, context, guessed) - 3;
  };
  CHECK(window_with("", "") == Approx(20));
  CHECK(window_with("dataset.cache", "warm") == Approx(20));
  CHECK(window_with("dataset.cache", "cold") == Approx(12));
  CHECK(window_with("loader.call", "main") == Approx(9));  // priced by its steps
}

TEST_CASE("price: a trial without one takes that of the most similar one, with its batch",
          "[unit][plan]") {
  const std::string text = kMock +
                           "measure: {rounds: 1, window: 1s, window_batches: 1, modes: [loader]}\n"
                           "sweep: {loader.batch_size: [8, 16], loader.num_workers: [0, 2, 4]}\n";
  PlanContext context = context_for();
  const Plan plan = plan_text(text, context);
  const auto key = [&](const std::string& name) {
    return price_key(trial_of(plan, point_named(plan, name), Mode::loader));
  };
  context.prices[key("batch_size=8")] = {
      .startup_seconds = 3, .step_seconds = 2, .warm_up_factor = 2};
  const Pricing pricing(plan, context);
  const auto seconds = [&](const std::string& name) {
    return pricing.seconds_of(trial_of(plan, point_named(plan, name), Mode::loader));
  };
  const auto steps_of = [&](const std::string& name) {
    const SettingsMap& s = point_named(plan, name).settings;
    return s.integer("loader.num_workers") == 0 ? 1 : s.integer("loader.max_jobs");
  };
  // Start, twice the shortest warm-up (what was prefetched and three steps), one step of window.
  CHECK(seconds("batch_size=8") ==
        Approx(3 + 2 * 2.0 * static_cast<double>(steps_of("batch_size=8") + 3) + 2));
  CHECK(seconds("batch_size=16") ==
        Approx(3 + 2 * 4.0 * static_cast<double>(steps_of("batch_size=16") + 3) + 4));
}

TEST_CASE("price: data that must be made cost their time, once, and SKIPPED trials' none",
          "[unit][plan]") {
  PlanContext context = context_for();
  const Plan plan = plan_text(kSixAxes, context);
  REQUIRE(plan.datasets.size() == 3);
  const double bytes = static_cast<double>(plan.datasets[0].bytes_estimate);
  context.prices["make:image_folder:image"] = {.step_seconds = 100 / bytes};
  context.prices["make:tar:sibling"] = {.step_seconds = 10 / bytes};
  context.prices["make:hdf5:sibling"] = {.step_seconds = 1 / bytes};
  context.prices[run_key(false)] = {.startup_seconds = 7};
  const Plan priced = plan_text(kSixAxes, context);
  CHECK(priced.price.seconds ==
        Approx(priced.price.seconds_per_round * priced.rounds + 100 + 10 + 1 + 7));
}

TEST_CASE("price: in virtual time it is what computing it takes", "[unit][plan]") {
  PlanContext context = context_for();
  context.simulated = true;
  const std::string text = kMock + "measure: {rounds: 100, window: 1h, modes: [loader]}\n";
  const Plan plan = plan_text(text, context);
  for (const Trial& t : plan.trials) context.prices[simulated_key(t)] = {.startup_seconds = 0.25};
  const Plan known = plan_text(text, context);
  CHECK(known.price.seconds_per_round == Approx(3 * 0.25));
  CHECK(known.price.basis == "earlier runs on this machine");
}

TEST_CASE("price: a key is the same whatever the window, another for another batch",
          "[unit][plan]") {
  const auto key = [](const std::string& text) { return price_key(plan_text(text).trials[0]); };
  CHECK(key(kMock) == key(kMock + "measure: {window: 5s, rounds: 9}\n"));
  CHECK(key(kMock) != key("loader: {use: synthetic, batch_size: 2}\ntrainer: {use: timed}\n"));
}

TEST_CASE("budget: what it cuts leaves the plan's digest, which resume compares, as it is",
          "[unit][plan]") {
  const std::string text = kMock + "measure: {rounds: 10, budget: 100s}\n";
  PlanContext context = context_for();
  const Plan quick = plan_text(text, context);
  CHECK(quick.cuts.empty());
  for (const Trial& t : quick.trials)
    context.prices[price_key(t)] = {.startup_seconds = 1, .step_seconds = 1};
  const Plan slow = plan_text(text, context);
  CHECK(slow.rounds == 1);
  CHECK(slow.digest == quick.digest);
}

TEST_CASE("plan: more runs than anyone would wait for are refused", "[unit][plan]") {
  CHECK_THROWS_WITH(plan_text(kMock + "measure: {rounds: 10000}\nsweep: {loader.batch_size: [" +
                              [] {
                                std::string values;
                                for (int i = 1; i <= 100; ++i) values += std::to_string(i) + ",";
                                return values;
                              }() +
                              "]}\n"),
                    Catch::Contains("runs of trials in 10000 rounds"));
}

TEST_CASE("confirm: ten rounds for one comparison, more where many are compared", "[unit][plan]") {
  CHECK(rounds_to_confirm(1) == 10);   // 2/2^9 = 0.0039, 2/2^10 = 0.00195 < 0.002
  CHECK(rounds_to_confirm(25) == 10);  // 25 x 0.00195 = 0.0488
  CHECK(rounds_to_confirm(26) == 11);  // 26 x 0.00195 = 0.0508 > 0.05
  CHECK(rounds_to_confirm(100) == 12);
  CHECK(plan_text(kMock).confirm_rounds == 10);
}

}  // namespace plan_limits
}  // namespace benchbench::test
