// The three modes: one side of a point replaced by its mock.
#include <initializer_list>

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

// Keys below `prefix`, which become keys below `new_prefix`.
void copy(const SettingsMap& from, std::string_view prefix, SettingsMap& to,
          std::string_view new_prefix) {
  for (const auto& [key, value] : from.below(prefix))
    to.set(std::string(new_prefix) + key.substr(prefix.size()), value);
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
  return settings.has(keys::dataset.path) || !settings.below("dataset.synthesize.").empty();
}

bool reads_dataset(const SettingsMap& settings, const Catalog& catalog) {
  const PartRow* row = find_loader(settings, catalog);
  return !row || row->description->needs_dataset ||
         (row->description->takes_dataset && has_data(settings));
}

bool is_harness_key(std::string_view key) { return find_parameter(loader_keys(), key) != nullptr; }

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
  return sampler && find_parameter(sampler->description->parameters, key);
}

// The settings of a loader that its batch depends on.
class BatchRules {
 public:
  BatchRules(const SettingsMap& point, const SettingsMap& base, const Catalog& catalog)
      : point_(point),
        catalog_(catalog),
        same_part_(point.get(keys::loader.use) == base.get(keys::loader.use)) {
    const bool own_reads =
        !is_library(point.get(keys::loader.use)) && reads_dataset(point, catalog);
    made_ = external_loader(point, catalog) ? Made::by_users_code
            : own_reads                     ? Made::of_data
                                            : Made::of_nothing;
  }
  // True of keys, without "loader.", that are the point's own.
  bool is_points(std::string_view key, const Value& value) const {
    return key == "use" || key == "batch_size" || key == "pin_memory" ||
           widens_batch(key, point_, catalog_) ||
           (!is_harness_key(key) && (!same_part_ || shapes_batch(key, value, made_)));
  }
  // True of those that may be the base's.
  bool is_bases(std::string_view key, const Value& value) const {
    return is_harness_key(key) || (same_part_ && !shapes_batch(key, value, made_));
  }

 private:
  const SettingsMap& point_;
  const Catalog& catalog_;
  const bool same_part_;
  Made made_;
};

// The loader that makes the batch to be repeated: the point's own, so far as the batch depends on
// it, the base's otherwise, so that format, order (but of sequences) and workers leave the
// trainer's trial as it is. A step of the user's has batches of the user's loader fetched by the
// base's workers; elsewhere it is made without.
SettingsMap prototype_loader(const SettingsMap& point, const SettingsMap& base,
                             const Catalog& catalog) {
  const BatchRules rules(point, base, catalog);
  const auto name_of_key = [](std::string_view key) { return key.substr(kLoader.size()); };
  SettingsMap loader;
  for (const auto& [key, value] : point.below(kLoader))
    if (rules.is_points(name_of_key(key), value)) loader.set(key, value);
  for (const auto& [key, value] : base.below(kLoader))
    if (!loader.has(key) && rules.is_bases(name_of_key(key), value)) loader.set(key, value);
  if (!external_loader(point, catalog) || !external_trainer(point, catalog))
    put_number(loader, keys::loader.num_workers, 0);
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
  for (const auto& [key, value] : stored.below(kDataset))
    if (!names_samples(key) && !key.starts_with(kEmulatedStorage)) dataset.set(key, value);
  return dataset;
}

bool is_cached(const SettingsMap& settings) {
  return settings.get(keys::loader.use) == "cached_batch";
}

// True if `key`, with its section, is of the loader in that row.
bool is_parameter_of(const PartRow* row, std::string_view key) {
  return row && key.starts_with(kLoader) &&
         find_parameter(row->description->parameters, key.substr(kLoader.size()));
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

// Copies the base's data, and its loader but for the harness's keys.
void copy_maker(const SettingsMap& base, SettingsMap& to) {
  copy(base, kDataset, to);
  for (const auto& [key, value] : base.below(kLoader))
    if (!is_harness_key(key.substr(kLoader.size())) || key == keys::loader.use) to.set(key, value);
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
    copy_maker(base, made);
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

// Without workers the user's loader works in the thread of the user's step, on as many cores as
// that.
void put_threads_of_loader(const SettingsMap& point, const Catalog& catalog,
                           SettingsMap& settings) {
  const std::string_view threads = keys::trainer.intra_op_threads;
  if (!external_loader(point, catalog)) return put_number(settings, threads, 1);
  const ExternalWay way = external_way(point, catalog);
  const bool as_step = way == ExternalWay::self_timed ||
                       (way == ExternalWay::all_there && point.get(keys::loader.num_workers) == 0);
  if (as_step)
    settings.set(threads, point.at(threads));
  else
    put_number(settings, threads, kUsersOwnThreads);
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
  put_threads_of_loader(point, catalog, settings);
  return settings;
}

// Puts the loader's keys of the harness: the base's, but for the batch's own.
void put_keys_of_harness(const SettingsMap& point, const SettingsMap& base, SettingsMap& settings) {
  for (const std::string_view key :
       std::initializer_list<std::string_view>{keys::loader.batch_size, keys::loader.pin_memory})
    settings.set(key, point.at(key));
  for (const auto& [key, value] : base.below(kLoader))
    if (is_harness_key(key.substr(kLoader.size())) && !settings.has(key)) settings.set(key, value);
  put_number(settings, keys::loader.num_workers, 0);
  put_text(settings, keys::loader.access, "sequential");
}

SettingsMap trainer_mode(const SettingsMap& point, const SettingsMap& base,
                         const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kTrainer, settings);
  put_part(settings, kLoader, catalog.find(PartKind::loader, "cached_batch"), "cached_batch");
  if (is_cached(point))
    for (const std::string_view key : {"loader.distinct", "loader.at"})
      settings.set(key, point.at(key));
  put_keys_of_harness(point, base, settings);
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
