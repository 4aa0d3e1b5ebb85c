// The three modes: one side of a point replaced by its mock.
#include <algorithm>
#include <array>

#include "harness/part/own_library.h"
#include "harness/plan/planner.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_way.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::string_view kLoader = "loader.", kTrainer = "trainer.", kDataset = "dataset.";
constexpr std::string_view kEmulatedStorage = "dataset.storage.";  // of mocks too

SettingsMap under(const SettingsMap& settings, std::string_view prefix) {
  SettingsMap part;
  for (const auto& [key, value] : settings.all())
    if (key.starts_with(prefix)) part.set(key, value);
  return part;
}

// Keys below `prefix`, which become keys below `new_prefix`.
void copy(const SettingsMap& from, std::string_view prefix, SettingsMap& to,
          std::string_view new_prefix) {
  for (const auto& [key, value] : from.all())
    if (key.starts_with(prefix)) to.set(std::string(new_prefix) + key.substr(prefix.size()), value);
}
void copy(const SettingsMap& from, std::string_view prefix, SettingsMap& to) {
  copy(from, prefix, to, prefix);
}

void put_text(SettingsMap& settings, std::string_view key, std::string_view text) {
  settings.set(key, {ParameterType::text, std::string(text)});
}
void put_number(SettingsMap& settings, std::string_view key, std::int64_t n) {
  settings.set(key, {ParameterType::integer, n});
}

// A part as it is where nobody sets anything.
void put_part(SettingsMap& settings, std::string_view section, const PartRow* row,
              std::string_view name) {
  put_text(settings, std::string(section) + "use", name);
  if (!row) return;
  for (const Parameter& p : row->description->parameters)
    if (const auto value = Value::parse(p.type, p.standard); value && !value->none())
      settings.set(std::string(section) + std::string(p.key), *value);
}

bool has_data(const SettingsMap& settings) {
  const auto first = settings.all().lower_bound("dataset.synthesize.");
  return settings.has(keys::dataset.path) ||
         (first != settings.all().end() && first->first.starts_with("dataset.synthesize."));
}

bool reads_dataset(const SettingsMap& settings, const Catalog& catalog) {
  const PartRow* row = find_loader(settings, catalog);
  return !row || row->description->needs_dataset ||
         (row->description->takes_dataset && has_data(settings));
}

bool is_harness_key(std::string_view key) {
  for (const Parameter& p : loader_keys())
    if (key == p.key) return true;
  return false;
}

enum class Made { of_data, of_nothing, by_users_code };

// What decides the content and shape of a batch: of a loader that reads data its transforms, of a
// mock and of a library of the user's own, whose keys can mean anything, everything but how long it
// takes, of the user's code everything but how its workers are started and kept.
bool shapes_batch(std::string_view key, const Value& value, Made made) {
  if (made == Made::by_users_code)
    return key != "persistent_workers" && key != "multiprocessing_context";
  if (made == Made::of_data) return key.starts_with("transform.");
  return value.type != ParameterType::duration && value.type != ParameterType::rate &&
         value.type != ParameterType::bandwidth;
}

// The order decides how wide a batch of sequences is: it and its parameters.
bool widens_batch(std::string_view key, const SettingsMap& point, const Catalog& catalog) {
  if (!point.has(keys::dataset.format) || !reads_dataset(point, catalog)) return false;
  const PartRow* format = catalog.find(PartKind::sample_format, point.get(keys::dataset.format));
  if (!format || format->description->data != DataKind::tokens) return false;
  if (key == "access") return true;
  const PartRow* sampler = catalog.find(PartKind::sampler, point.get(keys::loader.access));
  return sampler && std::ranges::find(sampler->description->parameters, key, &Parameter::key) !=
                        sampler->description->parameters.end();
}

// The loader that makes the batch to be repeated: the point's own, so far as the batch depends on
// it, the base's otherwise, so that format, order (but of sequences) and workers leave the
// trainer's trial as it is. A step of the user's has batches of the user's loader fetched by the
// base's workers; elsewhere it is made without.
SettingsMap prototype_loader(const SettingsMap& point, const SettingsMap& base,
                             const Catalog& catalog) {
  const bool same_part = point.get(keys::loader.use) == base.get(keys::loader.use);
  const bool users = external_loader(point, catalog);
  const bool own_reads = !is_library(point.get(keys::loader.use)) && reads_dataset(point, catalog);
  const Made made = users ? Made::by_users_code : own_reads ? Made::of_data : Made::of_nothing;
  SettingsMap loader;
  const SettingsMap of_point = under(point, kLoader), of_base = under(base, kLoader);
  for (const auto& [key, value] : of_point.all()) {
    const std::string_view name = std::string_view(key).substr(kLoader.size());
    const bool own = name == "use" || name == "batch_size" || name == "pin_memory" ||
                     widens_batch(name, point, catalog) ||
                     (!is_harness_key(name) && (!same_part || shapes_batch(name, value, made)));
    if (own) loader.set(key, value);
  }
  for (const auto& [key, value] : of_base.all()) {
    const std::string_view name = std::string_view(key).substr(kLoader.size());
    if (!loader.has(key) &&
        (is_harness_key(name) || (same_part && !shapes_batch(name, value, made))))
      loader.set(key, value);
  }
  if (!users || !external_trainer(point, catalog)) put_number(loader, keys::loader.num_workers, 0);
  return loader;
}

