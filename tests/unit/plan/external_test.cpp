// Plans of the user's own code: what the modes put in its place, which points are one, what a trial
// costs.
#include "harness/plan/points.h"
#include "harness/plan/price.h"
#include "harness/record/external_keys.h"
#include "harness/record/trial_record.h"
#include "tests/unit/config/external_catalog.h"
#include "tests/unit/plan/planning.h"

namespace benchbench::test {
namespace plan_external {

const std::string kBoth =
    "loader: {use: python, script: train.py, call: make_data, "
    "num_workers: 2, batch_size: 8, args: {size: 224}}\n"
    "trainer: {use: python, script: train.py, call: train_step}\n";

Plan plan_python(const std::string& text, PlanContext context = context_for(external_catalog()),
                 ScenarioRequest request = request_for("")) {
  return make_plan(load_python(text, std::move(request)), context);
}
const SettingsMap& settings_of(const Plan& plan, const std::string& point, Mode mode) {
  return trial_of(plan, point_named(plan, point), mode).settings;
}
std::string digest(const Plan& plan, const std::string& point, Mode mode) {
  return trial_of(plan, point_named(plan, point), mode).digest;
}
std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Point& p : plan.points) all.push_back(p.name());
  return all;
}

TEST_CASE(
    "user's code: T is fed by the scenario's own loader, "
    "with the base's workers where the step is the user's",
    "[unit][plan]") {
  const Plan plan = plan_python(kBoth +
                                "sweep: {loader.num_workers: [0, 2, 4], loader.persistent_workers: "
                                "[false, true], loader.args.size: [224, 64],\n"
                                "  loader.batch_size: [8, 16]}\n");
  const SettingsMap& t = settings_of(plan, "num_workers=4", Mode::trainer);
  CHECK(t.text("loader.use") == "cached_batch");
  CHECK(t.text("loader.of.use") == "python");
  CHECK(t.text("loader.of.call") == "make_data");
  CHECK(t.integer("loader.of.args.size") == 224);
  CHECK(t.integer("loader.of.num_workers") == 2);
  CHECK_FALSE(t.has("loader.args.size"));
  const std::string base = digest(plan, "base", Mode::trainer);
  for (const char* same : {"num_workers=0", "num_workers=4", "persistent_workers=true"}) {
    CHECK(digest(plan, same, Mode::trainer) == base);
    CHECK(digest(plan, same, Mode::loader) != digest(plan, "base", Mode::loader));
  }
  for (const char* other : {"size=64", "batch_size=16"})
    CHECK(digest(plan, other, Mode::trainer) != base);
}

TEST_CASE("user's code: a step of the user's does not run on an emulated device", "[unit][plan]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"trainer.device", "emulated"}};
  const Plan plan = plan_python(kBoth, context_for(external_catalog()), request);
  CHECK(trial_of(plan, plan.points[0], Mode::pipeline).skip.value_or("runs") ==
        "needs a trainer with steps for device emulated (timed, discard), not python");
  CHECK_FALSE(trial_of(plan, plan.points[0], Mode::loader).skip);
}

TEST_CASE("user's code: a step of the user's on a card pins and copies nothing of ours",
          "[unit][plan]") {
  ScenarioRequest request = request_for("");
  request.sets = {{"trainer.device", "cuda:0"}, {"loader.pin_memory", "true"}};
  PlanContext context = context_for(external_catalog());
  context.cuda = {.devices = 1};
  const Plan plan = plan_python(
      "loader: {use: synthetic, num_workers: 2, batch_size: 8, sample_time: 1ms}\n"
      "trainer: {use: python, script: train.py, call: train_step}\nmeasure: {substitute: true}\n",
      context, request);
  CHECK(settings_of(plan, "base", Mode::loader).text("trainer.device") == "cpu");
  CHECK(settings_of(plan, "base", Mode::pipeline).text("trainer.device") == "cuda:0");
  for (const auto& [ablation, trial] : plan.points[0].ablations)
    CHECK(ablation.text() != "free:copy");
}

