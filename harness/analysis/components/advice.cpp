#include "harness/analysis/components/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/core/contains.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::int64_t kBatchTimes = 4;  // as the substitution has it
constexpr std::int64_t kRarerTimes = 10;
constexpr std::int64_t kReadsAhead = 16;
constexpr std::int64_t kPreparedSide = 256;  // dataset.prepare_size where it is not given

const PartDescription* described(const AdviceScene& scene, PartKind kind, std::string_view key) {
  const Value* use = scene.settings.find(key);
  const PartRow* row = use ? scene.catalog.find(kind, use->text()) : nullptr;
  return row ? row->description : nullptr;
}

// The parts of a point, and what is asked of them over and over.
struct Parts {
  explicit Parts(const AdviceScene& s)
      : scene(s),
        settings(s.settings),
        loader(described(s, PartKind::loader, keys::loader.use)),
        trainer(described(s, PartKind::trainer, keys::trainer.use)),
        format(described(s, PartKind::sample_format, keys::dataset.format)) {}

  std::int64_t workers() const { return settings.integer_or(keys::loader.num_workers, 0); }
  bool reads() const { return loader && loader->needs_dataset && format; }
  // A loader that cannot run in virtual time has threads of its own: of the harness's keys it heeds
  // num_workers, in_order and max_jobs alone.
  bool harness_workers() const { return loader && loader->simulated; }
  bool copies() const {
    return trainer && (trainer->on_device != OnDevice::no || !trainer->mock) && !on_cpu();
  }
  bool on_cpu() const { return settings.text_or(keys::trainer.device, "cpu") == "cpu"; }
  bool makes_rows() const {
    const std::string payload = settings.text_or("loader.payload", "stored");
    return payload == "stored" || payload == "decoded";
  }
  bool decodes() const { return settings.text_or("loader.payload", "stored") == "stored"; }

  const AdviceScene& scene;
  const SettingsMap& settings;
  const PartDescription *loader, *trainer, *format;
};

// Keys of the harness and of the part under one section.
const Parameter* find_key(std::string_view key, std::span<const Parameter> own,
                          const PartDescription* part) {
  for (const auto keys : {own, part ? part->parameters : std::span<const Parameter>{}})
    for (const Parameter& p : keys)
      if (p.key == key) return &p;
  return nullptr;
}

const Parameter* parameter_of(const Parts& parts, std::string_view key) {
  const auto below = [&](std::string_view prefix) { return key.substr(prefix.size()); };
  if (key.starts_with("loader.") && parts.loader)
    return find_key(below("loader."), loader_keys(), parts.loader);
  if (key.starts_with("trainer.") && parts.trainer)
    return find_key(below("trainer."), trainer_keys(), parts.trainer);
  if (key.starts_with("dataset.")) return find_key(below("dataset."), dataset_keys(), nullptr);
  return nullptr;
}

double number_of(const Value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value.held)) return static_cast<double>(*n);
  const auto* x = std::get_if<double>(&value.held);
  return x ? *x : std::nan("");
}

bool allows(const Parameter& p, std::string_view key, std::string_view to, const Catalog& catalog) {
  if (to == "none") return p.standard == "none" || contains(p.choices, to);
  if (key == keys::dataset.format) return catalog.find(PartKind::sample_format, to) != nullptr;
  if (key == keys::dataset.prepare) return catalog.find(PartKind::preparation, to) != nullptr;
  if (p.type == ParameterType::choice) return contains(p.choices, to);
  // intra_op_threads is text for its `auto`; its numbers begin at 1.
  const bool threads = key == keys::trainer.intra_op_threads;
  const auto value = Value::parse(threads ? ParameterType::integer : p.type, to);
  if (!value) return false;
  const double x = number_of(*value);
  return std::isnan(x) || (x >= p.min && x <= p.max && !(threads && x < 1));
}

// Of the harness's keys, those that a DataLoader has too; an iterable has none of them.
bool is_keyword(const Parts& parts, std::string_view key) {
  if (parts.scene.own_workers || keeps_own(parts.settings, key.substr(key.find('.') + 1)))
    return false;
  if (key == keys::loader.num_workers || key == keys::loader.batch_size) return true;
  if (key == keys::loader.prefetch_factor) return parts.workers() > 0;
  if (key == keys::loader.in_order) return parts.workers() >= 2;
  return key == keys::loader.pin_memory && parts.copies() &&
         parts.settings.text_or(keys::trainer.device) != "emulated";
}

