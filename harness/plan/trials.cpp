#include "harness/plan/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/plan/points.h"
#include "harness/plan/price.h"
#include "harness/record/device/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

std::string needs_module(const std::string& module, const std::string& reason) {
  if (reason.starts_with("needs ")) return reason;
  const std::string_view name = module == "torch"        ? "libtorch"
                                : module == "torch_cuda" ? "torch with CUDA"
                                                         : std::string_view(module);
  return fmt::format("needs {}: {}", name, reason);
}

std::optional<std::string> missing_module(const Trial& trial, const PlanContext& context) {
  const auto find = [&](const std::string& module) -> std::optional<std::string> {
    const auto missing = context.missing_modules.find(module);
    if (missing == context.missing_modules.end()) return std::nullopt;
    return needs_module(missing->first, missing->second);
  };
  for (const NamedPart& part : kNamedParts) {
    const PartRow* row = find_part(part, trial.settings, context.catalog);
    if (!row || row->module.empty()) continue;
    if (auto missing = find(std::string(row->module))) return missing;
    if (row->description->on_device == OnDevice::cuda &&
        is_cuda(trial.settings.get(keys::trainer.device)))
      if (auto missing = find(std::string(row->module) + "_cuda")) return missing;
  }
  return std::nullopt;
}

// As the look at the user's code found it, before anything was measured.
std::optional<std::string> missing_package(const Trial& trial, const PlanContext& context) {
  for (const char* section : {"loader.", "trainer.", kRepeated})
    if (const auto missing = context.missing_packages.find(code_of(trial.settings, section));
        missing != context.missing_packages.end())
      return missing->second;
  return std::nullopt;
}

std::string standard_of(std::string_view key) {
  const auto keys = trainer_keys();
  const auto found =
      std::ranges::find(keys, key.substr(std::string_view("trainer.").size()), &Parameter::key);
  return found == keys.end() ? std::string() : std::string(found->standard);
}

constexpr std::string_view kNoKernels = "this build has none; configure's summary says why";

bool runs_on(const PartDescription& trainer, std::string_view device) {
  if (trainer.on_device == OnDevice::emulated) return device == "emulated";
  if (trainer.on_device == OnDevice::cuda) return is_cuda(device);
  return trainer.on_device == OnDevice::any;
}