TEST_CASE("user's code: a C++ trainer's batch is made without workers", "[unit][plan]") {
  const Plan plan = plan_python(kBoth + "variants: {cpu: {trainer: {use: timed}}}\n",
                                context_for(external_catalog()), [] {
                                  ScenarioRequest request = request_for("");
                                  request.sets = {{"trainer.use", "timed"}};
                                  return request;
                                }());
  CHECK(settings_of(plan, "base", Mode::trainer).integer("loader.of.num_workers") == 0);
}

TEST_CASE(
    "user's code: cached and paced batches of a step of "
    "the user's are those of the scenario's own loader",
    "[unit][plan]") {
  const Plan plan = plan_python(kBoth +
                                "sweep:\n  loader: [{use: rate_limited, rate: 50/s}, {use: "
                                "cached_batch}, {use: synthetic}]\n");
  const SettingsMap& f = settings_of(plan, "loader=rate_limited(rate=50/s)", Mode::pipeline);
  CHECK(f.text("loader.use") == "rate_limited");
  CHECK(f.text("loader.of.use") == "python");
  CHECK(f.integer("loader.of.num_workers") == 2);
  CHECK(settings_of(plan, "loader=cached_batch", Mode::pipeline).text("loader.of.script") ==
        "train.py");
  CHECK_FALSE(settings_of(plan, "loader=synthetic", Mode::pipeline).has("loader.of.use"));
  CHECK_FALSE(
      settings_of(plan, "loader=rate_limited(rate=50/s)", Mode::loader).has("loader.of.use"));
  for (const char* point : {"loader=rate_limited(rate=50/s)", "loader=cached_batch"})
    CHECK(digest(plan, point, Mode::trainer) == digest(plan, "base", Mode::trainer));
  const Plan timed = plan_python(
      "loader: {use: python, script: a.py, call: f}\ntrainer: {use: timed}\nsweep:\n  loader: "
      "[{use: rate_limited, rate: 50/s}]\n");
  CHECK_FALSE(
      settings_of(timed, "loader=rate_limited(rate=50/s)", Mode::pipeline).has("loader.of.use"));
}

TEST_CASE("user's code: data are part of its trials only where they are given", "[unit][plan]") {
  CHECK_FALSE(settings_of(plan_python(kBoth), "base", Mode::loader).has("dataset.format"));
  const Plan plan = plan_python("dataset: {synthesize: {samples: 8}}\n" + kBoth);
  CHECK(plan.datasets.size() == 1);
  CHECK(settings_of(plan, "base", Mode::loader).integer("dataset.synthesize.samples") == 8);
  CHECK(settings_of(plan, "base", Mode::trainer).integer("dataset.synthesize.samples") == 8);
  const Plan fewer = plan_python(
      "dataset: {synthesize: {samples: 8}}\nloader: {use: python, script: a.py, call: f, "
      "batch_size: 16, drop_last: false}\n"
      "trainer: {use: discard}\nsweep: {loader.drop_last: [true]}\n");
  CHECK_FALSE(fewer.points.back().skip);  // what it makes of 8 samples is not known
}

TEST_CASE("user's code: without workers, settings that need them make no point", "[unit][plan]") {
  const Plan none = plan_python(
      "loader: {use: python, script: a.py, call: f, prefetch_factor: 4}\ntrainer: {use: discard}\n"
      "sweep: {loader.prefetch_factor: [1, 2, 8], loader.persistent_workers: [false, true], "
      "loader.num_workers: [0, 2]}\n");
  CHECK(names(none) == std::vector<std::string>{"num_workers=0 (base)", "num_workers=2"});
  CHECK_FALSE(external_keys_of(none.points[0].settings).prefetch_factor);
  CHECK(none.points[1].settings.integer("loader.prefetch_factor") == 4);
  CHECK(none.points[1].settings.integer("loader.max_jobs") == 8);
  const Plan grid = plan_python(
      "loader: {use: python, script: a.py, call: f}\ntrainer: {use: discard}\n"
      "sweep: {mode: grid, loader.num_workers: [0, 1], loader.prefetch_factor: [2, 4]}\n");
  CHECK(grid.points.size() == 3);
}