// Keys that every loader has, and not every one heeds.
bool heeds(const Parts& parts, std::string_view key) {
  if (key.starts_with("loader.") && parts.loader && parts.loader->external)
    return is_keyword(parts, key);
  // What a step of the user's computes with, how often it logs, checkpoints or post-processes, is
  // in their code.
  if (key.starts_with("trainer.") && parts.trainer && parts.trainer->external)
    return key == keys::trainer.intra_op_threads && parts.on_cpu() && !parts.scene.no_torch;
  if (key.starts_with("dataset.") && parts.loader && parts.loader->external) return false;
  const bool has_workers = parts.loader && parts.loader->name != "cached_batch";
  if (key == keys::loader.num_workers || key == keys::loader.max_jobs ||
      key == keys::loader.prefetch_factor)
    return has_workers;
  if (key == keys::loader.in_order) return has_workers && parts.workers() >= 2;
  if (key == keys::loader.dispatch || key == keys::loader.work_unit)
    return has_workers && parts.harness_workers() && parts.workers() >= 2;
  // Batches in memory of the loader's own, as libtorch's, are copied once more for that, by the
  // trainer's thread.
  if (key == keys::loader.pin_memory) return parts.harness_workers() && parts.copies();
  if (contains(upload_keys(), key)) return parts.copies();
  if (key == keys::trainer.intra_op_threads)
    return parts.trainer && !parts.trainer->mock && parts.on_cpu();
  if (key.starts_with("dataset.") && !key.starts_with("dataset.storage.")) return parts.reads();
  return true;
}

// ---- What each change would be set to; "" where it does not apply.

std::string none_of(bool applies, std::string_view to) {
  return applies ? std::string(to) : std::string();
}

// Of encoded images the loader decodes, however they are stored.
bool inflates(const PartDescription& format) {
  return !format.holds.images && contains(format.stages, Stage::decode);
}

// Whether all that `now` may hold can be stored in `other`, as far as descriptions say.
bool holds_as_much(const PartDescription& other, const PartDescription& now) {
  return (!now.holds.images || other.holds.images) && (!now.holds.pixels || other.holds.pixels) &&
         (!now.holds.volumes || other.holds.volumes) && (!now.holds.tokens || other.holds.tokens);
}

// A user's data that are taken for this format may be those of another, which holds something else.
bool sure_of_content(const Parts& parts) {
  if (!parts.settings.given(keys::dataset.path)) return true;
  return std::ranges::none_of(parts.scene.catalog.rows(), [&](const PartRow& row) {
    return row.description->kind == PartKind::sample_format &&
           row.description->on_disk.recognised_as == parts.format->name;
  });
}

bool is_other_format(const PartRow& row, const PartDescription& now) {
  const PartDescription& d = *row.description;
  return d.kind == PartKind::sample_format && row.module.empty() && &d != &now &&
         holds_as_much(d, now);
}

// The first format that will do, one of the same family before the others.
template <class Accept>
std::string other_format(const Parts& parts, Accept accept) {
  if (!parts.reads() || !sure_of_content(parts)) return {};
  std::string first;
  for (const PartRow& row : parts.scene.catalog.rows()) {
    const PartDescription& d = *row.description;
    if (!is_other_format(row, *parts.format) || !accept(d)) continue;
    const std::string_view family = parts.format->on_disk.recognised_as;
    if (!family.empty() && d.on_disk.recognised_as == family) return std::string(d.name);
    if (first.empty()) first = d.name;
  }
  return first;
}

std::string container(const Parts& p) {
  if (!p.format || p.format->on_disk.files != FormatFiles::tree_only) return {};
  return other_format(p, [](const PartDescription& d) {
    return d.on_disk.files == FormatFiles::single || d.on_disk.files == FormatFiles::shards;
  });
}

std::string without_compression(const Parts& p) {
  if (!p.format || !inflates(*p.format) || !p.decodes()) return {};
  return other_format(p, [](const PartDescription& d) {
    return !inflates(d) && d.on_disk.files != FormatFiles::tree_only;
  });
}

// Of formats whose samples are found by a place in a file; others have no reads to start ahead.
std::string reads_ahead(const Parts& p) {
  if (!p.reads() || p.settings.integer_or("loader.io_depth", -1) != 0) return {};
  const PartRow* row = p.scene.catalog.find(PartKind::sample_format, p.format->name);
  const bool by_place = row->module.empty() && !(p.format->on_disk.library && !sure_of_content(p));
  const bool engine = p.settings.text_or("loader.io") != "library" &&
                      p.settings.text_or("loader.residency") == "storage";
  return none_of(by_place && engine && p.workers() > 0, fmt::to_string(kReadsAhead));
}

