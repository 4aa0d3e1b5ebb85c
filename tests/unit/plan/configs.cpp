// What people run: every file under configs/ is read and planned with every variant.
#include <set>

#include "harness/plan/price.h"
#include "tests/places.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_configs {

const std::string kConfigs = source_path("configs");

PlanContext roomy() {
  PlanContext context = context_for(built_in_catalog());
  context.environment.memory_bytes = 1ull << 40;
  return context;
}

Plan plan_file(const std::string& name, const PlanContext& context = roomy(), bool cuda = false,
               const std::string& variant = {}, const std::string& device = {}) {
  ScenarioRequest request = request_for(kConfigs + "/" + name);
  request.cuda_available = cuda;
  if (!variant.empty()) request.variants = {variant};
  if (!device.empty()) request.sets = {{"trainer.device", device}};
  try {
    return make_plan(load_scenario(request, built_in_catalog()), context);
  } catch (const ScenarioDiagnostics& e) {
    throw std::runtime_error(e.text());
  }
}

TEST_CASE("configs: every one is read and planned, on a CPU and on CUDA", "[unit][plan]") {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kConfigs))
    if (entry.path().extension() == ".yaml")
      files.insert(entry.path().lexically_relative(kConfigs).string());
  REQUIRE(files.size() >= 4);
  for (const std::string& file : files) {
    INFO(file);
    for (const bool cuda : {false, true}) {
      PlanContext context = roomy();
      context.cuda = {.devices = cuda ? 1u : 0u, .kernels = cuda};
      const Plan plan = plan_file(file, context, cuda);
      CHECK(plan.points.size() > 1);
      CHECK_FALSE(plan.order.empty());
      CHECK(plan.scenario.name == std::filesystem::path(file).stem().string());
      CHECK_FALSE(plan.scenario.question.empty());
    }
  }
}

TEST_CASE("configs: resnet.yaml shares its trainer's trials and fits into three minutes",
          "[unit][plan]") {
  const Plan plan = plan_file("resnet.yaml");
  CHECK(plan.points.size() == 11);
  CHECK(plan.trials.size() == 25);
  CHECK(plan.shared == 7);
  CHECK(plan.rounds == 3);
  CHECK(plan.cuts.empty());
  CHECK(plan.price.seconds < 180);
  CHECK(plan.scenario.axes.size() == 6);
  CHECK(plan.scenario.base.text("trainer.use") == "resnet18");
  CHECK(plan.scenario.base.integer("loader.transform.random_resized_crop") == 32);
}

// Prices of two cores on which configs/resnet.yaml was run, each trial in full, with its data made.
PlanContext machine_of(const Scenario& scenario, double times_slower) {
  PlanContext context = roomy();
  Scenario whole = scenario;
  whole.base.erase("measure.budget");
  const Plan plan = make_plan(whole, context);
  for (const Trial& trial : plan.trials) {
    const SettingsMap& s = trial.settings;
    const bool trains = s.text("trainer.use") == "resnet18",
               large = s.text("loader.batch_size") == "16";
    const bool mock = trial.mode == Mode::trainer && !trains;  // an emulated step takes its time
    const double step = trains ? (large ? 0.088 : 0.068)
                        : mock ? 0.0175 / times_slower
                               : (s.text("loader.batch_size") == "64" ? 0.020 : 0.003);
    context.prices[price_key(trial)] = {.startup_seconds = times_slower * (trains ? 0.45 : 0.1),
                                        .step_seconds = times_slower * step,
                                        .warm_up_factor = 1.1};
  }
  for (const DatasetNeed& need : plan.datasets)
    for (const bool copied : {false, true}) context.prices[making_key(need, copied)] = {};
  return context;
}

TEST_CASE("configs: resnet.yaml has six axes on a CPU, however slow its two cores are",
          "[unit][plan]") {
  const Scenario scenario =
      load_scenario(request_for(kConfigs + "/resnet.yaml"), built_in_catalog());
  for (const double slower : {1.0, 2.0, 4.0, 8.0}) {
    const Plan plan = make_plan(scenario, machine_of(scenario, slower));
    INFO(slower << " times slower: " << plan.price.seconds << " s, " << plan.rounds << " rounds");
    for (const std::string& cut : plan.cuts) UNSCOPED_INFO(cut);
    CHECK(plan.scenario.axes.size() == 6);
    CHECK(plan.price.seconds <= 180);
    CHECK(plan.rounds == (slower == 1 ? 3 : slower == 2 ? 2 : 1));
    for (const Point& point : plan.points) CHECK_FALSE(point.skip);
  }
}