TEST_CASE(
    "user's code: an axis of interpreters changes that of both sides, which run in one process",
    "[unit][plan]") {
  for (const char* axis : {"loader.python", "trainer.python"}) {
    const Plan plan = plan_python(kBoth + "sweep: {" + axis + ": [./py_a, ./py_b, none]}\n");
    for (const char* path : {"./py_a", "./py_b"}) {
      const std::string point = std::string("python=") + path;
      for (const char* key : {"loader.python", "trainer.python"})
        CHECK(settings_of(plan, point, Mode::pipeline).text(key) == path);
      for (const char* key : {"loader.of.python", "trainer.python"})
        CHECK(settings_of(plan, point, Mode::trainer).text(key) == path);
    }
    CHECK_FALSE(settings_of(plan, "base", Mode::pipeline).given("trainer.python"));
  }
  const Plan grid = plan_python(
      "loader: {use: python, script: a.py, call: f, python: ./py_a}\ntrainer: {use: "
      "timed}\nsweep:\n  mode: grid\n"
      "  loader.python: [./py_a, ./py_b, none]\n  trainer: [{use: timed}, {use: python, script: "
      "a.py, call: g}]\n");
  std::size_t shared = 0;
  for (const Point& point : grid.points) {
    INFO(point.name());
    if (point.settings.text("trainer.use") != "python") continue;
    const bool none = point.name().find("none") != std::string::npos;
    CHECK(point.settings.given("trainer.python") == !none);
    if (!none) CHECK(point.settings.text("trainer.python") == point.settings.text("loader.python"));
    ++shared;
  }
  CHECK(shared == 3);
}

TEST_CASE("user's code: an axis of interpreters is refused where the other side names one",
          "[unit][plan]") {
  CHECK_THROWS_WITH(plan_python("loader: {use: python, script: a.py, call: f}\ntrainer: {use: "
                                "python, script: a.py, call: g, python: ./py_a}\n"
                                "sweep: {loader.python: [./py_a, ./py_b]}\n"),
                    Catch::Contains("both run in one process"));
}

TEST_CASE("user's code: arguments of different types are different trials, and records keep them",
          "[unit][plan]") {
  const Plan plan = plan_python(
      "loader: {use: python, script: a.py, call: f, args: {x: 1}}\ntrainer: {use: discard}\n"
      "sweep: {loader.args.x: [1, 1.0, \"1\", true, \"true\", \"none\", \"12ms\"]}\n");
  CHECK(names(plan) == std::vector<std::string>{"x=1 (base)", "x=1.0", "x=\"1\"", "x=true",
                                                "x=\"true\"", "x=\"none\"", "x=12ms"});
  for (const Point& point : plan.points) {
    const Trial& trial = trial_of(plan, point, Mode::loader);
    INFO(point.name());
    CHECK(trial_from_json(to_json(trial)).settings == trial.settings);
  }
  CHECK(plan_from_json(to_json(plan)).points.back().settings == plan.points.back().settings);
}