std::string resident(const Parts& p) {
  return none_of(p.reads() && p.settings.text_or("loader.residency") == "storage", "host");
}

std::string past_library(const Parts& p) {
  return none_of(
      p.reads() && p.format->on_disk.library && p.settings.text_or("loader.io") == "library",
      "auto");
}

// Only where a picture is known to be larger: a smaller one would be enlarged.
std::string smaller_pictures(const Parts& p) {
  if (!p.reads() || !p.decodes() || p.settings.given(keys::dataset.prepare) ||
      !p.format->holds.images || !sure_of_content(p))
    return {};
  const bool images = p.settings.has("dataset.synthesize.image.mean_height");
  const std::int64_t side =
      std::min(p.settings.integer_or("dataset.synthesize.image.mean_height", 0),
               p.settings.integer_or("dataset.synthesize.image.mean_width", 0));
  return none_of(images && side > kPreparedSide, "jpeg");
}

std::string on_device(const Parts& p) {
  const bool there = p.trainer && !p.trainer->mock && p.makes_rows();
  // libtorch's own ways normalise in the worker whatever this says.
  const std::string path = p.settings.text_or("loader.path", "same");
  return none_of(there && path == "same" &&
                     p.settings.text_or("loader.transform.normalize") == "imagenet" &&
                     p.settings.text_or("loader.transform.normalize_on") == "worker",
                 "device");
}

// Work of the workers that adds up needs a core for each; without any, one at least overlaps with
// the step.
std::string more_workers(const Parts& p) {
  const std::int64_t now = p.workers();
  const double free = std::floor(p.scene.cores) - static_cast<double>(now);
  if (!p.loader || p.loader->mock || free < 1) return {};
  return fmt::to_string(std::min<std::int64_t>(std::max<std::int64_t>(1, 2 * now),
                                               now + static_cast<std::int64_t>(free)));
}

std::string out_of_order(const Parts& p) {
  return none_of(p.settings.text_or(keys::loader.in_order) == "true", "false");
}

std::string pinned(const Parts& p) {
  return none_of(p.settings.text_or(keys::loader.pin_memory) == "false", "true");
}

std::string not_blocking(const Parts& p) {
  const bool pins =
      p.loader && !p.loader->external && p.settings.text_or(keys::loader.pin_memory) == "true";
  return none_of(pins && p.settings.text_or(keys::trainer.non_blocking) == "false", "true");
}

// A copy can only hide behind a step where there is room for its batch.
std::string own_stream(const Parts& p) {
  return none_of(p.settings.integer_or(keys::trainer.in_flight, 0) > 1 &&
                     p.settings.text_or(keys::trainer.copy_stream) == "current",
                 "own");
}

std::string second_buffer(const Parts& p) {
  return none_of(p.settings.integer_or(keys::trainer.in_flight, 2) == 1, "2");
}

std::string larger_batch(const Parts& p) {
  // Times that were measured hold for the batch size they were measured with.
  if (p.settings.has("loader.times") || p.settings.has("trainer.times")) return {};
  const std::int64_t batch = p.settings.integer_or(keys::loader.batch_size, 0) * kBatchTimes;
  const std::int64_t samples = p.settings.integer_or("dataset.synthesize.samples", batch);
  return none_of(batch > 0 && batch <= samples, fmt::to_string(batch));
}

std::string fewer_threads(const Parts& p) {
  const std::int64_t now = p.settings.integer_or(keys::trainer.intra_op_threads, 0);
  return none_of(now > 1, fmt::to_string(now / 2));
}

std::string fewer_workers(const Parts& p) {
  const bool real = p.loader && !p.loader->mock;
  return none_of(real && p.workers() > 1, fmt::to_string(p.workers() / 2));
}

template <const SettingKey<std::uint64_t>& kKey>
std::string rarer(const Parts& p) {
  const std::uint64_t now = p.settings.get_if(kKey).value_or(0);
  return none_of(now > 0, fmt::to_string(now * kRarerTimes));
}
struct Candidate {
  Component component;
  Remedy remedy;
  std::string_view key;
  std::string (*to)(const Parts&);
};