// A trial of the user's own Python starts an interpreter that imports torch.
TEST_CASE("configs: python.yaml fits into its budget where starting Python takes 25 seconds",
          "[unit][plan]") {
  const auto plan_where = [](double startup_seconds) {
    ScenarioRequest request = request_for(kConfigs + "/python.yaml");
    const Scenario scenario = load_scenario(request, built_in_catalog());
    Scenario whole = scenario;
    whole.base.erase("measure.budget");
    PlanContext context = roomy();
    for (const Trial& trial : make_plan(whole, context).trials)
      context.prices[price_key(trial)] = {.startup_seconds = startup_seconds, .step_seconds = 0.15};
    return make_plan(scenario, context);
  };
  const Plan quick = plan_where(3), slow = plan_where(25);
  CHECK(quick.scenario.base.duration("measure.budget") == std::chrono::minutes(10));
  CHECK(quick.cuts.empty());
  CHECK(quick.price.seconds < 300);
  CHECK(slow.price.seconds <= 600);
  CHECK(slow.rounds >= 1);
  CHECK(slow.cuts.size() == 1);
  CHECK(slow.scenario.axes.size() == quick.scenario.axes.size());
}

TEST_CASE("configs: resnet.yaml trains on the CUDA device of a machine that has one",
          "[unit][plan]") {
  const Plan plan = plan_file("resnet.yaml", roomy(), true);
  CHECK(plan.scenario.base.text("trainer.device") == "cuda:0");
  CHECK(plan.scenario.base.text("trainer.use") == "resnet50");
  CHECK(std::ranges::count(plan.scenario.decisions, "trainer.device: auto is cuda:0") == 1);
}

// configs/resnet.yaml with one more axis, on a machine that has run all of it: a trial starts in a
// second and a step takes 150 ms, from an object store 600.
Plan resnet_with(const Overlay& axis, const std::vector<Overlay>& sets = {}) {
  ScenarioRequest request = request_for(kConfigs + "/resnet.yaml");
  request.sweeps = {axis};
  request.sets = sets;
  const Scenario scenario = load_scenario(request, built_in_catalog());
  Scenario whole = scenario;
  whole.base.erase("measure.budget");
  PlanContext context = roomy();
  for (const Trial& trial : make_plan(whole, context).trials) {
    const Value* store = trial.settings.find("dataset.storage.like");
    context.prices[price_key(trial)] = {
        .startup_seconds = 1, .step_seconds = store && store->text() == "s3" ? 0.6 : 0.15};
  }
  return make_plan(scenario, context);
}

TEST_CASE("configs: of resnet.yaml the budget keeps the axis that the command line adds",
          "[unit][plan]") {
  // README.md has both.
  const Overlay storage{"dataset.storage.like", "sata_hdd,nvme,s3"},
      io{"loader.io", "pread,mmap,io_uring,direct"};
  const std::pair<Overlay, std::vector<Overlay>> commands[] = {{storage, {}},
                                                               {io, {{"dataset.cache", "cold"}}}};
  for (const auto& [axis, sets] : commands) {
    INFO(axis.key);
    const Plan plan = resnet_with(axis, sets);
    const auto kept = std::ranges::find(plan.scenario.axes, axis.key, &Axis::key);
    REQUIRE(kept != plan.scenario.axes.end());
    CHECK(kept->values.size() == 1 + static_cast<std::size_t>(std::ranges::count(axis.text, ',')));
    for (const std::string& cut : plan.cuts) CHECK(cut.find(axis.key) == std::string::npos);
    CHECK(plan.scenario.axes.size() == 7);
    CHECK(plan.rounds >= 1);
    CHECK(plan.price.seconds <= 180);
  }
}

TEST_CASE("configs: resnet.yaml on CUDA has its own base and axes", "[unit][plan]") {
  const Plan plan = plan_file("resnet.yaml", roomy(), true, {}, "cuda");
  CHECK(plan.scenario.base.text("trainer.use") == "resnet50");
  CHECK(plan.scenario.base.integer("loader.batch_size") == 256);
  CHECK(plan.scenario.base.integer("dataset.synthesize.samples") == 16384);
  CHECK(plan.scenario.base.text("trainer.device") == "cuda:0");
}

