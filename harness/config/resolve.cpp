#include "harness/config/resolve.h"

#include <optional>

#include <fmt/format.h>

#include <algorithm>

#include "harness/config/dataset_rules.h"
#include "harness/config/rules.h"
#include "harness/config/value_check.h"
#include "harness/core/spelling.h"
#include "harness/dataset/dataset_need.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench::config {
namespace {

std::string text_of(const Given& given, std::string_view key) {
  return std::string(word_of(find_entry(given, key)));
}

std::string access_of(const Given& given) {
  const Entry* found = find_entry(given, keys::loader.access);
  if (!found) return "random";
  if (found->written == "loader.shuffle")
    return found->value->text == "false" ? "sequential" : "random";
  return found->value->text;
}

// The synthesis one of whose own keys is given, else the first there is.
std::string synthesis_of(const Given& given, const Catalog& catalog) {
  const std::vector<std::string> names = catalog.names(PartKind::synthesis);
  for (const std::string& name : names)
    if (first_below(given, "dataset.synthesize." + name + ".")) return name;
  return names.empty() ? std::string{} : names.front();
}

Selection selection_of(const Given& given, const Catalog& catalog) {
  const auto part = [&](PartKind kind, const std::string& name) {
    return nearest_part(kind, name, catalog);
  };
  return {
      part(PartKind::loader, text_of(given, keys::loader.use)),
      part(PartKind::trainer, text_of(given, keys::trainer.use)),
      part(PartKind::sample_format, format_called(text_of(given, keys::dataset.format), catalog)),
      part(PartKind::sampler, access_of(given)),
      synthesis_of(given, catalog),
      part(PartKind::loader, text_of(given, kRepeatedUse))};
}

class Resolver {
 public:
  Resolver(const std::vector<const Layer*>& layers, const std::string& device,
           const Catalog& catalog, Diagnostics& diagnostics, const Selection* base)
      : layers_(layers), device_(device), catalog_(catalog), diagnostics_(diagnostics) {
    if (base) base_keys_.emplace(*base, catalog);
  }

  Resolved run() {
    for (const Layer* layer : layers_) lay(*layer);
    format_ = format_if_none(given_, catalog_, result_.decisions);
    result_.selection = selection_of(given_, catalog_);
    if (!format_.empty()) result_.selection.format = format_;
    const KeyTable table(result_.selection, catalog_);
    check_dataset(rules_);
    keep_interpreter(table);
    drop_foreign(table);
    check_kinds();
    check_repeated();
    for (const auto& [key, known] : table.all()) fill(key, known);
    fill_free(table);
    settle();
    if (diagnostics_.empty()) check_parts();
    check_after_step(rules_);
    return std::move(result_);
  }

 private:
  // Each layer is judged by the parts named up to it: what a later layer's part does not take was
  // no mistake here.
  void lay(const Layer& layer) {
    lay_dataset(layer, given_, result_.decisions, diagnostics_);
    for (const Entry& e : layer.entries) given_[e.key] = &e;
    result_.selections.push_back(selection_of(given_, catalog_));
    const KeyTable table(result_.selections.back(), catalog_);
    for (const Entry& e : layer.entries)
      if (!is_judged_elsewhere(table, e.key, e)) judge(table, e);
  }
  void judge(const KeyTable& table, const Entry& e) {
    if (const KnownKey* known = table.find(e.key))
      check_value(e, *known, catalog_, diagnostics_);
    else if (!base_keys_ || !base_keys_->find(e.key))
      diagnostics_.add(e.at, table.unknown(e.key, e.written));
  }

  // `args:` with nothing or {} below it is no key either.
  static bool is_judged_elsewhere(const KeyTable& table, std::string_view key, const Entry& e) {
    return key == "dataset.synthesize" || table.cannot_judge(key) ||
           (table.holds_free_keys(key) && e.value->says_nothing());
  }

