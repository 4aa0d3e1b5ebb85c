// Plans from scenario text in a test.
#pragma once
#include <algorithm>

#include "harness/plan/planner.h"
#include "tests/unit/config/loading.h"

namespace benchbench::test {

inline PlanContext context_for(const Catalog& catalog = small_catalog()) {
  PlanContext context{.catalog = catalog,
                      .environment = {},
                      .cache_folder = "/nowhere",
                      .free_disk_bytes = 1ull << 40,
                      .prices = {},
                      .missing_modules = {},
                      .cuda = {.why = "no CUDA device"},
                      .simulated = false};
  context.environment.cores_available = 2;
  context.environment.memory_bytes = 8ull << 30;
  return context;
}

inline Plan plan_text(const std::string& text, const PlanContext& context = context_for(),
                      ScenarioRequest request = request_for("")) {
  return make_plan(load_text(text, std::move(request)), context);
}

inline const Point& point_named(const Plan& plan, const std::string& name) {
  if (name == "base") return plan.points.front();
  for (const Point& p : plan.points)
    if (p.name() == name) return p;
  std::string names;
  for (const Point& p : plan.points) names += p.name() + "; ";
  FAIL("no point " << name << " among " << names);
  throw 0;
}

inline const Trial& trial_of(const Plan& plan, const Point& point, Mode mode) {
  for (const auto& [m, trial] : point.trials)
    if (m == mode) return plan.trials[trial];
  FAIL("point " << point.name() << " has no trial " << name_of(mode));
  throw 0;
}

// The six axes of configs/resnet.yaml on the small catalogue.
inline const std::string kSixAxes =
    "dataset: {format: image_folder, synthesize: {samples: 2048}}\n"
    "loader: {use: native, num_workers: 2, batch_size: 16, "
    "shuffle: true, transform: {random_resized_crop: 64}}\n"
    "trainer: {use: resnet18, memory_format: channels_last}\n"
    "sweep:\n"
    "  loader.num_workers: [0, 1, 2]\n"
    "  loader.batch_size: [8, 16, 32]\n"
    "  loader.prefetch_factor: [1, 2, 4]\n"
    "  loader.pin_memory: [false, true]\n"
    "  loader.shuffle: [false, true]\n"
    "  dataset.format: [image_folder, tar, hdf5]\n";

}  // namespace benchbench::test
