#include "harness/plan/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/contains.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/spelling.h"
#include "harness/plan/points.h"
#include "harness/plan/price.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench {
namespace {

using Skip = std::optional<std::string>;  // why a trial cannot run; nullopt where it can

constexpr std::string_view kNoKernels = "this build has none; configure's summary says why";
constexpr std::uint64_t kLabelBytes = 8;  // of a sample

std::string needs_module(const std::string& module, const std::string& reason) {
  if (reason.starts_with("needs ")) return reason;
  const std::string_view name = module == "torch"        ? "libtorch"
                                : module == "torch_cuda" ? "torch with CUDA"
                                                         : std::string_view(module);
  return fmt::format("needs {}: {}", name, reason);
}

std::string_view standard_of(std::string_view key) {
  constexpr std::string_view kSection = "trainer.";
  const Parameter* found = find_parameter(trainer_keys(), key.substr(kSection.size()));
  return found ? found->standard : std::string_view();
}

bool runs_on(const PartDescription& trainer, std::string_view device) {
  if (trainer.on_device == OnDevice::emulated) return device == "emulated";
  if (trainer.on_device == OnDevice::cuda) return is_cuda(device);
  return trainer.on_device == OnDevice::any;
}

std::string trainers_of(std::string_view device, const Catalog& catalog) {
  std::vector<std::string> names = catalog.names(PartKind::trainer);
  std::erase_if(names, [&](const std::string& name) {
    return !runs_on(*catalog.find(PartKind::trainer, name)->description, device);
  });
  return fmt::format("{}", fmt::join(names, ", "));
}

bool normalized_there(const SettingsMap& s) {
  return s.text_or("loader.normalize_on_device") == "true" ||
         (s.text_or("loader.transform.normalize_on") == "device" &&
          s.text_or("loader.transform.normalize") == "imagenet");
}

const PartDescription* described(const PartRow* row) { return row ? row->description : nullptr; }

// Looks for what keeps one trial from running here, rule by rule.
class SkipRules {
 public:
  SkipRules(const Trial& trial, const PlanContext& context)
      : trial_(trial),
        context_(context),
        s_(trial.settings),
        device_(s_.text_or(keys::trainer.device)),
        loader_(described(find_loader(s_, context.catalog))),
        trainer_(described(find_trainer(s_, context.catalog))) {}

  // Returns the words of the first rule that has any.
  Skip first_reason() const {
    using Rules = SkipRules;
    for (const auto rule :
         {&Rules::contradiction, &Rules::too_few_cores, &Rules::missing_module,
          &Rules::missing_package, &Rules::no_steps_there, &Rules::missing_device,
          &Rules::no_kernels, &Rules::no_decoder, &Rules::no_place_for_making,
          &Rules::no_own_memory, &Rules::no_place_for_batch, &Rules::means_nothing_there,
          &Rules::missing_pinning, &Rules::no_virtual_time, &Rules::no_whole_batch,
          &Rules::too_large_an_extra})
      if (Skip reason = (this->*rule)()) return reason;
    return std::nullopt;
  }

 private:
  // The scenario's own settings do not: an axis brought them together.
  Skip contradiction() const {
    for (const NamedPart& part : kNamedParts)
      if (const auto found = find_contradiction(part, s_, context_.catalog)) return found->what();
    return std::nullopt;
  }

  // A limit of real CPUs.
  Skip too_few_cores() const {
    if (!s_.given(keys::run.cpus)) return std::nullopt;
    const std::uint32_t cpus = s_.get(keys::run.cpus);
    if (context_.simulated) return "run.cpus limits real cores, and virtual time uses none";
    const double cores = context_.environment.cores_available;
    if (cpus <= cores) return std::nullopt;
    return fmt::format("needs {} for run.cpus, but {:g} {} usable here", counted(cpus, "core"),
                       cores, cores == 1 ? "is" : "are");
  }

  Skip missing_module() const {
    for (const NamedPart& part : kNamedParts) {
      const PartRow* row = find_part(part, s_, context_.catalog);
      if (!row || row->module.empty()) continue;
      if (auto missing = lacks(std::string(row->module))) return missing;
      if (row->description->on_device == OnDevice::cuda && is_cuda(device_))
        if (auto missing = lacks(std::string(row->module) + "_cuda")) return missing;
    }
    return std::nullopt;
  }
  Skip lacks(const std::string& module) const {
    const std::string* why = find_value(context_.missing_modules, module);
    return why ? Skip(needs_module(module, *why)) : std::nullopt;
  }

  // The look at the user's code found it, before anything was measured.
  Skip missing_package() const {
    for (const char* section : {"loader.", "trainer.", kRepeated})
      if (const std::string* why = find_value(context_.missing_packages, code_of(s_, section)))
        return *why;
    return std::nullopt;
  }

  // Returns the trainer whose steps are given to a device with memory of its own, else nullptr: one
  // in a process of its own finds its CUDA device itself.
  const PartDescription* steps_on_device() const {
    if (!has_own_memory(device_) || !trainer_ || (trainer_->external && device_ != "emulated"))
      return nullptr;
    return trainer_;
  }