TEST_CASE("user's code: modes and threads left open are those of each point's own pair",
          "[unit][plan]") {
  const std::string
      axes =
          "  loader: [{use: native}, {use: python, script: a.py, call: f}]\n  trainer: [{use: "
          "timed}, {use: discard}]\n",
      base = "dataset: {synthesize: {samples: 64}}\nloader: {use: native, num_workers: 1}\n";
  ScenarioRequest on_8 = request_for("");
  on_8.cores = 8;
  const auto facts = [](const Plan& plan) {
    std::map<std::string, std::string> all;
    for (const Point& p : plan.points)
      all[p.name()] =
          p.settings.text("measure.modes") + " " + p.settings.text("trainer.intra_op_threads");
    return all;
  };
  const std::string native = "loader=native trainer=",
                    python = "loader=python(script=a.py call=f) trainer=";
  const auto grid = facts(plan_python(base + "trainer: {use: timed}\nsweep:\n  mode: grid\n" + axes,
                                      context_for(external_catalog()), on_8));
  CHECK(grid ==
        std::map<std::string, std::string>{{native + "timed (base)", "loader,trainer,pipeline 7"},
                                           {native + "discard", "loader,trainer,pipeline 7"},
                                           {python + "timed", "loader,trainer,pipeline 7"},
                                           {python + "discard", "loader 0"}});
  const auto zip = facts(plan_python(base + "trainer: {use: timed}\nsweep:\n  mode: zip\n" + axes,
                                     context_for(external_catalog()), on_8));
  CHECK(zip.at(python + "discard") == "loader 0");
  const auto given = facts(plan_python(base +
                                           "trainer: {use: timed, intra_op_threads: 2}\nmeasure: "
                                           "{modes: [loader, pipeline]}\nsweep:\n  mode: grid\n" +
                                           axes,
                                       context_for(external_catalog()), on_8));
  for (const auto& [point, held] : given) CHECK(held == "loader,pipeline 2");
  const auto swept = facts(plan_python(base +
                                           "trainer: {use: timed, intra_op_threads: 2}\nsweep:\n  "
                                           "mode: grid\n  trainer.intra_op_threads: [auto, 3]\n" +
                                           axes,
                                       context_for(external_catalog()), on_8));
  CHECK(swept.at("intra_op_threads=auto " + python + "discard") == "loader 0");
  CHECK(swept.at("intra_op_threads=auto " + native + "timed") == "loader,trainer,pipeline 7");
  CHECK(swept.at("intra_op_threads=3 " + python + "discard") == "loader 3");
}

TEST_CASE("user's code: it cannot run in virtual time, and says why", "[unit][plan]") {
  PlanContext context = context_for(external_catalog());
  context.simulated = true;
  CHECK_THROWS_WITH(plan_python(kBoth, context),
                    Catch::Contains("loader python cannot run under the simulated clock (it has a "
                                    "process of its own, in real time)"));
}

TEST_CASE("user's code: a missing package leaves out the trials that call it", "[unit][plan]") {
  PlanContext context = context_for(external_catalog());
  const std::string text =
      "loader: {use: python, script: a.py, call: f}\ntrainer: {use: timed}\nsweep:\n  loader: "
      "[{use: synthetic}]\n";
  const Scenario s = load_python(text);
  context.missing_packages[code_of(s.base, "loader.")] = "needs torch: No module named 'torch'";
  const Plan plan = make_plan(s, context);
  CHECK(plan.points[0].skip == "needs torch: No module named 'torch'");
  CHECK_FALSE(plan.points[1].skip);
}

TEST_CASE(
    "user's code: a trial is priced with the start of its process and the warm-up of its workers",
    "[unit][plan]") {
  const Plan plan = plan_python(kBoth);
  const Trial& trial = trial_of(plan, plan.points[0], Mode::pipeline);
  PlanContext context = context_for(external_catalog());
  bool guessed = false;
  CHECK(seconds_of(trial, context, guessed) > 3);
  CHECK(guessed);
  CHECK(memory_of(trial, context) == 0);
  CHECK(plan.price.memory_bytes == 0);
  // W x P, W, and three steps that show it is steady.
  CHECK(shortest_warm_up(trial.settings, 1) == Approx(2 * 2 + 2 + 3));
  context.prices[price_key(trial)] = {.startup_seconds = 9, .step_seconds = 0.1, .memory_bytes = 5};
  guessed = false;
  CHECK(seconds_of(trial, context, guessed) == Approx(9 + 0.6 + 0.3 + 1));
  CHECK_FALSE(guessed);
  CHECK(memory_of(trial, context) == 5);
}