  // The one that a replaced part named is still the user's.
  void keep_interpreter(const KeyTable& table) {
    for (const auto& [from, to] : {std::pair("loader.python", "trainer.python"),
                                   std::pair("trainer.python", "loader.python")}) {
      const Entry* named = find_entry(given_, from);
      if (!named || table.find(from) || !table.find(to) || given_.contains(to)) continue;
      given_[to] = named;
      note(result_.decisions, "{} is {}, which {} names", to, named->value->text, from);
    }
  }

  void drop_foreign(const KeyTable& table) {
    std::map<std::string, std::vector<std::string>> dropped;  // by section
    std::erase_if(given_, [&](const auto& given) {
      const auto& [key, entry] = given;
      if (table.find(key) || is_judged_elsewhere(table, key, *entry)) return false;
      const std::string section(section_of(key));
      dropped[section].push_back(key.substr(section.size() + 1));
      return true;
    });
    for (const auto& [section, keys] : dropped)
      note(result_.decisions, "{} {} has no {}: dropped", section,
           result_.selection.part_of(section), listed(keys));
  }

  // Returns what the loader makes, and the same in words: the format's kind, where it makes what
  // the data set holds. A trainer of ours takes what the user's own loader makes as images.
  std::pair<DataKind, std::string> find_made(const PartDescription& loader) const {
    const Selection& s = result_.selection;
    const PartRow* format = catalog_.find(PartKind::sample_format, s.format);
    if (loader.data == DataKind::any && loader.needs_dataset && format)
      return {format->description->data, fmt::format("dataset.format: {} holds", s.format)};
    return {loader.external ? DataKind::image : loader.data,
            fmt::format("loader {} makes", s.maker())};
  }

  void check_kinds() {
    const PartRow* loader = catalog_.find(PartKind::loader, result_.selection.maker());
    const PartRow* trainer = catalog_.find(PartKind::trainer, result_.selection.trainer);
    if (!loader || !trainer) return;
    constexpr std::string_view names[] = {"anything", "images", "tokens", "volumes"};
    const auto [makes, words] = find_made(*loader->description);
    const DataKind eats = trainer->description->data;
    if (makes == eats || makes == DataKind::any || eats == DataKind::any) return;
    diagnostics_.add(given_.at(keys::trainer.use)->value->at, "trainer {} takes {}, but {} {}",
                     result_.selection.trainer, names[static_cast<int>(eats)], words,
                     names[static_cast<int>(makes)]);
  }

  // A loader that repeats another's batch: the shape is that one's, and it makes batches itself.
  void check_repeated() {
    const Selection& s = result_.selection;
    const PartRow* loader = catalog_.find(PartKind::loader, s.loader);
    if (!loader || s.of.empty()) return;
    if (s.of == s.loader)
      diagnostics_.add(given_.at(kRepeatedUse)->value->at,
                       "{} repeats what another loader makes: loader.of.use names one "
                       "that reads or makes batches, such as native or synthetic",
                       s.loader);
    for (const Parameter& p : loader->description->parameters)
      if (p.standard == "none") refuse_shape("loader." + std::string(p.key));
  }
  void refuse_shape(const std::string& key) {
    const Entry* found = find_entry(given_, key);
    if (found && key != kRepeatedUse)
      diagnostics_.add(found->at,
                       "{} is for a batch of synthetic images, and this one is of "
                       "loader.of.use: {}",
                       key, result_.selection.of);
  }