  Skip no_steps_there() const {
    const PartDescription* trainer = steps_on_device();
    if (!trainer || runs_on(*trainer, device_)) return std::nullopt;
    return fmt::format("needs a trainer with steps for device {} ({}), not {}", device_,
                       trainers_of(device_, context_.catalog), trainer->name);
  }

  Skip missing_device() const {
    if (!is_cuda(device_)) return std::nullopt;
    const CudaThere& cuda = context_.cuda;
    if (cuda.devices == 0)
      return fmt::format("needs {}: {}", device_, cuda.why.empty() ? "no CUDA device" : cuda.why);
    if (std::stoul(device_.substr(5)) < cuda.devices) return std::nullopt;
    return fmt::format("needs {}: there {}", device_,
                       cuda.devices == 1 ? std::string("is cuda:0 alone")
                                         : fmt::format("are cuda:0 to cuda:{}", cuda.devices - 1));
  }

  Skip no_kernels() const {
    const PartDescription* trainer = steps_on_device();
    if (!trainer || device_ == "emulated" || context_.cuda.kernels ||
        (!trainer->needs_kernels && key_of_device_batches(s_).empty()))
      return std::nullopt;
    return fmt::format("needs CUDA kernels for trainer {} on {}: {}", trainer->name, device_,
                       kNoKernels);
  }

  // Images that are to be decoded there.
  Skip no_decoder() const {
    if (!decodes_on_device(s_)) return std::nullopt;
    if (!is_cuda(device_))
      return fmt::format("needs trainer.device: cuda:N for loader.decode.backend: nvjpeg, not {}",
                         device_);
    if (s_.get(keys::loader.work_unit) == "sample")
      return "needs loader.work_unit: batch for loader.decode.backend: nvjpeg, not sample";
    return std::nullopt;
  }

  std::string needs_own_memory(std::string_view key) const {
    return fmt::format(
        "needs a device with memory of its own for {}: {} (trainer.device: emulated or cuda:N), "
        "not "
        "{}",
        key, s_.text(key), device_);
  }

  // Batches that are to be made on the device.
  Skip no_place_for_making() const {
    const std::string_view key = key_of_device_batches(s_);
    if (key.empty()) return std::nullopt;
    const std::string name = s_.get(keys::trainer.use);
    const std::string wanted = fmt::format("{}: {}", key, s_.text(key));
    if (trainer_ && trainer_->external)
      return fmt::format("needs a trainer in benchbench's own process for {}, not {}", wanted,
                         name);
    if (!has_own_memory(device_)) return needs_own_memory(key);
    if (name != "discard" || s_.text_or("trainer.at") == "device") return std::nullopt;
    return fmt::format("needs trainer.at: device for {} with trainer discard", wanted);
  }

  bool gives(std::string_view key, std::string_view standard) const {
    return s_.given(key) && s_.text(key) != standard;
  }

  // Settings that mean nothing on this device.
  Skip no_own_memory() const {
    if (has_own_memory(device_)) return std::nullopt;
    for (const auto& [key, value] : s_.below("trainer.emulated."))
      if (value.text() != "none")
        return fmt::format("needs trainer.device: emulated for {}: {}, not {}", key, value.text(),
                           device_);
    for (const std::string_view key : upload_keys())
      if (gives(key, standard_of(key))) return needs_own_memory(key);
    return std::nullopt;
  }

  // A cached batch that is to be on the device.
  Skip no_place_for_batch() const {
    if (s_.text_or("loader.at") != "device" || s_.get_if(keys::trainer.copy) == "once")
      return std::nullopt;
    return needs_own_memory("loader.at");
  }

  // The trainer's own parameters that mean nothing there.
  Skip means_nothing_there() const {
    if (!trainer_) return std::nullopt;
    const ParameterOn elsewhere =
        has_own_memory(device_) ? ParameterOn::cpu : ParameterOn::accelerator;
    for (const Parameter& p : trainer_->parameters) {
      const std::string key = "trainer." + std::string(p.key);
      if (p.on != elsewhere || !gives(key, p.standard)) continue;
      if (elsewhere == ParameterOn::accelerator) return needs_own_memory(key);
      return fmt::format(
          "needs trainer.device: cpu for {}: {}, not {}, which copies batches itself", key,
          s_.text(key), device_);
    }
    return std::nullopt;
  }

  // The user's own DataLoader pins by itself, with the CUDA device that its process finds;
  // everything else by the device of the steps.
  Skip missing_pinning() const {
    const bool pins_there = loader_ && loader_->external;
    if (!s_.get(keys::loader.pin_memory)) return std::nullopt;
    if (device_ == "emulated" && pins_there)
      return fmt::format(
          "pinned memory of loader {}, which has a process of its own, is not emulated",
          loader_->name);
    if (has_own_memory(device_)) return std::nullopt;
    if (context_.simulated) return "pinned memory in virtual time needs trainer.device: emulated";
    if (context_.cuda.devices == 0)
      return fmt::format("pinned memory needs CUDA: {}",
                         context_.cuda.why.empty() ? "no device" : context_.cuda.why);
    if (pins_there) return std::nullopt;
    return fmt::format("pinned memory needs a device with memory of its own: trainer.device is {}",
                       device_);
  }

