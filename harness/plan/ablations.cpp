#include "harness/plan/ablations.h"

#include <fmt/format.h>

#include <map>

#include "harness/core/contains.h"
#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/plan/planner.h"
#include "harness/plan/points.h"
#include "harness/plan/trials.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::int64_t kBatchTimes = 4, kMaxBatch = 1048576;
constexpr std::string_view kInterference = "beside.";

// A part of the pipeline as it stands there.
struct PartSide {
  std::string prefix;  // "loader."
  const PartDescription* part = nullptr;
  std::span<const Parameter> own_keys;  // of the harness
};

bool lists(const PartDescription& part, Component c) {
  return contains(part.substitutions, c, &Substitution::component);
}

const Parameter* parameter_of(const PartSide& side, std::string_view key) {
  const Parameter* own = find_parameter(side.part->parameters, key);
  return own ? own : find_parameter(side.own_keys, key);
}

void lay(const PartSide& side, const Change& change, SettingsMap& settings) {
  const std::string key = side.prefix + std::string(change.key);
  const Parameter* p = parameter_of(side, change.key);
  // For a choice, `none` is a value like any other.
  const bool a_choice = p && p->type == ParameterType::choice;
  if (p && change.value == "none" && !a_choice) return settings.erase(key);
  const auto value = p ? Value::parse(p->type, change.value) : std::nullopt;
  if (!value)
    throw PartError(
        fmt::format("{} {} lists the substitution {}={}, which its parameters do not allow",
                    name_of(side.part->kind), side.part->name, key, change.value),
        "this is a bug in its description: see `substitutions` there");
  settings.set(key, *value);
}

void play_no_store(SettingsMap& settings) {
  const bool named = settings.has(keys::dataset.storage.like);
  settings.erase_prefix("dataset.storage.");
  if (named) settings.set(keys::dataset.storage.like, "none");
}

class AblationPlanner {
 public:
  AblationPlanner(Point& base, std::vector<Trial>& trials, const Catalog& catalog)
      : base_(base), trials_(trials), catalog_(catalog) {
    for (const Trial& t : trials) by_digest_.emplace(t.digest, t.index);
    if (const PartRow* loader = find_loader(base.settings, catalog))
      loader_ = {"loader.", loader->description, loader_keys()};
    if (const PartRow* trainer = find_trainer(base.settings, catalog))
      trainer_ = {"trainer.", trainer->description, trainer_keys()};
  }

  void substitutions() {
    if (!loader_.part || !trainer_.part) return;
    pipeline_ = substitute(Mode::pipeline, base_.settings, base_.settings, catalog_);
    for (std::size_t c = 0; c < kComponents; ++c) free_one(static_cast<Component>(c));
    bigger_batch();
    one_worker();
  }

  // A cached batch costs nothing to hand over, and lists of rows on the device next to nothing:
  // there is nothing to run next to the trainer. Batches that the device decodes are made in its
  // steps.
  void interference() {
    if (base_.settings.get(keys::loader.use) == "cached_batch" ||
        !key_of_device_batches(base_.settings).empty())
      return;
    SettingsMap settings = substitute(Mode::trainer, base_.settings, base_.settings, catalog_);
    const SettingsMap beside = substitute(Mode::loader, base_.settings, base_.settings, catalog_);
    for (const std::string_view section : {"loader.", "dataset."})
      for (const auto& [key, value] : beside.below(section))
        settings.set(std::string(kInterference) + key, value);
    add({AblationKind::interference, {}}, Mode::trainer, std::move(settings));
  }

  // A device with memory of its own: what the trainer reaches once no batch has to be copied.
  void batch_on_device() {
    const SettingsMap& s = base_.settings;
    if (!on_device(s) || !contains(modes_of(s), Mode::trainer) || !copies_batches()) return;
    SettingsMap settings = substitute(Mode::trainer, s, s, catalog_);
    settings.set(keys::trainer.copy, "once");
    add({AblationKind::batch_on_device, {}}, Mode::trainer, std::move(settings));
  }

 private:
  // True if the trainer's batches are copied to its device, by the harness.
  bool copies_batches() const {
    const SettingsMap& s = base_.settings;
    return s.get(keys::trainer.use) != "discard" && trainer_.part && !trainer_.part->external &&
           s.get(keys::trainer.copy) != "once" && key_of_device_batches(s).empty();
  }

  // True if the component's work is done once, before the first batch: it is free already.
  bool done_before(Component component) const {
    constexpr Component kOnce[] = {Component::storage, Component::parse, Component::decode,
                                   Component::transform, Component::lock};
    return keeps_rows_on_device(pipeline_) && contains(kOnce, component);
  }

  // True if the device does the component's work: freeing it is of the workers'.
  bool done_there(Component component) const {
    return decodes_on_device(pipeline_) &&
           (component == Component::decode || component == Component::transform);
  }

  void free_one(Component component) {
    if (done_before(component) || done_there(component)) return;
    SettingsMap settings = pipeline_;
    for (const PartSide* side : {&loader_, &trainer_})
      for (const Substitution& s : side->part->substitutions)
        if (s.component == component)
          for (const Change& change : s.changes) lay(*side, change, settings);
    free_by_harness(component, settings);
    if (settings == pipeline_) return;
    add(free_of(component), Mode::pipeline, std::move(settings));
  }

