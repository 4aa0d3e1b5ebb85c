#include "harness/app/wrap/wrap_plan.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/app/wrap/wrap_try.h"
#include "harness/config/scenario_file.h"
#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/plan/planner.h"

namespace benchbench {
namespace {

std::string name_of_run(const std::string& script) {
  std::string name = std::filesystem::path(script).stem().string();
  for (char& c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_')
      c = '-';
  return name.empty() ? "script" : name;
}

nlohmann::ordered_json part_of(const WrapRequest& request, const WrapHello& process,
                               const std::string& call) {
  return {{"use", "python"},
          {request.script.ends_with(".py") ? "script" : "module", request.script},
          {"call", call},
          {"python", process.interpreter}};
}

// What was applied of --try: one point, however many settings it changes.
nlohmann::ordered_json sweep_of(const WrapRequest& request, const WrapPlanned& planned) {
  nlohmann::ordered_json sweep;
  for (const auto& [name, value] : applied(request.order.other, planned)) {
    if (const bool* yes = std::get_if<bool>(&value))
      sweep["loader." + name] = nlohmann::ordered_json::array({*yes});
    else if (const auto* n = std::get_if<std::int64_t>(&value))
      sweep["loader." + name] = nlohmann::ordered_json::array({*n});
  }
  if (!sweep.empty()) sweep["mode"] = "zip";
  return sweep;
}

// Returns all values of each knob.
nlohmann::ordered_json sweep_all(const Space& space) {
  nlohmann::ordered_json sweep;
  for (const Knob& knob : space.knobs()) {
    nlohmann::ordered_json& values = sweep["loader." + knob.name] = nlohmann::ordered_json::array();
    for (const KnobValue& value : knob.values)
      if (knob.kind == KnobKind::flag)
        values.push_back(value.text == "true");
      else
        values.push_back(static_cast<std::int64_t>(value.number));
  }
  if (!sweep.empty()) sweep["mode"] = "grid";
  return sweep;
}

std::string nanoseconds(Nanoseconds time) {
  return fmt::format("{}us", std::max<std::int64_t>(1, time.count() / 1000));
}

// What the script is run with is its own: no doubt of what is measured.
std::string names_of(const std::vector<std::string>& variables) {
  std::string names;
  for (const std::string& variable : variables)
    names += (names.empty() ? "" : ", ") + variable.substr(0, variable.find('='));
  return names;
}

nlohmann::ordered_json make_scenario(const WrapRequest& request, const WrapHello& process,
                                     const WrapPlanned& planned, const Environment& environment) {
  nlohmann::ordered_json trainer = part_of(request, process, "__main__");
  trainer["device"] = planned.device;
  nlohmann::ordered_json measure = {
      {"rounds", std::max(1u, planned.rounds)},
      {"isolation", "none"},
      {"class", "stretch"},
      {"window", nanoseconds(std::max(planned.stretch, Nanoseconds{1'000'000}))}};
  if (request.order.keep_going || planned.kinds == "F")
    measure["modes"] = nlohmann::ordered_json::array({"pipeline"});
  if (request.traces) measure["trace"] = true;
  if (!environment.variables.empty()) measure["declare"] = names_of(environment.variables);
  const std::string loader = planned.loader.name.empty() ? "DataLoader" : planned.loader.name;
  return {{"name", name_of_run(request.script)},
          {"question", fmt::format("does {} wait for its loader?",
                                   std::filesystem::path(request.script).filename().string())},
          {"loader", part_of(request, process, loader)},
          {"trainer", trainer},
          {"measure", measure}};
}

// A file that is nowhere.
Descriptor file_with(const std::string& text) {
  Descriptor file(::memfd_create("benchbench-wrap", MFD_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw StoreError("the script's settings could not be noted", "is there memory left?");
  return file;
}

// The loader stays as it is: each setting is the script's own.
ExternalCheck seen(const WrapPlanned& planned) {
  constexpr const char* kSettings[] = {
      "num_workers", "batch_size", "prefetch_factor", "persistent_workers",     "pin_memory",
      "in_order",    "drop_last",  "shuffle",         "multiprocessing_context"};
  ExternalCheck check;
  check.kind = "DataLoader";
  check.epoch_samples = planned.loader.samples;
  for (const char* name : kSettings)
    if (const auto own = planned.loader.own.find(name);
        own != planned.loader.own.end() && !std::holds_alternative<std::monostate>(own->second))
      check.own.insert(*own);
  return check;
}

// JSON is YAML. The axes have the order of its members, as points are numbered by it.
Scenario read_scenario(const nlohmann::ordered_json& scenario_json, const WrapRequest& request,
                       const WrapPlanned& planned, const Environment& environment) {
  const Descriptor file = file_with(scenario_json.dump(1));
  ScenarioRequest asked;
  asked.path = fmt::format("/proc/self/fd/{}", file.get());
  asked.cuda_available = true;  // what the script has is not ours to refuse
  asked.cores = std::max(1u, static_cast<std::uint32_t>(std::floor(environment.cores_available)));
  asked.look_at_code = [&](const CodeQuestion&) {
    return std::optional<ExternalCheck>(seen(planned));
  };
  Scenario scenario = load_scenario(asked, built_in_catalog());
  scenario.source = request.script;
  scenario.decisions.clear();
  return scenario;
}

Plan plan_script(Scenario scenario, const Environment& environment) {
  const PlanContext context{.catalog = built_in_catalog(),
                            .environment = environment,
                            .cache_folder = {},
                            .prices = {},
                            .missing_modules = {},
                            // The script's devices are not ours to refuse.
                            .cuda = {.devices = 1024, .kernels = true}};
  Plan plan = make_plan(std::move(scenario), context);
  plan.anchor = kNoAnchor;  // of each kind a round has one stretch
  plan.order.clear();
  for (Trial& trial : plan.trials) trial.skip.reset();  // the script runs as it is
  return plan;
}

}  // namespace

Plan wrap_plan(const WrapRequest& request, const WrapHello& process, const WrapPlanned& planned,
               const Environment& environment) {
  nlohmann::ordered_json scenario = make_scenario(request, process, planned, environment);
  if (const nlohmann::ordered_json sweep = sweep_of(request, planned); !sweep.empty())
    scenario["sweep"] = sweep;
  return plan_script(read_scenario(scenario, request, planned, environment), environment);
}

Plan wrap_search_plan(const WrapRequest& request, const WrapHello& process,
                      const WrapPlanned& planned, const Environment& environment,
                      const Space& space) {
  nlohmann::ordered_json scenario = make_scenario(request, process, planned, environment);
  scenario["measure"]["modes"] = nlohmann::ordered_json::array({"pipeline"});
  scenario["measure"].erase("trace");
  if (const nlohmann::ordered_json sweep = sweep_all(space); !sweep.empty())
    scenario["sweep"] = sweep;
  return plan_script(read_scenario(scenario, request, planned, environment), environment);
}

const Trial& trial_of(const Plan& plan, WrapKind kind) {
  for (const auto& [mode, trial] : plan.points.at(point_of(kind)).trials)
    if (mode == mode_of(kind)) return plan.trials.at(trial);
  throw ScenarioError("a stretch of a kind that was not asked for");
}

}  // namespace benchbench