// In the order in which they are to be tried.
constexpr Candidate kCandidates[] = {
    {Component::storage, Remedy::whole_files, keys::dataset.format, container},
    {Component::storage, Remedy::reads_ahead, "loader.io_depth", reads_ahead},
    {Component::storage, Remedy::keep_in_memory, "loader.residency", resident},
    {Component::decode, Remedy::uncompressed, keys::dataset.format, without_compression},
    {Component::decode, Remedy::more_workers, keys::loader.num_workers, more_workers},
    {Component::decode, Remedy::smaller_pictures, keys::dataset.prepare, smaller_pictures},
    {Component::transform, Remedy::on_device, "loader.transform.normalize_on", on_device},
    {Component::transform, Remedy::more_workers, keys::loader.num_workers, more_workers},
    {Component::parse, Remedy::more_workers, keys::loader.num_workers, more_workers},
    {Component::collate, Remedy::more_workers, keys::loader.num_workers, more_workers},
    {Component::order, Remedy::out_of_order, keys::loader.in_order, out_of_order},
    {Component::copy, Remedy::pinned, keys::loader.pin_memory, pinned},
    {Component::copy, Remedy::second_buffer, keys::trainer.in_flight, second_buffer},
    {Component::copy, Remedy::own_stream, keys::trainer.copy_stream, own_stream},
    {Component::copy, Remedy::not_blocking, keys::trainer.non_blocking, not_blocking},
    {Component::copy, Remedy::on_device, "loader.transform.normalize_on", on_device},
    {Component::sync, Remedy::rarer, keys::trainer.log_every, rarer<keys::trainer.log_every>},
    {Component::sync, Remedy::second_buffer, keys::trainer.in_flight, second_buffer},
    {Component::sync, Remedy::not_blocking, keys::trainer.non_blocking, not_blocking},
    {Component::postprocess, Remedy::rarer, keys::trainer.postprocess.every,
     rarer<keys::trainer.postprocess.every>},
    {Component::checkpoint, Remedy::rarer, keys::trainer.checkpoint.every,
     rarer<keys::trainer.checkpoint.every>},
    {Component::contention, Remedy::fewer_threads, keys::trainer.intra_op_threads, fewer_threads},
    {Component::contention, Remedy::fewer_workers, keys::loader.num_workers, fewer_workers},
    {Component::tiny_batch, Remedy::larger_batch, keys::loader.batch_size, larger_batch},
    {Component::lock, Remedy::past_the_lock, "loader.io", past_library},
    {Component::straggler, Remedy::out_of_order, keys::loader.in_order, out_of_order},
    {Component::tail, Remedy::out_of_order, keys::loader.in_order, out_of_order},
};

// What the measurement changed in a mock is what there is to change in it.
std::optional<Advice> of_mock(Component component, const Parts& parts) {
  const std::pair<const char*, const PartDescription*> sides[] = {{"loader.", parts.loader},
                                                                  {"trainer.", parts.trainer}};
  for (const auto& [prefix, part] : sides) {
    if (!part || !part->mock) continue;
    for (const Substitution& s : part->substitutions)
      if (s.component == component)
        for (const Change& change : s.changes)
          if (auto advice = change_of(component, Remedy::mock_setting,
                                      prefix + std::string(change.key), change.value, parts.scene))
            return advice;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Advice> change_of(Component component, Remedy remedy, std::string_view key,
                                std::string_view to, const AdviceScene& scene) {
  const Parts parts(scene);
  const Parameter* parameter = parameter_of(parts, key);
  if (!parameter || !allows(*parameter, key, to, scene.catalog) || !heeds(parts, key))
    return std::nullopt;
  Advice advice{component, remedy, std::string(key), scene.settings.text_or(key, "none"),
                std::string(to)};
  const PartDescription* part = key.starts_with("trainer.") ? parts.trainer : parts.loader;
  advice.in_code = part && part->external;
  if (const auto value = Value::parse(parameter->type, to)) advice.to = value->text();
  if (advice.from == advice.to) return std::nullopt;
  return advice;
}

Advice advise(Component component, const AdviceScene& scene, bool locked) {
  const Parts parts(scene);
  if (auto advice = of_mock(component, parts)) return *advice;
  for (const Candidate& c : kCandidates) {
    if (c.component != component || (locked && c.remedy == Remedy::more_workers)) continue;
    const std::string to = c.to(parts);
    if (to.empty()) continue;
    if (auto advice = change_of(component, c.remedy, c.key, to, scene)) return *advice;
  }
  Advice by_hand;
  by_hand.component = component;
  return by_hand;
}

}  // namespace benchbench
