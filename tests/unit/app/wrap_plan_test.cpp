#include "harness/app/wrap/wrap_plan.h"

#include <catch2/catch.hpp>

#include "harness/app/tune/tune_knobs.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace wrap_plan_test {

struct Planned {
  WrapRequest request;
  WrapPlanned planned;
  Environment environment = observe_environment();
  WrapHello process;

  Planned() {
    process.interpreter = "/usr/bin/python3";
    request.script = "src/train_one.py";
    planned.rounds = 3;
    planned.stretch = std::chrono::seconds{1};
    planned.loader.own = {{"num_workers", std::int64_t{2}},
                          {"batch_size", std::int64_t{4}},
                          {"prefetch_factor", std::monostate{}}};
    environment.variables.clear();
  }
  Plan plan() const { return wrap_plan(request, process, planned, environment); }
  Plan plan_search(const Space& space) const {
    return wrap_search_plan(request, process, planned, environment, space);
  }
  // "" where it has none.
  std::string setting(const char* key) const {
    const Plan made = plan();
    const Value* value = made.scenario.base.find(key);
    return value ? value->text() : "";
  }
};

TEST_CASE("wrap plan: what a script is run with is its own, and no choice of ours is told",
          "[unit][app][wrap]") {
  Planned p;
  CHECK(p.plan().scenario.source == "src/train_one.py");
  CHECK(p.plan().scenario.decisions.empty());
  CHECK(p.plan().anchor == kNoAnchor);
  CHECK(p.plan().order.empty());
  CHECK(p.plan().trials.size() == 3);
  CHECK(p.setting("loader.script") == "src/train_one.py");
  CHECK(p.setting("loader.call") == "DataLoader");  // without a name
  CHECK(p.setting("loader.num_workers") == "2");
  CHECK(p.setting("trainer.device") == "cpu");
  CHECK(p.setting("measure.declare").empty());
  p.environment.variables = {"OMP_NUM_THREADS=4", "MALLOC_ARENA_MAX=2"};
  CHECK(p.setting("measure.declare") == "OMP_NUM_THREADS, MALLOC_ARENA_MAX");
  p.planned.loader.own["pin_memory"] = true;  // whether there is a device or not
  CHECK(p.setting("loader.pin_memory") == "true");
  for (const Trial& trial : p.plan().trials) CHECK_FALSE(trial.skip);  // the script runs as it is
  p.planned.device = "cuda:0";
  CHECK(p.setting("trainer.device") == "cuda:0");
  p.request.order.keep_going = true;
  CHECK(p.plan().trials.size() == 1);
}

TEST_CASE("wrap plan: a stretch may be longer than a trial's timeout, which it does not have",
          "[unit][app][wrap]") {
  Planned p;
  p.planned.stretch = std::chrono::minutes{20};
  CHECK(p.setting("measure.window") == "20min");
}

TEST_CASE("wrap plan: that of a search has F at each point of its space", "[unit][app][wrap]") {
  Planned p;
  p.request.traces = true;
  p.planned.loader.own["prefetch_factor"] = std::int64_t{4};
  p.planned.loader.own["pin_memory"] = true;
  const Space space({standard_knob("num_workers", "2", 4), standard_knob("prefetch_factor", "4", 4),
                     standard_knob("pin_memory", "true", 4)});
  const Plan plan = p.plan_search(space);
  const TuneGrid grid = grid_of(plan);
  CHECK(plan.points.size() == space.points().size());
  for (const Trial& trial : plan.trials) CHECK(trial.mode == Mode::pipeline);
  CHECK(grid.space.points() == space.points());
  REQUIRE(grid.space.knobs().size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(grid.space.value(grid.present, k).text ==
          p.plan().scenario.base.find(plan.scenario.axes[k].key)->text());
  CHECK_FALSE(plan.scenario.base.get_if(keys::measure.trace) == true);
}

TEST_CASE("wrap plan: a search without a setting to choose has one point", "[unit][app][wrap]") {
  const Planned p;
  const Plan plan = p.plan_search(Space({}));
  CHECK(plan.points.size() == 1);
  CHECK(grid_of(plan).space.combinations() == 1);
}

TEST_CASE("wrap plan: its name is the script's, in letters that a folder can have",
          "[unit][app][wrap]") {
  Planned p;
  CHECK(p.plan().scenario.name == "train_one");
  for (const auto& [script, name] :
       {std::pair("a b/my train.v2.py", "my-train-v2"), {"pkg.train", "pkg"}, {"x/_", "_"}}) {
    p.request.script = script;
    CHECK(p.plan().scenario.name == name);
  }
  p.request.script = "pkg.train";
  CHECK(p.setting("loader.module") == "pkg.train");
  CHECK(p.setting("loader.script").empty());
}

}  // namespace wrap_plan_test
}  // namespace benchbench