  // A loader that reads data takes virtual time in its emulated storage alone: without one its rate
  // would mean nothing. In the substitution that takes the store away, the trainer's time is what
  // is asked for.
  Skip no_emulated_storage() const {
    if (!loader_ || !loader_->needs_dataset || trial_.ablation || keeps_rows_on_device(s_) ||
        emulated_figures(s_))
      return std::nullopt;
    return fmt::format("loader {} takes virtual time only in emulated storage: set dataset.storage",
                       loader_->name);
  }

  Skip no_virtual_time() const {
    if (!context_.simulated) return std::nullopt;
    if (device_.starts_with("cuda"))
      return fmt::format(
          "{} cannot run under the simulated clock: a CUDA device has no virtual time", device_);
    for (const NamedPart& part : kNamedParts) {
      const PartDescription* its = described(find_part(part, s_, context_.catalog));
      if (its && (its->external || !its->simulated))
        return fmt::format("{} {} cannot run under the simulated clock{}", name_of(part.kind),
                           its->name,
                           its->external ? " (it has a process of its own, in real time)" : "");
    }
    return no_emulated_storage();
  }

  // Synthesised data say how many samples there are; of a user's own we know only once they are
  // opened.
  Skip no_whole_batch() const {
    // An external loader makes of it what it likes.
    if (external_loader(s_, context_.catalog) || external_loader(s_, context_.catalog, kRepeated))
      return std::nullopt;
    return why_no_whole_batch(s_);
  }

  // Returns 0 where it is not known.
  std::uint64_t device_memory() const {
    if (device_ == "emulated") return emulated_device_of(s_).memory;
    const auto& memory = context_.cuda.memory;
    const std::size_t ordinal = is_cuda(device_) ? std::stoul(device_.substr(5)) : memory.size();
    return ordinal < memory.size() ? memory[ordinal] : 0;
  }

  // A point that does not fit FAILED when it runs; four times the batch is the plan's own idea and
  // is left out.
  Skip too_large_for_device() const {
    if (!s_.has(keys::trainer.in_flight)) return std::nullopt;
    const std::uint64_t batch = batch_bytes_guess(s_),
                        labels = kLabelBytes * s_.get(keys::loader.batch_size);
    const std::uint64_t normalized =
        normalized_there(s_) ? sizeof(float) * (batch - std::min(batch, labels)) : 0;
    const std::uint64_t needed = s_.get(keys::trainer.in_flight) * batch + normalized,
                        memory = device_memory();
    if (memory == 0 || needed <= memory) return std::nullopt;
    return fmt::format("needs {} of the device's memory, but it has {}", size_text(needed),
                       size_text(memory));
  }

  Skip too_large_an_extra() const {
    if (!trial_.ablation) return std::nullopt;
    if (auto reason = too_large_for_device()) return reason;
    const std::uint64_t memory = context_.environment.memory_bytes;
    if (memory == 0 || memory_of(trial_, context_) <= memory) return std::nullopt;
    return fmt::format("needs {} of memory, but {} are usable",
                       size_text(memory_of(trial_, context_)), size_text(memory));
  }

  const Trial& trial_;
  const PlanContext& context_;
  const SettingsMap& s_;
  const std::string device_;
  const PartDescription *const loader_, *const trainer_;
};

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
  const std::string named = settings.get(keys::measure.modes);
  std::vector<Mode> modes;
  for (const Mode m : {Mode::loader, Mode::trainer, Mode::pipeline})
    if (is_listed(named, name_of(m))) modes.push_back(m);
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
  return SkipRules(trial, context).first_reason();
}

// By the words of the reason, which is all that a stored run keeps of it.
bool is_lack_of_machine(std::string_view reason) noexcept {
  return reason.starts_with("needs ") || reason.starts_with("pinned memory");
}

void mark_skips(std::vector<Point>& points, std::vector<Trial>& trials,
                const PlanContext& context) {
  std::set<std::string> reasons;
  bool nothing_left = true;
  for (Trial& trial : trials) {
    trial.skip = reason_to_skip(trial, context);
    if (trial.skip)
      reasons.insert(*trial.skip);
    else
      nothing_left = false;
  }
  for (Point& point : points) mark_point(point, trials);
  if (context.simulated && nothing_left)
    throw ScenarioError(
        fmt::format("no trial can run under the simulated clock: {}",
                    listed(std::vector<std::string>(reasons.begin(), reasons.end()), 6)),
        "use parts that can run in virtual time (`benchbench describe PART` says so), or drop "
        "--clock simulated");
}

}  // namespace benchbench