TEST_CASE("user's code: substitutions change only what can be given to it", "[unit][plan]") {
  const auto kinds = [](const Plan& plan) {
    std::vector<std::string> all;
    for (const auto& [ablation, trial] : plan.points[0].ablations) all.push_back(ablation.text());
    return all;
  };
  CHECK(kinds(plan_python(kBoth + "measure: {substitute: true}\n")) ==
        std::vector<std::string>{"batch:4", "workers:1"});
  ExternalCheck check;
  for (const char* key : {"batch_size", "num_workers"}) check.fixed[key] = "it is an iterable";
  ScenarioRequest request = request_for("");
  request.look_at_code = [check](const CodeQuestion&) { return check; };
  CHECK(kinds(plan_python(kBoth + "measure: {substitute: true}\n", context_for(external_catalog()),
                          request))
            .empty());
}

TEST_CASE("user's code: a base with as many threads as their script has is auto on that axis",
          "[unit][plan]") {
  const Plan plan = plan_python(
      "loader: {use: python, script: a.py, call: f}\n"
      "trainer: {use: python, script: a.py, call: g}\nsweep: {trainer.intra_op_threads: [1, 2]}\n");
  REQUIRE(plan.points.size() == 3);
  CHECK(plan.points[0].labels ==
        std::vector<std::pair<std::string, std::string>>{{"trainer.intra_op_threads", "auto"}});
}

TEST_CASE(
    "user's code: L has the threads of their step without workers, else as many as their script",
    "[unit][plan]") {
  const auto threads = [](const std::string& trainer, const char* point) {
    const Plan plan = plan_python("loader: {use: python, script: a.py, call: f}\ntrainer: {" +
                                  trainer + "}\nsweep: {loader.num_workers: [0, 1]}\n");
    return settings_of(plan, point, Mode::loader).integer("trainer.intra_op_threads");
  };
  const std::string own = "use: python, script: a.py, call: g";
  CHECK(threads(own + ", intra_op_threads: 2", "base") == 2);
  CHECK(threads(own + ", intra_op_threads: 2", "num_workers=1") == kUsersOwnThreads);
  CHECK(threads(own, "base") == kUsersOwnThreads);
  CHECK(threads("use: discard, intra_op_threads: 2", "num_workers=1") == 2);
  // These are the threads of a step in another process.
  CHECK(threads("use: timed, intra_op_threads: 2", "base") == kUsersOwnThreads);
}

// Five trials a round: L, F, and T three times.
std::string window_with_starts_of(double seconds, const std::string& more) {
  PlanContext context = context_for(external_catalog());
  context.start_seconds = seconds;
  return settings_of(plan_python(kBoth + more, context), "base", Mode::pipeline)
      .text("measure.window");
}

TEST_CASE("user's code: windows that are not given grow with a trial's share of the starts",
          "[unit][plan]") {
  CHECK(window_with_starts_of(2, "") == "1s");
  CHECK(window_with_starts_of(10, "") == "2s");
  CHECK(window_with_starts_of(13, "") == "2.5s");
  CHECK(window_with_starts_of(1000, "") == "5s");
  CHECK(window_with_starts_of(10, "measure: {isolation: trial}\n") == "5s");
  CHECK(window_with_starts_of(10, "measure: {window: 1s}\n") == "1s");
  CHECK(window_with_starts_of(1000, "measure: {timeout: 6s}\n") == "1.5s");
  CHECK(window_with_starts_of(10, "measure: {class: selftest}\n") == "200ms");
}

TEST_CASE("user's code: a plan whose windows grew says why, and is the one that was asked for",
          "[unit][plan]") {
  PlanContext context = context_for(external_catalog());
  const Plan plain = plan_python(kBoth, context);
  context.start_seconds = 10;
  const Plan grown = plan_python(kBoth, context);
  CHECK(grown.digest == plain.digest);
  CHECK(digest(grown, "base", Mode::loader) != digest(plain, "base", Mode::loader));
  CHECK(grown.scenario.decisions.back() ==
        "measure.window is 2s: as long as a trial's share of the starts of your Python, which take "
        "about 10 s");
}

}  // namespace plan_external
}  // namespace benchbench::test
