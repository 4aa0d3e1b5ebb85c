#include "harness/config/automatic.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/config/value_check.h"

namespace benchbench::config {
namespace {

std::int64_t max_workers(const Scenario& scenario) {
  std::int64_t max = scenario.base.integer("loader.num_workers");
  for (const Axis& axis : scenario.axes)
    for (const AxisValue& value : axis.values)
      for (const auto& [key, held] : value.set)
        if (key == "loader.num_workers") max = std::max(max, std::get<std::int64_t>(held.held));
  return max;
}

void settle_threads(Scenario& scenario, std::uint32_t cores) {
  const std::int64_t workers = max_workers(scenario);
  const std::int64_t threads = std::max<std::int64_t>(1, static_cast<std::int64_t>(cores) - workers);
  bool decided = false;
  const auto settle = [&](Value& value) {
    if (!is_auto(value)) return;
    value.type = ParameterType::integer;
    value.held = threads;
    decided = true;
  };
  if (const Value* base = scenario.base.find("trainer.intra_op_threads")) {
    Value value = *base;
    settle(value);
    scenario.base.set("trainer.intra_op_threads", value);
  }
  for (Axis& axis : scenario.axes)
    for (AxisValue& value : axis.values)
      for (auto& [key, held] : value.set)
        if (key == "trainer.intra_op_threads")
          settle(held), value.label = value.label == "auto" ? held.text() : value.label;
  if (decided)
    scenario.decisions.push_back(
        fmt::format("trainer.intra_op_threads: auto is {}: {} core{} minus the sweep's largest num_workers, "
                    "{}, at least 1",
                    threads, cores, cores == 1 ? "" : "s", workers));
}

void settle_max_jobs(Scenario& scenario, bool own_workers) {
  if (scenario.base.has("loader.max_jobs")) return;
  scenario.max_jobs_follows = true;
  const std::int64_t workers = std::max<std::int64_t>(1, scenario.base.integer("loader.num_workers"));
  const std::int64_t jobs = workers * scenario.base.integer("loader.prefetch_factor");
  scenario.base.set("loader.max_jobs", {ParameterType::integer, jobs});
  if (!own_workers) return;
  scenario.decisions.push_back(
      "loader.max_jobs: auto is max(1, num_workers) x prefetch_factor at each point");
}

}  // namespace

std::string base_device(const std::vector<const Layer*>& layers, const ScenarioRequest& request,
                        std::vector<std::string>& decisions) {
  std::string device = "auto";
  for (const Layer* layer : layers)
    for (const Entry& e : layer->entries)
      if (e.key == "trainer.device" && e.value->scalar()) device = e.value->text;
  if (device == "cuda") return "cuda:0";
  if (device != "auto") return device;
  const std::string reason = request.cuda_reason.empty() ? "no CUDA device" : request.cuda_reason;
  decisions.push_back(request.cuda_available ? std::string("trainer.device: auto is cuda:0")
                                             : fmt::format("trainer.device: auto is cpu: {}", reason));
  return request.cuda_available ? "cuda:0" : "cpu";
}

void settle_automatic(Scenario& scenario, const ScenarioRequest& request, bool own_workers) {
  settle_threads(scenario, std::max(1u, request.cores));
  settle_max_jobs(scenario, own_workers);
}

}  // namespace benchbench::config