std::string trainers_of(std::string_view device, const Catalog& catalog) {
  std::string names;
  for (const std::string& name : catalog.names(PartKind::trainer))
    if (runs_on(*catalog.find(PartKind::trainer, name)->description, device))
      names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::optional<std::string> missing_device(const Trial& trial, const PlanContext& context) {
  const std::string device = trial.settings.get(keys::trainer.device);
  if (!device.starts_with("cuda:")) return std::nullopt;
  const CudaThere& cuda = context.cuda;
  if (cuda.devices == 0)
    return fmt::format("needs {}: {}", device, cuda.why.empty() ? "no CUDA device" : cuda.why);
  if (std::stoul(device.substr(5)) < cuda.devices) return std::nullopt;
  return fmt::format("needs {}: there {}", device,
                     cuda.devices == 1 ? std::string("is cuda:0 alone")
                                       : fmt::format("are cuda:0 to cuda:{}", cuda.devices - 1));
}

bool gives(const Trial& trial, std::string_view key, std::string_view standard) {
  return trial.settings.given(key) && trial.settings.text(key) != standard;
}

// A limit of real CPUs.
std::optional<std::string> too_few_cores(const Trial& trial, const PlanContext& context) {
  if (!trial.settings.given(keys::run.cpus)) return std::nullopt;
  const std::int64_t cpus = trial.settings.get(keys::run.cpus);
  if (context.simulated) return "run.cpus limits real cores, and virtual time uses none";
  const double cores = context.environment.cores_available;
  if (static_cast<double>(cpus) <= cores) return std::nullopt;
  return fmt::format("needs {} for run.cpus, but {:g} {} usable here", counted(cpus, "core"), cores,
                     cores == 1 ? "is" : "are");
}

std::string needs_own_memory(const Trial& trial, std::string_view key) {
  return fmt::format(
      "needs a device with memory of its own for {}: {} (trainer.device: emulated or cuda:N), not "
      "{}",
      key, trial.settings.text(key), trial.settings.get(keys::trainer.device));
}

// What means nothing on this device.
std::optional<std::string> no_own_memory(const Trial& trial, const PlanContext&) {
  const std::string device = trial.settings.get(keys::trainer.device);
  if (has_own_memory(device)) return std::nullopt;
  for (const auto& [key, value] : trial.settings.all())
    if (key.starts_with("trainer.emulated.") && value.text() != "none")
      return fmt::format("needs trainer.device: emulated for {}: {}, not {}", key, value.text(),
                         device);
  for (const std::string_view key : upload_keys())
    if (gives(trial, key, standard_of(key))) return needs_own_memory(trial, key);
  return std::nullopt;
}

// Images that are to be decoded there.
std::optional<std::string> no_decoder(const Trial& trial, const PlanContext&) {
  const SettingsMap& s = trial.settings;
  if (!decodes_on_device(s)) return std::nullopt;
  if (!is_cuda(s.get(keys::trainer.device)))
    return fmt::format("needs trainer.device: cuda:N for loader.decode.backend: nvjpeg, not {}",
                       s.get(keys::trainer.device));
  if (s.get(keys::loader.work_unit) == "sample")
    return "needs loader.work_unit: batch for loader.decode.backend: nvjpeg, not sample";
  return std::nullopt;
}

// Batches that are to be made on the device.
std::optional<std::string> no_place_for_making(const Trial& trial, const PlanContext& context) {
  const SettingsMap& s = trial.settings;
  const std::string_view key = key_of_device_batches(s);
  if (key.empty()) return std::nullopt;
  const std::string name = s.get(keys::trainer.use);
  const PartRow* trainer = context.catalog.find(PartKind::trainer, name);
  const std::string wanted = fmt::format("{}: {}", key, s.text(std::string(key)));
  if (trainer && trainer->description->external)
    return fmt::format("needs a trainer in benchbench's own process for {}, not {}", wanted, name);
  if (!has_own_memory(s.get(keys::trainer.device))) return needs_own_memory(trial, key);
  if (name != "discard" || (s.has("trainer.at") && s.text("trainer.at") == "device"))
    return std::nullopt;
  return fmt::format("needs trainer.at: device for {} with trainer discard", wanted);
}

// A cached batch that is to be on the device.
std::optional<std::string> no_place_for_batch(const Trial& trial, const PlanContext&) {
  const SettingsMap& s = trial.settings;
  const bool wanted = s.given("loader.at") && s.text("loader.at") == "device";
  if (!wanted || (s.get_if(keys::trainer.copy) == "once")) return std::nullopt;
  return needs_own_memory(trial, "loader.at");
}

// Of the trainer's own parameters.
std::optional<std::string> means_nothing_there(const Trial& trial, const PlanContext& context) {
  const std::string device = trial.settings.get(keys::trainer.device);
  const PartRow* trainer =
      context.catalog.find(PartKind::trainer, trial.settings.get(keys::trainer.use));
  if (!trainer) return std::nullopt;
  for (const Parameter& p : trainer->description->parameters) {
    const std::string key = "trainer." + std::string(p.key);
    const ParameterOn elsewhere =
        has_own_memory(device) ? ParameterOn::cpu : ParameterOn::accelerator;
    if (p.on != elsewhere || !gives(trial, key, p.standard)) continue;
    if (elsewhere == ParameterOn::accelerator) return needs_own_memory(trial, key);
    return fmt::format("needs trainer.device: cpu for {}: {}, not {}, which copies batches itself",
                       key, trial.settings.text(key), device);
  }
  return std::nullopt;
}

// Returns the trainer whose steps are given to a device with memory of its own, else nullptr: one
// in a process of its own finds its CUDA device itself.
const PartDescription* steps_on_device(const Trial& trial, const PlanContext& context) {
  const PartRow* trainer =
      context.catalog.find(PartKind::trainer, trial.settings.get(keys::trainer.use));
  const std::string device = trial.settings.get(keys::trainer.device);
  if (!has_own_memory(device) || !trainer ||
      (trainer->description->external && device != "emulated"))
    return nullptr;
  return trainer->description;
}

std::optional<std::string> no_steps_there(const Trial& trial, const PlanContext& context) {
  const PartDescription* trainer = steps_on_device(trial, context);
  const std::string device = trial.settings.get(keys::trainer.device);
  if (!trainer || runs_on(*trainer, device)) return std::nullopt;
  return fmt::format("needs a trainer with steps for device {} ({}), not {}", device,
                     trainers_of(device, context.catalog), trainer->name);
}

std::optional<std::string> no_kernels(const Trial& trial, const PlanContext& context) {
  const PartDescription* trainer = steps_on_device(trial, context);
  const std::string device = trial.settings.get(keys::trainer.device);
  if (!trainer || device == "emulated" || context.cuda.kernels ||
      (!trainer->needs_kernels && key_of_device_batches(trial.settings).empty()))
    return std::nullopt;
  return fmt::format("needs CUDA kernels for trainer {} on {}: {}", trainer->name, device,
                     kNoKernels);
}

// One in a process of its own pins there, for the device that it finds.
std::optional<std::string> pins_elsewhere(const Trial& trial, const PlanContext& context) {
  const PartRow* loader =
      context.catalog.find(PartKind::loader, trial.settings.get(keys::loader.use));
  if (!loader || !trial.settings.get(keys::loader.pin_memory) || !loader->description->external)
    return std::nullopt;
  return fmt::format("pinned memory of loader {}, which has a process of its own, is not emulated",
                     loader->description->name);
}

// The user's own DataLoader pins by itself, with the CUDA device that its process finds; everything
// else by the device of the steps.
std::optional<std::string> missing_pinning(const Trial& trial, const PlanContext& context) {
  const std::string device = trial.settings.get(keys::trainer.device);
  if (device == "emulated") return pins_elsewhere(trial, context);
  if (!trial.settings.get(keys::loader.pin_memory) || device.starts_with("cuda"))
    return std::nullopt;
  if (context.simulated) return "pinned memory in virtual time needs trainer.device: emulated";
  if (context.cuda.devices == 0)
    return fmt::format("pinned memory needs CUDA: {}",
                       context.cuda.why.empty() ? "no device" : context.cuda.why);
  const PartRow* loader =
      context.catalog.find(PartKind::loader, trial.settings.get(keys::loader.use));
  if (loader && loader->description->external) return std::nullopt;
  return fmt::format("pinned memory needs a device with memory of its own: trainer.device is {}",
                     device);
}

// Of a loader that reads data only the emulated storage takes virtual time: without one its rate
// would mean nothing. In the substitution that takes the store away, the trainer's time is what is
// asked for.
std::optional<std::string> no_emulated_storage(const Trial& trial, const PlanContext& context) {
  const PartRow* loader =
      context.catalog.find(PartKind::loader, trial.settings.get(keys::loader.use));
  if (!loader || !loader->description->needs_dataset || trial.ablation ||
      keeps_rows_on_device(trial.settings) || emulated_figures(trial.settings))
    return std::nullopt;
  return fmt::format("loader {} takes virtual time only in emulated storage: set dataset.storage",
                     loader->description->name);
}

std::optional<std::string> no_virtual_time(const Trial& trial, const PlanContext& context) {
  if (!context.simulated) return std::nullopt;
  if (trial.settings.get(keys::trainer.device).starts_with("cuda"))
    return fmt::format("{} cannot run under the simulated clock: a CUDA device has no virtual time",
                       trial.settings.get(keys::trainer.device));
  for (const NamedPart& part : kNamedParts) {
    const PartRow* row = find_part(part, trial.settings, context.catalog);
    if (row && row->description->external)
      return fmt::format(
          "{} {} cannot run under the simulated clock (it has a process of its own, in real time)",
          name_of(part.kind), row->description->name);
    if (row && !row->description->simulated)
      return fmt::format("{} {} cannot run under the simulated clock", name_of(part.kind),
                         row->description->name);
  }
  return no_emulated_storage(trial, context);
}

// The scenario's own settings do not: an axis brought them together.
std::optional<std::string> contradiction(const Trial& trial, const PlanContext& context) {
  for (const NamedPart& part : kNamedParts)
    if (const auto found = find_contradiction(part, trial.settings, context.catalog))
      return found->what();
  return std::nullopt;
}

// Synthesised data say how many samples there are; of a user's own we know only once they are
// opened.
std::optional<std::string> no_whole_batch(const Trial& trial, const PlanContext& context) {
  const SettingsMap& s = trial.settings;
  // An external loader makes of it what it likes.
  if (external_loader(s, context.catalog) || external_loader(s, context.catalog, kRepeated))
    return std::nullopt;
  if (!s.has("dataset.synthesize.samples") || !s.get(keys::loader.drop_last)) return std::nullopt;
  const auto samples =
      count_kept(s, static_cast<std::uint64_t>(s.integer("dataset.synthesize.samples")));
  const auto batch = static_cast<std::uint64_t>(s.get(keys::loader.batch_size));
  if (batch <= samples) return std::nullopt;
  return fmt::format("loader.batch_size is {}, but {} and drop_last drops incomplete batches",
                     batch, samples_there(s, samples));
}

// 0: not known.
std::uint64_t device_memory(const SettingsMap& s, const PlanContext& context) {
  const std::string device = s.get(keys::trainer.device);
  if (device == "emulated") return emulated_device_of(s).memory;
  const std::size_t ordinal =
      is_cuda(device) ? std::stoul(device.substr(5)) : context.cuda.memory.size();
  return ordinal < context.cuda.memory.size() ? context.cuda.memory[ordinal] : 0;
}

bool normalized_there(const SettingsMap& s) {
  const auto says = [&](std::string_view key, std::string_view value) {
    return s.has(key) && s.text(key) == value;
  };
  return says("loader.normalize_on_device", "true") ||
         (says("loader.transform.normalize_on", "device") &&
          says("loader.transform.normalize", "imagenet"));
}

constexpr std::uint64_t kLabelBytes = 8;  // of a sample

// A point that does not fit FAILED when it runs; four times the batch is the plan's own idea and is
// left out.
std::optional<std::string> too_large_for_device(const Trial& trial, const PlanContext& context) {
  if (!trial.settings.has(keys::trainer.in_flight)) return std::nullopt;
  const SettingsMap& s = trial.settings;
  const std::uint64_t batch = batch_bytes_guess(s),
                      labels =
                          kLabelBytes * static_cast<std::uint64_t>(s.get(keys::loader.batch_size));
  const std::uint64_t normalized =
      normalized_there(s) ? sizeof(float) * (batch - std::min(batch, labels)) : 0;
  const std::uint64_t needed = static_cast<std::uint64_t>(s.get(keys::trainer.in_flight)) * batch +
                               normalized,
                      memory = device_memory(s, context);
  if (memory == 0 || needed <= memory) return std::nullopt;
  return fmt::format("needs {} of the device's memory, but it has {}",
                     human_bytes(static_cast<double>(needed)),
                     human_bytes(static_cast<double>(memory)));
}

std::optional<std::string> too_large_an_extra(const Trial& trial, const PlanContext& context) {
  if (trial.ablation)
    if (auto reason = too_large_for_device(trial, context)) return reason;
  const std::uint64_t memory = context.environment.memory_bytes;
  if (!trial.ablation || memory == 0 || memory_of(trial, context) <= memory) return std::nullopt;
  return fmt::format("needs {} of memory, but {} are usable",
                     human_bytes(static_cast<double>(memory_of(trial, context))),
                     human_bytes(static_cast<double>(memory)));
}

void share(Point& point, Mode mode, Trial trial, std::map<std::string, std::uint32_t>& by_digest,
           std::vector<Trial>& trials) {
  const auto [found, is_new] =
      by_digest.try_emplace(trial.digest, static_cast<std::uint32_t>(trials.size()));
  if (is_new) {
    trial.index = found->second;
    trials.push_back(std::move(trial));
  }
  trials[found->second].points.push_back(point.index);
  point.trials.emplace_back(mode, found->second);
}

// Shared by all its trials: the first one's reason is the point's.
void mark_point(Point& point, const std::vector<Trial>& trials) {
  const auto skipped = [&](const auto& t) { return trials[t.second].skip.has_value(); };
  if (point.trials.empty() || !std::ranges::all_of(point.trials, skipped)) return;
  point.skip = trials[point.trials.front().second].skip;
}

}  // namespace