// Which samples there are.
bool names_samples(std::string_view key) {
  return key == keys::dataset.path || key.starts_with("dataset.columns.") ||
         key.starts_with("dataset.synthesize.");
}

// The logical data set of the point, stored as the base's is. An emulated storage below it would
// not change the batch, and the trainer's trial is the same whichever is swept.
SettingsMap prototype_dataset(const SettingsMap& point, const SettingsMap& base,
                              const Catalog& catalog) {
  SettingsMap dataset;
  if (!reads_dataset(point, catalog)) return dataset;
  const SettingsMap& stored = base.has(keys::dataset.format) ? base : point;
  for (const auto& [key, value] : point.all())
    if (names_samples(key)) dataset.set(key, value);
  for (const auto& [key, value] : stored.all())
    if (key.starts_with(kDataset) && !names_samples(key) && !key.starts_with(kEmulatedStorage))
      dataset.set(key, value);
  return dataset;
}

bool is_cached(const SettingsMap& settings) {
  return settings.get(keys::loader.use) == "cached_batch";
}

// True if `key`, with its section, is of the loader in that row.
bool is_parameter_of(const PartRow* row, std::string_view key) {
  return row && key.starts_with(kLoader) &&
         std::ranges::find(row->description->parameters, key.substr(kLoader.size()),
                           &Parameter::key) != row->description->parameters.end();
}

// Returns the point's own keys that say which batch its loader repeats: synthetic has them too.
SettingsMap shape_in(const SettingsMap& point, const Catalog& catalog) {
  const PartRow* synthetic = catalog.find(PartKind::loader, "synthetic");
  SettingsMap shape;
  for (const auto& [key, value] : point.all())
    if (is_parameter_of(find_loader(point, catalog), key) && is_parameter_of(synthetic, key))
      shape.set(key, value);
  return shape;
}

// True where the point says which batch its loader repeats: that of another loader, or its shape.
bool describes_batch(const SettingsMap& point, const Catalog& catalog) {
  return point.given(kRepeatedUse) || !shape_in(point, catalog).all().empty();
}

// True where the loader repeats a batch of the base's loader: a cached batch that says nothing
// else, and for a step of the user's code every mock that repeats what the user's loader makes.
bool repeats_base(const SettingsMap& point, const SettingsMap& base, const Catalog& catalog) {
  if (is_cached(point)) return !describes_batch(point, catalog) && !is_cached(base);
  return repeats_batches(point.get(keys::loader.use)) && external_trainer(point, catalog) &&
         external_loader(base, catalog);
}

// The point with the loader that makes its batches in the place of one that repeats them.
SettingsMap with_maker(const SettingsMap& point, const SettingsMap& base, const Catalog& catalog) {
  const bool of_base = repeats_base(point, base, catalog);
  if (!of_base && !is_cached(point)) return point;
  const PartRow* own = find_loader(point, catalog);
  SettingsMap made;
  for (const auto& [key, value] : point.all())
    if (!key.starts_with(kRepeated) && !is_parameter_of(own, key)) made.set(key, value);
  if (of_base) {
    copy(base, kDataset, made);
    const SettingsMap of_base_loader = under(base, kLoader);
    for (const auto& [key, value] : of_base_loader.all())
      if (!is_harness_key(key.substr(kLoader.size())) || key == keys::loader.use)
        made.set(key, value);
  } else if (point.given(kRepeatedUse)) {
    copy(point, kRepeated, made, kLoader);
  } else {
    put_part(made, kLoader, catalog.find(PartKind::loader, "synthetic"), "synthetic");
    copy(shape_in(point, catalog), kLoader, made);
  }
  return made;
}

// Adds the data of the batch that the loader repeats, and the loader that makes it of them.
void put_prototype(const SettingsMap& point, const SettingsMap& base, const Catalog& catalog,
                   SettingsMap& settings) {
  const SettingsMap made = with_maker(point, base, catalog);
  const SettingsMap made_base = with_maker(base, base, catalog);
  settings.erase_prefix(kRepeated);
  copy(prototype_dataset(made, made_base, catalog), kDataset, settings);
  copy(prototype_loader(made, made_base, catalog), kLoader, settings, kRepeated);
}

