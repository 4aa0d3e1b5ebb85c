#include "harness/app/wrap/wrap_plan.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace wrap_plan_test {

struct Planned {
  WrapRequest request;
  WrapPlanned planned;
  Environment environment = observe_environment();

  Planned() {
    request.script = "src/train_one.py";
    planned.rounds = 3;
    planned.stretch = std::chrono::seconds{1};
    planned.loader.own = {{"num_workers", std::int64_t{2}},
                          {"batch_size", std::int64_t{4}},
                          {"prefetch_factor", std::monostate{}}};
    environment.variables.clear();
  }
  Plan plan() const {
    WrapHello process;
    process.interpreter = "/usr/bin/python3";
    return wrap_plan(request, process, planned, environment);
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