std::vector<Mode> modes_of(const SettingsMap& settings) {
  const std::string named = "," + settings.get(keys::measure.modes) + ",";
  std::vector<Mode> modes;
  for (const Mode m : {Mode::loader, Mode::trainer, Mode::pipeline})
    if (named.find(fmt::format(",{},", name_of(m))) != std::string::npos) modes.push_back(m);
  return modes;
}

std::string digest_of_trial(Mode mode, const SettingsMap& settings, std::uint32_t repeat) {
  const std::string number = repeat == 0 ? "" : fmt::format("repeat={}\n", repeat);
  return digest_of(fmt::format("mode={}\n{}{}", name_of(mode), canonical_text(settings), number))
      .text();
}

std::vector<Trial> make_trials(std::vector<Point>& points, const Catalog& catalog,
                               std::uint32_t without_trainer) {
  const SettingsMap& base = points.front().settings;
  std::vector<Trial> trials;
  std::map<std::string, std::uint32_t> by_digest, alike;
  for (Point& point : points) {
    const std::uint32_t repeat = alike[canonical_text(point.settings)]++;
    for (const Mode mode : modes_of(point.settings)) {
      if (mode == Mode::trainer && point.index == without_trainer) continue;
      Trial trial;
      trial.mode = mode;
      trial.settings = substitute(mode, point.settings, base, catalog);
      trial.digest = digest_of_trial(mode, trial.settings, repeat);
      share(point, mode, std::move(trial), by_digest, trials);
    }
  }
  return trials;
}

