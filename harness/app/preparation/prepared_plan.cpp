#include "harness/app/preparation/prepared_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "harness/analysis/rules/stopping.h"
#include "harness/app/doctor/cuda_devices.h"
#include "harness/app/output_file.h"
#include "harness/app/preparation/code_seal.h"
#include "harness/app/preparation/data_size.h"
#include "harness/app/preparation/price_file.h"
#include "harness/app/preparation/replay_times.h"
#include "harness/app/preparation/run_time.h"
#include "harness/app/preparation/trial_runner.h"
#include "harness/config/scenario_file.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/dataset/dataset_need.h"
#include "harness/part/module.h"
#include "harness/part/own_library.h"
#include "harness/part/torch/torch_folder.h"
#include "harness/plan/order.h"
#include "harness/plan/points.h"
#include "harness/plan/price.h"
#include "harness/plan/starts.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

Overlay overlay_of(const std::string& text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(
        fmt::format("{} {}: expected KEY=VALUE", option, text),
        fmt::format("e.g. {} loader.num_workers={}", option, option == "--set" ? "4" : "0,2,4"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Once: the file and each of its variants may name the same one.
void load_own_library(PartKind kind, const std::string& path) {
  if (!find_library_part(kind, path)) try_library(path);
  library_part(kind, path);
}

ScenarioRequest request_from(const Arguments& arguments, const Environment& environment) {
  ScenarioRequest request;
  request.path = arguments.positional().at(0);
  request.variants = arguments.list("--variant");
  for (const std::string& s : arguments.list("--set"))
    request.sets.push_back(overlay_of(s, "--set"));
  for (const std::string& s : arguments.list("--sweep"))
    request.sweeps.push_back(overlay_of(s, "--sweep"));
  for (const std::string& s : arguments.list("--only"))
    request.only.push_back(overlay_of(s, "--only"));
  for (const std::string option : {"--rounds", "--budget"})
    if (arguments.flag(option))
      request.sets.push_back({"measure." + option.substr(2), arguments.text(option), option});
  for (const std::string_view flag : {"--substitute", "--interference"})
    if (arguments.flag(flag))
      request.sets.push_back({"measure." + std::string(flag.substr(2)), "true"});
  // What a record's trial says it ran in.
  if (arguments.flag("--isolation"))
    request.sets.push_back({keys::measure.isolation, arguments.text("--isolation"), "--isolation"});
  if (arguments.flag("--trace")) request.sets.push_back({keys::measure.trace, "true"});
  request.ask_cuda = [simulated = simulated_clock(arguments)] {
    const CudaThere cuda = cuda_there(simulated);
    return CudaKnown{cuda.devices > 0, cuda.why, cuda.kernels};
  };
  request.ask_torch_module = [] {
    hand_over_torch();
    return probe_module("torch_cuda");
  };
  request.load_library = load_own_library;
  request.cores = std::max(1u, static_cast<std::uint32_t>(std::floor(environment.cores_available)));
  return request;
}

void note_module(std::set<std::string>& modules, PartKind kind, const Value& use) {
  if (const PartRow* row = built_in_catalog().find(kind, use.text()); row && !row->module.empty())
    modules.insert(std::string(row->module));
}

// Calls `look` with each setting of the base and of the axes' values.
template <class Look>
void look_at_settings(const Scenario& scenario, Look look) {
  for (const auto& [key, value] : scenario.base.all()) look(key, value);
  for (const Axis& axis : scenario.axes)
    for (const AxisValue& v : axis.values)
      for (const auto& [key, value] : v.set) look(key, value);
}

// A point of it is on a CUDA device, or pins memory.
bool mentions_cuda(const Scenario& scenario) {
  bool found = false;
  look_at_settings(scenario, [&](const std::string& key, const Value& value) {
    found = found || (key == keys::trainer.device && value.text().starts_with("cuda")) ||
            (key == keys::loader.pin_memory && value.text() == "true");
  });
  return found;
}

std::uint64_t free_bytes(const std::string& path) {
  std::error_code error;
  const auto space = std::filesystem::space(nearest_folder(path), error);
  return error ? 0 : space.available;
}

std::vector<double> seconds_of_trials(const Plan& plan, const PlanContext& context) {
  const Pricing pricing(plan, context);
  std::vector<double> seconds;
  for (const Trial& trial : plan.trials)
    seconds.push_back(trial.skip ? 0 : pricing.seconds_of(trial));
  return seconds;
}

}  // namespace

bool simulated_clock(const Arguments& arguments) {
  const std::string clock = arguments.text("--clock", "real");
  if (clock != "real" && clock != "simulated")
    throw UsageError(fmt::format("--clock {}: expected real or simulated", clock));
  return clock == "simulated";
}

std::map<std::string, std::string> missing_of(const std::set<std::string>& modules) {
  if (modules.contains("torch")) hand_over_torch();
  std::map<std::string, std::string> missing;
  for (const std::string& module : modules)
    if (std::string reason = probe_module(module); !reason.empty())
      missing[module] = std::move(reason);
  return missing;
}

std::map<std::string, std::string> missing_modules_of(const Scenario& scenario) {
  std::set<std::string> modules;
  look_at_settings(scenario, [&](const std::string& key, const Value& value) {
    if (key == keys::loader.use) note_module(modules, PartKind::loader, value);
    if (key == keys::trainer.use) note_module(modules, PartKind::trainer, value);
    if (key == keys::dataset.format) note_module(modules, PartKind::sample_format, value);
  });
  if (modules.contains("torch") && cuda_there(false).devices > 0 && mentions_cuda(scenario))
    modules.insert("torch_cuda");
  return missing_of(modules);
}

void print_decisions(std::FILE* out, const Scenario& scenario) {
  constexpr std::string_view kDropped = " dropped: ";
  for (const std::string& d : scenario.decisions) {
    const std::size_t at = d.find(kDropped);
    print_fitted(out, at == std::string::npos ? fmt::format("  decided: {}\n", d)
                                              : fmt::format("  dropped: {} ({})\n", d.substr(0, at),
                                                            d.substr(at + kDropped.size())));
  }
}

Scenario scenario_from(const Arguments& arguments) {
  const Scenario scenario =
      load_scenario(request_from(arguments, observe_environment()), built_in_catalog());
  ReplayTimes times;
  CodeSeal code;
  for (Point& point : make_points(scenario, built_in_catalog()))
    times.seal(point.settings), code.seal(point.settings);
  return scenario;
}

namespace {

// A command that loads a scenario.
struct Loading {
  explicit Loading(const Arguments& given)
      : arguments(given),
        simulated(simulated_clock(given)),
        cache_folder(given.text("--cache", default_cache_folder())),
        environment(observe_environment()),
        prices(read_prices(cache_folder, environment.machine)) {}
  const Arguments& arguments;
  const bool simulated;
  const std::string cache_folder;
  Environment environment;
  Prices prices;
};

// An error of making data. No Error itself: load_scenario() would take it for one of the user's
// code, and say it of a line of the scenario.
struct DataFault {
  std::exception_ptr error;
};

// Makes the data of the code that a look calls. Throws DataFault.
void make_data_of_code(const SettingsMap& settings, Loading& loading, const DataMaking& making) {
  try {
    if (const auto need = dataset_of(settings, loading.cache_folder))
      refuse_beyond_disk({*need}, free_bytes(loading.cache_folder), loading.cache_folder);
    Trial trial;
    trial.settings = settings;
    make_datasets({&trial, 1}, loading.cache_folder, loading.prices, making, settings);
  } catch (const Error&) {
    throw DataFault{std::current_exception()};
  }
}

Scenario load_with_data(const ScenarioRequest& request) {
  try {
    return load_scenario(request, built_in_catalog());
  } catch (const DataFault& fault) {
    std::rethrow_exception(fault.error);
  }
}

Scenario load(Loading& loading, CodeLooker* looker, const DataMaking* making) {
  ScenarioRequest request = request_from(loading.arguments, loading.environment);
  if (!looker || loading.simulated) return load_scenario(request, built_in_catalog());
  MakeData make_data;
  if (making)
    make_data = [&](const SettingsMap& settings) { make_data_of_code(settings, loading, *making); };
  request.look_at_code = [&](const CodeQuestion& question) {
    return looker->look(question, make_data);
  };
  request.ask_torch = [&](const std::string& trainer, const std::string& python) {
    return looker->torch_cuda(trainer, python);
  };
  Scenario scenario = load_with_data(request);
  if (looker->waits_for_data())
    scenario.decisions.push_back(
        "your code is called with the folder of its data, which are not made yet: what your "
        "DataLoader brings is not in this plan");
  return scenario;
}

std::function<void(SettingsMap&)> make_seal() {
  return [times = std::make_shared<ReplayTimes>(), code = std::make_shared<CodeSeal>()](
             SettingsMap& settings) { times->seal(settings), code->seal(settings); };
}

PreparedPlan prepare(const Arguments& arguments, CodeLooker* looker, const DataMaking* making) {
  Loading loading(arguments);
  const Scenario scenario = load(loading, looker, making);
  PreparedPlan p;
  PlanContext& context = p.context;
  context.environment = loading.environment;
  context.cache_folder = p.cache_folder = loading.cache_folder;
  context.simulated = p.simulated = loading.simulated;
  context.prices = std::move(loading.prices);
  context.missing_modules = missing_modules_of(scenario);
  if (looker) context.missing_packages = looker->missing_packages();
  if (mentions_cuda(scenario)) context.cuda = cuda_there(p.simulated);
  // Prices learned later would make other windows, and other trials, than those that ran already.
  context.start_seconds = known_start(scenario.base, context.prices);
  context.seal = make_seal();
  p.environment = std::move(loading.environment);
  p.environment.libtorch = torch_handed_over();  // by the look for missing modules
  p.draft = draft_plan(scenario, context);
  fit_to_prices(p);
  return p;
}

}  // namespace

Scenario load_with_code(const Arguments& arguments, CodeLooker& looker, const DataMaking* making) {
  Loading loading(arguments);
  return load(loading, &looker, making);
}

PreparedPlan prepare_plan(const Arguments& arguments) {
  return prepare(arguments, nullptr, nullptr);
}

PreparedPlan prepare_plan_with_code(const Arguments& arguments, const DataMaking* making) {
  CodeLooker looker(built_in_catalog(), arguments.text("--cache", default_cache_folder()));
  return prepare(arguments, &looker, making);
}

PreparedPlan prepare_plan_with_code(const Arguments& arguments, CodeLooker& looker,
                                    const DataMaking* making) {
  return prepare(arguments, &looker, making);
}

void fit_to_prices(PreparedPlan& p, double spent_seconds) {
  p.context.spent_seconds = spent_seconds;
  p.context.free_disk_bytes = free_bytes(p.cache_folder);
  take_plan(p, fit_plan(p.draft, p.context));
  refuse_less_than_a_batch(p.plan, p.cache_folder);
}

void make_data(PreparedPlan& p, const DataMaking& making) {
  make_datasets(p.plan.trials, p.cache_folder, p.context.prices, making, p.plan.scenario.base);
}

void take_plan(PreparedPlan& p, Plan plan) {
  p.plan = std::move(plan);
  p.trial_seconds = seconds_of_trials(p.plan, p.context);
}

namespace {

std::uint32_t min_rounds(const Plan& plan) {
  if (stopping_rule_of(plan) == StoppingRule::fixed) return plan.rounds;
  return std::min(max_rounds(plan), std::max(plan.rounds, kFirstLook + kLooksThatAgree - 1));
}

}  // namespace

std::string rounds_text(const Plan& plan) {
  const std::uint32_t min = min_rounds(plan), max = max_rounds(plan);
  return max > min ? fmt::format("{} to {}", min, max) : fmt::format("{}", min);
}

// What is neither a round's nor counted by rounds: making data, the report.
std::string time_text(const Plan& plan) {
  const double once =
      std::max(0.0, plan.price.seconds - plan.price.seconds_per_round * plan.rounds);
  const auto time_of = [&](std::uint32_t rounds) {
    return human_duration(from_seconds(once + plan.price.seconds_per_round * rounds));
  };
  const std::uint32_t min = min_rounds(plan), max = max_rounds(plan);
  return max > min ? fmt::format("{} to {}", time_of(min), time_of(max)) : time_of(min);
}

std::string trials_text(const Plan& plan) {
  const std::uint32_t min = min_rounds(plan), max = max_rounds(plan);
  const TrialCount count = trial_count_of(plan);
  const std::size_t all = count.runs_a_round * max;
  std::string text = max > min
                         ? fmt::format("{} to {}", count.runs_a_round * min, counted(all, "trial"))
                         : counted(all, "trial");
  text += fmt::format(" in {} round{}", rounds_text(plan), max == 1 ? "" : "s");
  if (count.skipped > 0) text += fmt::format(" ({} SKIPPED)", count.skipped);
  return text;
}

}  // namespace benchbench