  void fill(const std::string& key, const KnownKey& known) {
    const Entry* found = find_entry(given_, key);
    if (key == keys::dataset.format && !format_.empty())
      put(key, {ParameterType::text, format_});
    else if (!found)
      fill_default(key, known);
    else if (const auto value = check_value(*found, known, catalog_, diagnostics_))
      put(key, *value);
  }
  void fill_default(const std::string& key, const KnownKey& known) {
    const std::string_view standard = known.parameter->standard;
    if (!is_dataset_default_wanted(key, given_)) return;
    if (standard.empty())
      diagnostics_.add(owner_place(key, known), known.owner.empty()
                                                    ? fmt::format("{} is missing", key)
                                                    : fmt::format("{} needs {}", known.owner, key));
    else if (standard == "auto")
      put(key, {ParameterType::text, std::string(standard)});
    else if (const auto value = Value::parse(known.parameter->type, standard))
      put(key, *value);
  }
  void fill_free(const KeyTable& table) {
    for (const auto& [key, entry] : given_)
      if (const KnownKey* known = table.find(key); known && known->free) fill(key, *known);
  }
  void put(const std::string& key, const Value& value) {
    if (!value.none()) result_.settings.set(key, value);
  }

  // What stands for a missing key: the part's `use:`, its section, else the top of the file.
  Span owner_place(const std::string& key, const KnownKey& known) const {
    const std::string section(section_of(key));
    const Entry* use = find_entry(given_, section + ".use");
    if (!known.owner.empty() && use) return use->value->at;
    for (const Layer* layer : layers_)
      if (const Span* at = find_value(layer->sections, section)) return *at;
    return layers_.front()->top;
  }

  // Refuses settings of one part that contradict one another.
  void check_parts() {
    for (const NamedPart& part : kNamedParts)
      if (const auto found = find_contradiction(part, result_.settings, catalog_))
        diagnostics_.add(find_place(part, found->what()),
                         found->hint().empty()
                             ? found->what()
                             : fmt::format("{}; {}", found->what(), found->hint()));
  }

  // Returns the place of a given key that the words name, else of the part's name.
  Span find_place(const NamedPart& part, std::string_view words) const {
    for (const auto& [key, entry] : given_)
      if (key.starts_with(part.prefix) && mentions(words, key.substr(part.prefix.size())))
        return entry->value->at;
    const Entry* use = find_entry(given_, part.use);
    return use ? use->value->at : layers_.front()->top;
  }

  bool is_left_open(std::string_view key) const {
    const Value* value = result_.settings.find(key);
    return value && is_auto(*value);
  }

  void settle() {
    SettingsMap& s = result_.settings;
    if (is_left_open(keys::trainer.device)) s.set(keys::trainer.device, device_);
    settle_device(rules_);
    if (is_left_open(keys::loader.dispatch)) s.set(keys::loader.dispatch, "shared");
    if (is_left_open(keys::loader.max_jobs)) s.erase(keys::loader.max_jobs);
    settle_window(rules_);
    check_measure(rules_);
    tell_storage();
    check_external(rules_);
    check_shared_rows();
  }

  void check_shared_rows() {
    const SettingsMap& s = result_.settings;
    if (s.get_if(keys::loader.work_unit) == "sample" && s.get(keys::loader.dispatch) != "shared")
      diagnostics_.add(given_.at(keys::loader.dispatch)->value->at,
                       "loader.work_unit: sample, with which workers share a batch's rows, needs "
                       "loader.dispatch: shared");
  }

  void tell_storage() {
    const auto store = emulated_figures(result_.settings);
    if (!store) return;
    const std::string like = text_of(given_, keys::dataset.storage.like);
    note(result_.decisions, "dataset.storage emulates {}: {}",
         like.empty() ? "custom storage" : like, benchbench::text_of(*store));
  }

  const std::vector<const Layer*>& layers_;
  std::optional<KeyTable> base_keys_;
  const std::string& device_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
  Resolved result_;
  Given& given_ = result_.given;
  const RuleContext rules_{result_.settings,  given_,      layers_, result_.selection, catalog_,
                           result_.decisions, diagnostics_};
  std::string format_;
};

}  // namespace

Resolved resolve(const std::vector<const Layer*>& layers, const std::string& device,
                 const Catalog& catalog, Diagnostics& diagnostics, const Selection* base) {
  return Resolver(layers, device, catalog, diagnostics, base).run();
}

}  // namespace benchbench::config