std::optional<std::string> reason_to_skip(const Trial& trial, const PlanContext& context) {
  for (const auto check :
       {contradiction, too_few_cores, missing_module, missing_package, no_steps_there,
        missing_device, no_kernels, no_decoder, no_place_for_making, no_own_memory,
        no_place_for_batch, means_nothing_there, missing_pinning, no_virtual_time, no_whole_batch,
        too_large_an_extra})
    if (auto reason = check(trial, context)) return reason;
  return std::nullopt;
}

// By the words of the reason, which is all that a stored run keeps of it.
bool is_lack_of_machine(std::string_view reason) noexcept {
  return reason.starts_with("needs ") || reason.starts_with("pinned memory");
}

void mark_skips(std::vector<Point>& points, std::vector<Trial>& trials,
                const PlanContext& context) {
  std::set<std::string> reasons;
  for (Trial& trial : trials) {
    trial.skip = reason_to_skip(trial, context);
    if (trial.skip) reasons.insert(*trial.skip);
  }
  for (Point& point : points) mark_point(point, trials);
  const bool nothing_left =
      std::ranges::all_of(trials, [](const Trial& t) { return t.skip.has_value(); });
  if (context.simulated && nothing_left)
    throw ScenarioError(
        fmt::format("no trial can run under the simulated clock: {}",
                    listed(std::vector<std::string>(reasons.begin(), reasons.end()), 6)),
        "use parts that can run in virtual time (`benchbench describe PART` says so), or drop "
        "--clock simulated");
}

}  // namespace benchbench
