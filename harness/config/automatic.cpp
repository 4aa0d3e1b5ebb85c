#include "harness/config/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>

#include "harness/config/value_check.h"
#include "harness/record/auto_threads.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_way.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"
#include "harness/record/trial.h"

namespace benchbench::config {
namespace {

// Settings of each point, the base first, as far as they say which parts run.
class PartsOfPoints {
 public:
  explicit PartsOfPoints(const Scenario& scenario) : s_(scenario), all_{scenario.base} {
    if (s_.mode == SweepMode::grid)
      grid(0, s_.base);
    else if (s_.mode == SweepMode::zip)
      zip();
    else
      star();
  }
  bool any(const std::function<bool(const SettingsMap&)>& is) const {
    return std::ranges::any_of(all_, is);
  }

 private:
  void star() {
    for (const Axis& axis : s_.axes)
      for (const AxisValue& value : axis.values) add(with(value, s_.base));
  }
  void zip() {
    for (std::size_t v = 0; !s_.axes.empty() && v < s_.axes[0].values.size(); ++v) {
      SettingsMap there = s_.base;
      for (const Axis& axis : s_.axes)
        if (v < axis.values.size()) there = with(axis.values[v], std::move(there));
      add(std::move(there));
    }
  }
  // Axes that change no part are one value here.
  void grid(std::size_t from, const SettingsMap& so_far) {
    if (from == s_.axes.size()) return add(so_far);
    std::vector<SettingsMap> values;
    for (const AxisValue& value : s_.axes[from].values)
      if (SettingsMap there = with(value, so_far); std::ranges::find(values, there) == values.end())
        values.push_back(std::move(there));
    for (const SettingsMap& there : values) grid(from + 1, there);
  }
  void add(SettingsMap there) {
    if (std::ranges::find(all_, there) == all_.end()) all_.push_back(std::move(there));
  }
  static SettingsMap with(const AxisValue& value, SettingsMap settings) {
    for (const auto& [key, held] : value.set)
      if (key.ends_with(".use")) settings.set(key, held);
    return settings;
  }

  const Scenario& s_;
  std::vector<SettingsMap> all_;
};

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

  void settle(const PartsOfPoints& points) {
    const auto theirs = [&](const SettingsMap& there) {
      return steps_in_users_process(there, catalog_);
    };
    const bool any_theirs = points.any(theirs);
    const Value* base = s_.base.find(kThreads);
    s_.threads_follow = base && is_auto(*base);
    s_.auto_threads = number_;
    const bool swept = name_auto(any_theirs);
    if (s_.threads_follow)
      s_.base.set(kThreads, {ParameterType::integer,
                             theirs(s_.base) ? kUsersOwnThreads : auto_threads_at(s_, s_.base)});
    if (s_.threads_follow || swept)
      tell(any_theirs, points.any([&](const SettingsMap& there) { return !theirs(there); }));
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
      s_.decisions.push_back(fmt::format(
          "{}: auto is the script's own number{}: what your code sets, else torch's default",
          kThreads, any_ours ? " where the step runs in its process" : ""));
    if (any_ours)
      s_.decisions.push_back(fmt::format(
          "{}: auto is {}: {} core{} minus the sweep's largest num_workers, {}, at least 1",
          kThreads, number_, cores_, cores_ == 1 ? "" : "s", workers_));
    if (any_ours && limits_cpus())
      s_.decisions.push_back(
          fmt::format("{}: auto counts run.cpus where that is fewer cores", kThreads));
  }

  bool limits_cpus() const {
    return s_.base.given(kCpus) ||
           std::ranges::any_of(s_.axes, [](const Axis& axis) { return axis.key == kCpus; });
  }

  static constexpr std::string_view kThreads = keys::trainer.intra_op_threads,
                                    kCpus = keys::run.cpus;
  Scenario& s_;
  const Catalog& catalog_;
  const std::int64_t cores_, workers_, number_;
};

void settle_max_jobs(Scenario& scenario, bool own_workers) {
  if (scenario.base.has(keys::loader.max_jobs)) return;
  scenario.max_jobs_follows = true;
  const std::int64_t workers =
      std::max<std::int64_t>(1, scenario.base.get(keys::loader.num_workers));
  const std::int64_t jobs = workers * scenario.base.get(keys::loader.prefetch_factor);
  scenario.base.set(keys::loader.max_jobs, jobs);
  if (!own_workers) return;
  scenario.decisions.push_back(
      "loader.max_jobs: auto is max(1, num_workers) x prefetch_factor at each point");
}

constexpr std::string_view kModes = keys::measure.modes;

bool asks_for_more_than_loader(const SettingsMap& base) {
  const auto yes = [&](const SettingKey<bool>& key) { return base.get_if(key).value_or(false); };
  return base.has(keys::measure.au_at_least) || yes(keys::measure.substitute) ||
         yes(keys::measure.interference);
}

void settle_modes(Scenario& scenario, const PartsOfPoints& points, const Catalog& catalog) {
  const auto drops = [&](const SettingsMap& settings) {
    return external_way(settings, catalog) == ExternalWay::self_timed;
  };
  scenario.modes_follow = true;
  if (drops(scenario.base))
    scenario.base.set(kModes, {ParameterType::text, std::string(name_of(Mode::loader))});
  if (points.any(drops))
    scenario.decisions.push_back(
        fmt::format("{} is loader where the trainer is discard: it takes no time, so a step alone "
                    "has no rate, and the pipeline's is the loader's",
                    kModes));
}

// The last word that a layer gives one of `keys`; null where none does.
const YamlNode* last_given(const std::vector<const Layer*>& layers,
                           std::initializer_list<std::string_view> keys) {
  const YamlNode* last = nullptr;
  for (const Layer* layer : layers)
    for (const Entry& e : layer->entries)
      if (e.value->scalar() && std::ranges::find(keys, e.key) != keys.end()) last = e.value;
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
  const PartsOfPoints points(scenario);
  Threads(scenario, std::max(1u, request.cores), catalog).settle(points);
  settle_max_jobs(scenario, !external_loader(scenario.base, catalog));
  if (!given.contains(kModes) && !asks_for_more_than_loader(scenario.base))
    settle_modes(scenario, points, catalog);
  scenario.window_follows = !given.contains(keys::measure.window) &&
                            scenario.base.get(keys::measure.window_class) == "normal";
}

}  // namespace benchbench::config
