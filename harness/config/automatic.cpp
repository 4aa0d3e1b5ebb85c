#include "harness/config/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "harness/config/value_check.h"
#include "harness/core/contains.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_way.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial.h"

namespace benchbench::config {
namespace {

// The scenario's axes, of whose values the names of parts are left; of a grid, values that change
// no part are one.
Scenario axes_of_parts(const Scenario& scenario) {
  Scenario parts;
  parts.mode = scenario.mode;
  for (const Axis& axis : scenario.axes) {
    std::vector<AxisValue>& values = parts.axes.emplace_back().values;
    for (AxisValue value : axis.values) {
      std::erase_if(value.set, [](const auto& pair) { return !pair.first.ends_with(".use"); });
      if (parts.mode != SweepMode::grid || !contains(values, value.set, &AxisValue::set))
        values.push_back(std::move(value));
    }
  }
  return parts;
}

// Settings of each point, the base first, as far as they say which parts run.
std::vector<SettingsMap> parts_of_points(const Scenario& scenario) {
  const Scenario parts = axes_of_parts(scenario);
  std::vector<SettingsMap> all{scenario.base};
  for (const SweepChoice& choice : list_choices(parts)) {
    SettingsMap there = scenario.base;
    for (const auto& [axis, v] : choice)
      for (const auto& [key, held] : parts.axes[axis].values[v].set) there.set(key, held);
    if (!contains(all, there)) all.push_back(std::move(there));
  }
  return all;
}

// What `auto` comes to: one number for the whole sweep, so that the point with the most workers
// keeps its cores; in the user's own process it is theirs.
class Threads {
 public:
  Threads(Scenario& scenario, std::uint32_t cores, const Catalog& catalog)
      : s_(scenario),
        catalog_(catalog),
        cores_(cores),
        workers_(largest_workers(scenario)),
        number_(std::max<std::int64_t>(1, static_cast<std::int64_t>(cores) - workers_)) {}

  void settle(const std::vector<SettingsMap>& points) {
    const auto theirs = [&](const SettingsMap& there) {
      return steps_in_users_process(there, catalog_);
    };
    const bool any_theirs = std::ranges::any_of(points, theirs);
    const Value* base = s_.base.find(kThreads);
    s_.threads_follow = base && is_auto(*base);
    s_.auto_threads = number_;
    const bool swept = name_auto(any_theirs);
    if (s_.threads_follow)
      s_.base.set(kThreads, {ParameterType::integer,
                             theirs(s_.base) ? kUsersOwnThreads : auto_threads_at(s_, s_.base)});
    if (s_.threads_follow || swept) tell(any_theirs, !std::ranges::all_of(points, theirs));
  }

 private:
  // Whether an axis has it; a number in its place where it is the same at all points.
  bool name_auto(bool any_theirs) {
    bool swept = false;
    for (Axis& axis : s_.axes)
      for (AxisValue& value : axis.values)
        if (const Value* held = value.find(kThreads); held && is_auto(*held)) {
          swept = true;
          if (value.label == "auto" && !any_theirs) value.label = std::to_string(number_);
        }
    return swept;
  }
  void tell(bool any_theirs, bool any_ours) {
    if (any_theirs)
      note(s_.decisions,
           "{}: auto is the script's own number{}: what your code sets, else torch's default",
           kThreads, any_ours ? " where the step runs in its process" : "");
    if (any_ours)
      note(s_.decisions,
           "{}: auto is {}: {} core{} minus the sweep's largest num_workers, {}, at least 1",
           kThreads, number_, cores_, cores_ == 1 ? "" : "s", workers_);
    if (any_ours && limits_cpus())
      note(s_.decisions, "{}: auto counts run.cpus where that is fewer cores", kThreads);
  }

  bool limits_cpus() const { return s_.base.given(kCpus) || contains(s_.axes, kCpus, &Axis::key); }

  static constexpr std::string_view kThreads = keys::trainer.intra_op_threads,
                                    kCpus = keys::run.cpus;
  Scenario& s_;
  const Catalog& catalog_;
  const std::int64_t cores_, workers_, number_;
};

void settle_max_jobs(Scenario& scenario, bool own_workers) {
  if (scenario.base.has(keys::loader.max_jobs)) return;
  scenario.max_jobs_follows = true;
  scenario.base.set(keys::loader.max_jobs, max_jobs_of(scenario.base));
  if (!own_workers) return;
  scenario.decisions.push_back(
      "loader.max_jobs: auto is max(1, num_workers) x prefetch_factor at each point");
}

constexpr std::string_view kModes = keys::measure.modes;

bool asks_for_more_than_loader(const SettingsMap& base) {
  return base.has(keys::measure.au_at_least) || base.get_if(keys::measure.substitute) == true ||
         base.get_if(keys::measure.interference) == true;
}

void settle_modes(Scenario& scenario, const std::vector<SettingsMap>& points,
                  const Catalog& catalog) {
  const auto drops = [&](const SettingsMap& settings) {
    return external_way(settings, catalog) == ExternalWay::self_timed;
  };
  scenario.modes_follow = true;
  if (drops(scenario.base))
    scenario.base.set(kModes, {ParameterType::text, std::string(name_of(Mode::loader))});
  if (std::ranges::any_of(points, drops))
    note(scenario.decisions,
         "{} is loader where the trainer is discard: it takes no time, so a step alone "
         "has no rate, and the pipeline's is the loader's",
         kModes);
}

// The last word that a layer gives one of `keys`; null where none does.
const YamlNode* last_given(const std::vector<const Layer*>& layers,
                           std::initializer_list<std::string_view> keys) {
  const YamlNode* last = nullptr;
  for (const Layer* layer : layers)
    for (const Entry& e : layer->entries)
      if (e.value->scalar() && contains(keys, e.key)) last = e.value;
  return last;
}

// What the trainers are, the base's and those that axes name, and one of their parameters wherever
// it is given.
class WrittenTrainers {
 public:
  explicit WrittenTrainers(const std::vector<const Layer*>& layers)
      : layers_(layers), axes_(collect_axes(layers, untold_)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const YamlNode* value : values("use")) names.push_back(value->text);
    return names;
  }
  // Another value than its default, at any point.
  bool give(const Parameter& p) const {
    const auto text_of = [&](std::string_view text) {
      const auto value = Value::parse(p.type, text);
      return value ? value->text() : std::string(text);
    };
    return std::ranges::any_of(values(p.key), [&](const YamlNode* value) {
      return text_of(value->text) != text_of(p.standard);
    });
  }

