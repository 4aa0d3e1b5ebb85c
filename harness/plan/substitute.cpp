// The three modes: one side of a point replaced by its mock.
#include <algorithm>
#include <array>

#include "harness/plan/planner.h"
#include "harness/record/device/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/external_pairs.h"
#include "harness/record/external_way.h"
#include "harness/record/keys.h"

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

void copy(const SettingsMap& from, std::string_view prefix, SettingsMap& to,
          const std::string& in_front = {}) {
  for (const auto& [key, value] : from.all())
    if (key.starts_with(prefix)) to.set(in_front + key, value);
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

const PartRow* loader_of(const SettingsMap& settings, const Catalog& catalog) {
  return catalog.find(PartKind::loader, settings.text("loader.use"));
}

bool has_data(const SettingsMap& settings) {
  const auto first = settings.all().lower_bound("dataset.synthesize.");
  return settings.has("dataset.path") ||
         (first != settings.all().end() && first->first.starts_with("dataset.synthesize."));
}

bool reads_dataset(const SettingsMap& settings, const Catalog& catalog) {
  const PartRow* row = loader_of(settings, catalog);
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
// mock everything but how long it takes, of the user's code everything but how its workers are
// started and kept.
bool shapes_batch(std::string_view key, const Value& value, Made made) {
  if (made == Made::by_users_code)
    return key != "persistent_workers" && key != "multiprocessing_context";
  if (made == Made::of_data) return key.starts_with("transform.");
  return value.type != ParameterType::duration && value.type != ParameterType::rate &&
         value.type != ParameterType::bandwidth;
}

// The order decides how wide a batch of sequences is: it and its parameters.
bool widens_batch(std::string_view key, const SettingsMap& point, const Catalog& catalog) {
  if (!point.has("dataset.format") || !reads_dataset(point, catalog)) return false;
  const PartRow* format = catalog.find(PartKind::sample_format, point.text("dataset.format"));
  if (!format || format->description->data != DataKind::tokens) return false;
  if (key == "access") return true;
  const PartRow* sampler = catalog.find(PartKind::sampler, point.text("loader.access"));
  return sampler && std::ranges::find(sampler->description->parameters, key, &Parameter::key) !=
                        sampler->description->parameters.end();
}

// The loader that makes the batch to be repeated: the point's own, so far as the batch depends on
// it, the base's otherwise, so that format, order (but of sequences) and workers leave the
// trainer's trial as it is. A step of the user's has batches of the user's loader fetched by the
// base's workers; elsewhere it is made without.
SettingsMap prototype_loader(const SettingsMap& point, const SettingsMap& base,
                             const Catalog& catalog) {
  const bool same_part = point.text("loader.use") == base.text("loader.use");
  const bool users = external_loader(point, catalog);
  const Made made = users                           ? Made::by_users_code
                    : reads_dataset(point, catalog) ? Made::of_data
                                                    : Made::of_nothing;
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
  if (!users || !external_trainer(point, catalog)) put_number(loader, "loader.num_workers", 0);
  return loader;
}

// The logical data set of the point, stored as the base's is. An emulated storage below it would
// not change the batch, and the trainer's trial is the same whichever is swept.
SettingsMap prototype_dataset(const SettingsMap& point, const SettingsMap& base,
                              const Catalog& catalog) {
  SettingsMap dataset;
  if (!reads_dataset(point, catalog)) return dataset;
  const SettingsMap& stored = base.has("dataset.format") ? base : point;
  for (const auto& [key, value] : point.all())
    if (key == "dataset.path" || key.starts_with("dataset.synthesize.")) dataset.set(key, value);
  for (const auto& [key, value] : stored.all())
    if (key.starts_with(kDataset) && key != "dataset.path" &&
        !key.starts_with("dataset.synthesize.") && !key.starts_with(kEmulatedStorage))
      dataset.set(key, value);
  return dataset;
}

// Batches for the host alone, but pinned ones, which only a device has.
void put_device(const SettingsMap& point, SettingsMap& settings) {
  const std::string device = point.text("trainer.device");
  const bool keeps = has_own_memory(device) && point.boolean("loader.pin_memory");
  put_text(settings, "trainer.device", keeps ? device : "cpu");
}

SettingsMap loader_mode(const SettingsMap& point, const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kLoader, settings);
  copy(point, reads_dataset(point, catalog) ? kDataset : kEmulatedStorage, settings);
  put_part(settings, kTrainer, catalog.find(PartKind::trainer, "discard"), "discard");
  // The host, without saying so: runs that were stored before there was a choice are of the same
  // settings.
  settings.erase("trainer.at");
  put_device(point, settings);
  put_number(settings, "trainer.intra_op_threads", 1);
  if (!external_loader(point, catalog)) return settings;
  put_number(settings, "trainer.intra_op_threads", kUsersOwnThreads);
  // Without workers the user's loader works in the thread of the user's step, on as many cores as
  // that.
  const ExternalWay way = external_way(point, catalog);
  if (way == ExternalWay::self_timed ||
      (way == ExternalWay::all_there && point.integer("loader.num_workers") == 0))
    settings.set("trainer.intra_op_threads", point.at("trainer.intra_op_threads"));
  return settings;
}

// Batches of the scenario's own loader, where that is the user's code and a step of the user's is
// to be given them by a mock: the mock has them as its prototype.
bool repeats_users_batches(const SettingsMap& point, const SettingsMap& base,
                           const Catalog& catalog) {
  return external_trainer(point, catalog) && external_loader(base, catalog) &&
         repeats_batches(point.text("loader.use"));
}

void put_prototype(const SettingsMap& point, const SettingsMap& base, const Catalog& catalog,
                   SettingsMap& settings) {
  const SettingsMap dataset = prototype_dataset(point, base, catalog);
  copy(dataset, kDataset, settings);
  copy(dataset, kDataset, settings, "prototype.");
  copy(prototype_loader(point, base, catalog), kLoader, settings, "prototype.");
}

// The base's loader at the point's batch size and for its trainer.
SettingsMap of_users_loader(const SettingsMap& point, const SettingsMap& base) {
  SettingsMap settings = under(base, kLoader);
  copy(base, kDataset, settings);
  copy(point, kTrainer, settings);
  for (const std::string_view key : {"loader.batch_size", "loader.pin_memory"})
    settings.set(key, point.at(key));
  return settings;
}

SettingsMap trainer_mode(const SettingsMap& point, const SettingsMap& base,
                         const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kTrainer, settings);
  put_part(settings, kLoader, catalog.find(PartKind::loader, "cached_batch"), "cached_batch");
  for (const std::string_view key : {"loader.batch_size", "loader.pin_memory"})
    settings.set(key, point.at(key));
  const SettingsMap of_base = under(base, kLoader);
  for (const auto& [key, value] : of_base.all()) {
    const std::string_view name = std::string_view(key).substr(kLoader.size());
    if (is_harness_key(name) && !settings.has(key)) settings.set(key, value);
  }
  put_number(settings, "loader.num_workers", 0);
  put_text(settings, "loader.access", "sequential");
  if (repeats_users_batches(point, base, catalog))
    put_prototype(of_users_loader(point, base), base, catalog, settings);
  else if (point.text("loader.use") != "cached_batch")  // which has no loader of its own
    put_prototype(point, base, catalog, settings);
  return settings;
}

SettingsMap pipeline_mode(const SettingsMap& point, const SettingsMap& base,
                          const Catalog& catalog) {
  SettingsMap settings;
  copy(point, kLoader, settings);
  copy(point, kTrainer, settings);
  copy(point, reads_dataset(point, catalog) ? kDataset : kEmulatedStorage, settings);
  if (repeats_users_batches(point, base, catalog))
    put_prototype(of_users_loader(point, base), base, catalog, settings);
  return settings;
}

}  // namespace

SettingsMap substitute(Mode mode, const SettingsMap& point, const SettingsMap& base,
                       const Catalog& catalog) {
  SettingsMap settings = mode == Mode::loader    ? loader_mode(point, catalog)
                         : mode == Mode::trainer ? trainer_mode(point, base, catalog)
                                                 : pipeline_mode(point, base, catalog);
  copy(point, "measure.", settings);
  return settings;
}

}  // namespace benchbench