// A cached batch is pinned as any loader's is, or on the device once and for all.
SettingsMap with_place(SettingsMap point) {
  const std::string at = is_cached(point) ? point.text("loader.at") : "host";
  if (at == "pinned") point.set(keys::loader.pin_memory, true);
  if (at == "device" && point.given(keys::trainer.copy)) point.set(keys::trainer.copy, "once");
  return point;
}

// Puts batches on the host alone, but for pinned ones, which only a device has. A step in a process
// of its own pins none in this one.
void put_device(const SettingsMap& point, const Catalog& catalog, SettingsMap& settings) {
  const std::string device = point.get(keys::trainer.device);
  const bool keeps = has_own_memory(device) && point.get(keys::loader.pin_memory) &&
                     !external_trainer(point, catalog);
  put_text(settings, keys::trainer.device, keeps ? device : "cpu");
}

// Drops batches on the device: where they are made there, they are delivered nowhere else.
void drop_on_device(const SettingsMap& point, SettingsMap& settings) {
  put_text(settings, keys::trainer.device, point.get(keys::trainer.device));
  settings.set("trainer.at", {ParameterType::choice, std::string("device")});
  copy(point, "trainer.emulated.", settings);
  if (const Value* wait = point.find(keys::trainer.device_wait))
    settings.set(keys::trainer.device_wait, *wait);
  for (const std::string_view key : upload_keys())
    if (const Value* value = point.find(key)) settings.set(std::string(key), *value);
}

SettingsMap loader_mode(const SettingsMap& point, const SettingsMap& base, const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kLoader, settings);
  copy(point, reads_dataset(point, catalog) ? kDataset : kEmulatedStorage, settings);
  if (is_cached(point)) {
    put_prototype(point, base, catalog, settings);
    if (point.text("loader.at") == "device") put_text(settings, "loader.at", "host");
  }
  put_part(settings, kTrainer, catalog.find(PartKind::trainer, "discard"), "discard");
  // The host, without saying so: runs that were stored before there was a choice are of the same
  // settings.
  settings.erase("trainer.at");
  put_device(point, catalog, settings);
  if (!key_of_device_batches(point).empty()) drop_on_device(point, settings);
  put_number(settings, keys::trainer.intra_op_threads, 1);
  if (!external_loader(point, catalog)) return settings;
  put_number(settings, keys::trainer.intra_op_threads, kUsersOwnThreads);
  // Without workers the user's loader works in the thread of the user's step, on as many cores as
  // that.
  const ExternalWay way = external_way(point, catalog);
  if (way == ExternalWay::self_timed ||
      (way == ExternalWay::all_there && point.get(keys::loader.num_workers) == 0))
    settings.set(keys::trainer.intra_op_threads, point.at(keys::trainer.intra_op_threads));
  return settings;
}

SettingsMap trainer_mode(const SettingsMap& point, const SettingsMap& base,
                         const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kTrainer, settings);
  put_part(settings, kLoader, catalog.find(PartKind::loader, "cached_batch"), "cached_batch");
  if (is_cached(point))
    for (const std::string_view key : {"loader.distinct", "loader.at"})
      settings.set(key, point.at(key));
  for (const std::string_view key :
       std::initializer_list<std::string_view>{keys::loader.batch_size, keys::loader.pin_memory})
    settings.set(key, point.at(key));
  const SettingsMap of_base = under(base, kLoader);
  for (const auto& [key, value] : of_base.all()) {
    const std::string_view name = std::string_view(key).substr(kLoader.size());
    if (is_harness_key(name) && !settings.has(key)) settings.set(key, value);
  }
  put_number(settings, keys::loader.num_workers, 0);
  put_text(settings, keys::loader.access, "sequential");
  put_prototype(point, base, catalog, settings);
  // The loader does all that brings a batch to the device then.
  if (!key_of_device_batches(point).empty()) settings.set(keys::trainer.copy, "once");
  return settings;
}

SettingsMap pipeline_mode(const SettingsMap& point, const SettingsMap& base,
                          const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kLoader, settings);
  copy(point, kTrainer, settings);
  copy(point, reads_dataset(point, catalog) ? kDataset : kEmulatedStorage, settings);
  if (is_cached(point) || repeats_base(point, base, catalog))
    put_prototype(point, base, catalog, settings);
  return settings;
}

}  // namespace

SettingsMap substitute(Mode mode, const SettingsMap& wanted, const SettingsMap& base,
                       const Catalog& catalog) {
  const SettingsMap point = with_place(wanted);
  SettingsMap settings = mode == Mode::loader    ? loader_mode(point, base, catalog)
                         : mode == Mode::trainer ? trainer_mode(point, base, catalog)
                                                 : pipeline_mode(point, base, catalog);
  copy(point, "measure.", settings);
  copy(point, "run.", settings);
  return settings;
}

}  // namespace benchbench