  // What does not depend on the part: the emulated storage, the work after the step, the hand-over.
  void free_by_harness(Component component, SettingsMap& s) const {
    switch (component) {
      case Component::storage:
        // Real reads that stay would make "storage is free" a lie.
        if (!loader_.part->needs_dataset || lists(*loader_.part, component)) play_no_store(s);
        return;
      case Component::order:
        return in_any_order(s);
      case Component::copy:
        if (on_device(s) && !trainer_.part->external) s.set(keys::trainer.copy, "once");
        return;
      case Component::compute:
        return no_kernels(s);
      case Component::launch:
        if (s.get(keys::trainer.device) == "emulated")
          s.set(keys::trainer.emulated.launch_call, Nanoseconds{0});
        return;
      case Component::sync:
        return never_wait(s);
      case Component::postprocess:
        return erase_every(s, "trainer.postprocess.");
      case Component::checkpoint:
        return erase_every(s, "trainer.checkpoint.");
      default:
        return;
    }
  }

  void in_any_order(SettingsMap& s) const {
    if (s.get(keys::loader.num_workers) < 2 || !s.get(keys::loader.in_order) ||
        loader_.part->external)
      return;
    s.set(keys::loader.in_order, false);
    s.set(keys::loader.dispatch, "shared");
  }

  static void erase_every(SettingsMap& s, const std::string& section) {
    if (s.has(section + "every")) s.erase_prefix(section);
  }

  static bool on_device(const SettingsMap& s) {
    return has_own_memory(s.get(keys::trainer.device));
  }

  // Host and device work at once there, so that what the device's work costs does not follow from
  // what else does.
  void no_kernels(SettingsMap& s) const {
    if (!on_device(s)) return;
    if (s.has("loader.normalize_on_device"))
      s.set("loader.normalize_on_device", {ParameterType::boolean, false});
    // The loader's work is the same.
    if (s.text_or("loader.transform.normalize_on") == "device")
      s.set("loader.transform.normalize", {ParameterType::choice, std::string("none")});
    constexpr Change kNoWork[] = {{"step_time", "0s"},   {"sample_time", "0s"},
                                  {"wait_time", "0s"},   {"step_flops", "0"},
                                  {"sample_flops", "0"}, {"element_flops", "0"},
                                  {"step_bytes", "0B"},  {"sample_bytes", "0B"}};
    for (const Change& none : kNoWork)
      if (s.has(trainer_.prefix + std::string(none.key))) lay(trainer_, none, s);
  }

  // Nothing that waits for the device where it need not.
  static void never_wait(SettingsMap& s) {
    s.erase(keys::trainer.log_every);
    if (!on_device(s)) return;
    if (s.get(keys::trainer.in_flight) < 2) s.set(keys::trainer.in_flight, 2);
    if (s.get(keys::loader.pin_memory)) s.set(keys::trainer.non_blocking, true);
  }

  // Times that were measured hold for the batch size they were measured with.
  void bigger_batch() {
    const std::int64_t batch = pipeline_.get(keys::loader.batch_size);
    if (!external_keys_of(pipeline_).batch_size || batch > kMaxBatch / kBatchTimes ||
        pipeline_.has("loader.times") || pipeline_.has("trainer.times"))
      return;
    SettingsMap settings = pipeline_;
    settings.set(keys::loader.batch_size, batch * kBatchTimes);
    add({AblationKind::four_times_batch, {}}, Mode::pipeline, std::move(settings));
  }

  void one_worker() {
    if (!external_keys_of(pipeline_).num_workers || pipeline_.get(keys::loader.num_workers) < 2 ||
        lists(*loader_.part, Component::lock))
      return;
    SettingsMap settings = substitute(Mode::loader, base_.settings, base_.settings, catalog_);
    settings.set(keys::loader.num_workers, 1);
    add({AblationKind::one_worker, {}}, Mode::loader, std::move(settings));
  }

  void add(Ablation ablation, Mode mode, SettingsMap settings) {
    const std::string digest = digest_of_trial(mode, settings);
    const auto [found, is_new] =
        by_digest_.try_emplace(digest, static_cast<std::uint32_t>(trials_.size()));
    if (is_new) {
      Trial& trial = trials_.emplace_back();
      trial.index = found->second;
      trial.digest = digest;
      trial.mode = mode;
      trial.settings = std::move(settings);
      trial.ablation = ablation;
      trial.points.push_back(base_.index);
    }
    base_.ablations.emplace_back(ablation, found->second);
  }

  Point& base_;
  std::vector<Trial>& trials_;
  const Catalog& catalog_;
  std::map<std::string, std::uint32_t> by_digest_;
  PartSide loader_, trainer_;
  SettingsMap pipeline_;
};

}  // namespace

void add_ablations(std::vector<Point>& points, std::vector<Trial>& trials, const Catalog& catalog) {
  Point& base = points.front();
  AblationPlanner planner(base, trials, catalog);
  if (base.settings.get_if(keys::measure.substitute) == true) planner.substitutions();
  if (base.settings.get_if(keys::measure.interference) == true) planner.interference();
  planner.batch_on_device();
}

std::vector<std::pair<Ablation, const Trial*>> ablations_of(const Plan& plan) {
  std::vector<std::pair<Ablation, const Trial*>> all;
  if (plan.points.empty()) return all;
  for (const auto& [ablation, trial] : plan.points.front().ablations)
    all.emplace_back(ablation, &plan.trials[trial]);
  return all;
}

std::string words_of(const Ablation& ablation) {
  if (ablation.kind == AblationKind::free)
    return fmt::format("{} free", name_of(ablation.component));
  constexpr std::string_view kWords[] = {"",
                                         "",
                                         "four times the batch",
                                         "one worker",
                                         "trainer with background loader",
                                         "trainer with its batch on the device"};
  return std::string(kWords[static_cast<std::size_t>(ablation.kind)]);
}

}  // namespace benchbench