// On a machine with one card of the data centre, which has run all of it: a trial of a network
// starts in 4 seconds, of the user's own Python in 10, and a step takes 60 ms.
Plan plan_on_gpu(const std::string& name, const std::string& variant = {}) {
  ScenarioRequest request = request_for(kConfigs + "/" + name);
  request.cuda_available = true;
  request.cores = 16;
  request.ask_torch = [](const std::string&, const std::string&) { return ExternalCuda{}; };
  if (!variant.empty()) request.variants = {variant};
  const Scenario scenario = load_scenario(request, built_in_catalog());
  Scenario whole = scenario;
  whole.base.erase("measure.budget");
  PlanContext context = roomy();
  context.cuda = {.devices = 1, .kernels = true};
  for (const Trial& trial : make_plan(whole, context).trials) {
    const bool python = trial.settings.has("loader.call") || trial.settings.has("trainer.call");
    const double start = python ? 10 : trial.mode == Mode::loader ? 1 : 4;
    context.prices[price_key(trial)] = {.startup_seconds = start, .step_seconds = 0.06};
  }
  return make_plan(scenario, context);
}

TEST_CASE("configs: with a GPU the base of each network is on it, full, within the budget",
          "[unit][plan]") {
  for (const std::string name : {"resnet.yaml", "resnet_storage.yaml", "python.yaml", "twin.yaml",
                                 "tokens.yaml", "nightly/training.yaml", "nightly/canaries.yaml"}) {
    INFO(name);
    const Plan plan = plan_on_gpu(name);
    const SettingsMap& base = plan.scenario.base;
    CHECK(base.text("trainer.device") == "cuda:0");
    CHECK(base.boolean("loader.pin_memory"));
    CHECK(std::ranges::count(plan.scenario.decisions,
                             "variant cuda applied: trainer.device is cuda:0") == 1);
    for (const Trial& trial : plan.trials) CHECK_FALSE(trial.skip);
    for (const std::string& cut : plan.cuts) FAIL_CHECK(cut);
    if (base.has("measure.budget"))
      CHECK(plan.price.seconds < to_seconds(base.duration("measure.budget")));
    const bool is_resnet = name != "tokens.yaml" && name != "nightly/canaries.yaml";
    CHECK((!is_resnet || base.integer("loader.batch_size") == 256));
    const bool is_ours = base.has("trainer.precision");
    CHECK((!is_ours || base.text("trainer.precision") == "bf16-mixed"));
  }
}

TEST_CASE("configs: twin.yaml takes our steps and those of Python in turns", "[unit][plan]") {
  for (const Plan& plan : {plan_file("twin.yaml"), plan_on_gpu("twin.yaml")}) {
    REQUIRE(plan.points.size() == 4);
    CHECK(plan.rounds == 5);
    CHECK(plan.scenario.base.text("trainer.use") == "python");
    for (std::size_t k = 1; k < plan.points.size(); ++k)
      CHECK(plan.points[k].settings.text("trainer.use").starts_with("resnet"));
  }
}

TEST_CASE(
    "configs: prepare.yaml makes three data sets of the same images, in less than two minutes",
    "[unit][plan]") {
  const Plan plan = plan_file("prepare.yaml");
  CHECK(plan.points.size() == 3);
  REQUIRE(plan.datasets.size() == 3);
  CHECK(plan.price.seconds < 120);
  for (const DatasetNeed& need : plan.datasets) CHECK(need.bytes_estimate > 10'000'000);
  CHECK(plan.datasets[2].prepare == "decoded");
  CHECK(plan.datasets[2].bytes_estimate == 512 * 256 * 256 * 3);
}

TEST_CASE("configs: quickstart.yaml needs no data and no torch, and is done in 15 seconds",
          "[unit][plan]") {
  PlanContext bare = roomy();
  bare.missing_modules["torch"] = "none";
  const Plan plan = plan_file("quickstart.yaml", bare);
  CHECK(plan.datasets.empty());
  CHECK(plan.price.seconds < 15);
  for (const Trial& t : plan.trials) CHECK_FALSE(t.skip);
  bare.simulated = true;
  for (const Trial& t : plan_file("quickstart.yaml", bare).trials) CHECK_FALSE(t.skip);
}

TEST_CASE("configs: resnet_storage.yaml sweeps formats and orders, and says what disk it needs",
          "[unit][plan]") {
  const Plan plan = plan_file("resnet_storage.yaml");
  CHECK(plan.points.size() == 6);
  CHECK(plan.datasets.size() == 3);
  CHECK(plan.price.disk_bytes > 50ull << 30);
  PlanContext small = roomy();
  small.free_disk_bytes = 10ull << 30;
  CHECK_THROWS_WITH(plan_file("resnet_storage.yaml", small), Catch::Contains("10 GiB are free"));
  CHECK(plan_file("resnet_storage.yaml", small, false, "small").points.size() == 6);
}

}  // namespace plan_configs
}  // namespace benchbench::test