 private:
  // As the base has it last, and as axes have it: of the key, or of whole parts.
  std::vector<const YamlNode*> values(std::string_view key) const {
    const std::string full = "trainer." + std::string(key);
    std::vector<const YamlNode*> all;
    if (const YamlNode* base = last_given(layers_, {full})) all.push_back(base);
    for (const WrittenAxis& axis : axes_)
      for (const YamlNode& item : axis.entry->value->items) {
        const YamlMember* of_part = axis.entry->key == "trainer" ? item.find(key) : nullptr;
        const YamlNode* value = axis.entry->key == full ? &item
                                : of_part               ? &of_part->value
                                                        : nullptr;
        if (value && value->scalar()) all.push_back(value);
      }
    return all;
  }

  const std::vector<const Layer*>& layers_;
  std::vector<std::string> untold_;
  const std::vector<WrittenAxis> axes_;
};

// Why this one does not run on CUDA devices; "" where it does.
std::string why_not(const PartDescription& trainer, const WrittenTrainers& written) {
  for (const Parameter& p : trainer.parameters)
    if (p.on == ParameterOn::cpu && written.give(p))
      return fmt::format("trainer.{} is of steps on the CPU", p.key);
  if (trainer.on_device == OnDevice::any || trainer.on_device == OnDevice::cuda || trainer.external)
    return "";
  return fmt::format("trainer {} has no steps for CUDA devices", trainer.name);
}

// The last one that the loader or the trainer names; "" where neither does.
std::string named_interpreter(const std::vector<const Layer*>& layers) {
  const YamlNode* python = last_given(layers, {"loader.python", "trainer.python"});
  return python && python->text != "none" ? python->text : "";
}

// Why steps in the user's own interpreter do not run on CUDA devices; "" where they do.
std::string why_not_there(const CudaUse& use, const ScenarioRequest& request) {
  if (use.external.empty()) return "";
  if (!request.ask_torch) return fmt::format("the torch of trainer {} was not asked", use.external);
  return request.ask_torch(use.external, use.python).reason;
}

// Why the trainers of `use` do not run on this machine's CUDA devices; "" where they do.
std::string why_not_here(const CudaUse& use, const ScenarioRequest& request) {
  const CudaKnown known = request.cuda();
  if (!known.available) return known.reason.empty() ? "no CUDA device" : known.reason;
  if (use.kernels && !known.kernels) return "this build has no CUDA kernels";
  if (use.torch)
    if (std::string missing = request.torch_cuda(); !missing.empty()) return missing;
  return why_not_there(use, request);
}

}  // namespace

CudaUse cuda_use(const std::vector<const Layer*>& layers_on_cuda, const Catalog& catalog) {
  const WrittenTrainers written(layers_on_cuda);
  CudaUse use;
  for (const std::string& name : written.names()) {
    const PartRow* row = catalog.find(PartKind::trainer, name);
    if (!row) continue;  // reported elsewhere
    const bool external = row->description->external;
    if (external) use.external = name, use.python = named_interpreter(layers_on_cuda);
    use.torch = use.torch || row->description->on_device == OnDevice::cuda;
    use.kernels = use.kernels || row->description->needs_kernels;
    if (use.why_not.empty()) use.why_not = why_not(*row->description, written);
  }
  return use;
}

std::string base_device(const std::vector<const Layer*>& layers, const ScenarioRequest& request,
                        const CudaUse& use, std::vector<std::string>& decisions) {
  const YamlNode* given = last_given(layers, {keys::trainer.device});
  const std::string device = given ? given->text : "auto";
  if (device == "cuda") return "cuda:0";
  if (device != "auto") return device;
  const std::string reason = use.why_not.empty() ? why_not_here(use, request) : use.why_not;
  const bool cuda = reason.empty();
  decisions.push_back(cuda ? std::string("trainer.device: auto is cuda:0")
                           : fmt::format("trainer.device: auto is cpu: {}", reason));
  return cuda ? "cuda:0" : "cpu";
}

void settle_automatic(Scenario& scenario, const ScenarioRequest& request, const Given& given,
                      const Catalog& catalog) {
  const std::vector<SettingsMap> points = parts_of_points(scenario);
  Threads(scenario, std::max(1u, request.cores), catalog).settle(points);
  settle_max_jobs(scenario, !external_loader(scenario.base, catalog));
  if (!given.contains(kModes) && !asks_for_more_than_loader(scenario.base))
    settle_modes(scenario, points, catalog);
  scenario.window_follows = !given.contains(keys::measure.window) &&
                            scenario.base.get(keys::measure.window_class) == "normal";
}

}  // namespace benchbench::config
