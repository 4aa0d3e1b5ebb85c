#include "harness/config/resolve.h"

#include <optional>

#include <fmt/format.h>

#include <algorithm>

#include "harness/config/after_step_rules.h"
#include "harness/config/dataset_rules.h"
#include "harness/config/device_rules.h"
#include "harness/config/external_rules.h"
#include "harness/config/measure_rules.h"
#include "harness/config/value_check.h"
#include "harness/core/spelling.h"
#include "harness/dataset/dataset_need.h"
#include "harness/record/keys.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"
#include "harness/record/store_presets.h"

namespace benchbench::config {
namespace {

std::string text_of(const Given& given, const std::string& key, std::string standard = {}) {
  const Entry* found = find_entry(given, key);
  return found && found->value->scalar() ? found->value->text : standard;
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
    check_dataset(given_, result_.selection, catalog_, result_.decisions, diagnostics_);
    keep_interpreter(table);
    drop_foreign(table);
    check_kinds();
    check_repeated();
    for (const auto& [key, known] : table.all()) fill(key, known);
    fill_free(table);
    settle();
    if (diagnostics_.empty()) check_parts();
    check_after_step(result_.settings, given_, layers_,
                     catalog_.find(PartKind::trainer, result_.selection.trainer), diagnostics_);
    result_.given = given_;
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
    for (const Entry& e : layer.entries) {
      if (e.key == "dataset.synthesize" || table.cannot_judge(e.key)) continue;
      if (table.holds_free_keys(e.key) && says_nothing(*e.value)) continue;
      if (const KnownKey* known = table.find(e.key)) {
        check_value(e, *known, catalog_, diagnostics_);
      } else if (!base_keys_ || !base_keys_->find(e.key)) {
        diagnostics_.add(e.at, table.unknown(e.key, e.written));
      }
    }
  }

  // The one that a replaced part named is still the user's.
  void keep_interpreter(const KeyTable& table) {
    for (const auto& [from, to] : {std::pair("loader.python", "trainer.python"),
                                   std::pair("trainer.python", "loader.python")}) {
      const Entry* named = find_entry(given_, from);
      if (!named || table.find(from) || !table.find(to) || given_.contains(to)) continue;
      given_[to] = named;
      result_.decisions.push_back(
          fmt::format("{} is {}, which {} names", to, named->value->text, from));
    }
  }

  void drop_foreign(const KeyTable& table) {
    std::map<std::string, std::vector<std::string>> dropped;  // by section
    for (auto at = given_.begin(); at != given_.end();) {
      const std::string& key = at->first;
      const bool nothing = table.holds_free_keys(key) && says_nothing(*at->second->value);
      const bool stays =
          table.find(key) || table.cannot_judge(key) || key == "dataset.synthesize" || nothing;
      if (!stays)
        dropped[std::string(section_of(key))].push_back(key.substr(section_of(key).size() + 1));
      at = stays ? std::next(at) : given_.erase(at);
    }
    for (const auto& [section, keys] : dropped)
      result_.decisions.push_back(
          fmt::format("{} {} has no {}: dropped", section, part_in(section), listed(keys)));
  }
  const std::string& part_in(const std::string& section) const {
    const Selection& s = result_.selection;
    return section == "loader" ? s.loader : section == "trainer" ? s.trainer : s.format;
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
    diagnostics_.add(
        given_.at(keys::trainer.use)->value->at,
        fmt::format("trainer {} takes {}, but {} {}", result_.selection.trainer,
                    names[static_cast<int>(eats)], words, names[static_cast<int>(makes)]));
  }

  // A loader that repeats another's batch: the shape is that one's, and it makes batches itself.
  void check_repeated() {
    const Selection& s = result_.selection;
    const PartRow* loader = catalog_.find(PartKind::loader, s.loader);
    if (!loader || s.of.empty()) return;
    if (s.of == s.loader)
      diagnostics_.add(given_.at(kRepeatedUse)->value->at,
                       fmt::format("{} repeats what another loader makes: loader.of.use names one "
                                   "that reads or makes batches, such as native or synthetic",
                                   s.loader));
    for (const Parameter& p : loader->description->parameters) {
      const std::string key = "loader." + std::string(p.key);
      const Entry* found = find_entry(given_, key);
      if (p.standard == "none" && found && key != kRepeatedUse)
        diagnostics_.add(found->at,
                         fmt::format("{} is for a batch of synthetic images, and this one is of "
                                     "loader.of.use: {}",
                                     key, s.of));
    }
  }

  void fill(const std::string& key, const KnownKey& known) {
    const Entry* found = find_entry(given_, key);
    if (key == keys::dataset.format && !format_.empty()) {
      put(key, {ParameterType::text, format_});
    } else if (found) {
      if (const auto value = check_value(*found, known, catalog_, diagnostics_)) put(key, *value);
    } else if (!is_dataset_default_wanted(key, given_)) {
      return;
    } else if (known.parameter->standard.empty()) {
      diagnostics_.add(owner_place(key, known), known.owner.empty()
                                                    ? fmt::format("{} is missing", key)
                                                    : fmt::format("{} needs {}", known.owner, key));
    } else if (known.parameter->standard == "auto") {
      put(key, {ParameterType::text, std::string("auto")});
    } else if (const auto value = Value::parse(known.parameter->type, known.parameter->standard)) {
      put(key, *value);
    }
  }
  void fill_free(const KeyTable& table) {
    for (const auto& [key, entry] : given_)
      if (const KnownKey* known = table.find(key); known && known->free) fill(key, *known);
  }
  // `args:` with nothing or {} below it.
  static bool says_nothing(const YamlNode& node) {
    return node.kind == YamlNode::Kind::none || (node.map() && node.members.empty());
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
      if (const auto at = layer->sections.find(section); at != layer->sections.end())
        return at->second;
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

  void settle() {
    SettingsMap& s = result_.settings;
    if (const Value* device = s.find(keys::trainer.device); device && is_auto(*device))
      s.set(keys::trainer.device, device_);
    settle_device(s, given_, result_.decisions);
    if (const Value* dispatch = s.find(keys::loader.dispatch); dispatch && is_auto(*dispatch))
      s.set(keys::loader.dispatch, "shared");
    if (const Value* jobs = s.find(keys::loader.max_jobs); jobs && is_auto(*jobs))
      s.erase(keys::loader.max_jobs);
    settle_window(s, given_, result_.decisions);
    check_measure(s, given_, catalog_.find(PartKind::loader, result_.selection.loader),
                  result_.decisions, diagnostics_);
    if (const auto store = emulated_figures(s))
      result_.decisions.push_back(
          fmt::format("dataset.storage emulates {}: {}",
                      text_of(given_, keys::dataset.storage.like, "custom storage"),
                      benchbench::text_of(*store)));
    check_external(s, given_, result_.selection, catalog_, result_.decisions, diagnostics_);
    const bool shares_rows = s.get_if(keys::loader.work_unit) == "sample";
    if (shares_rows && s.get(keys::loader.dispatch) != "shared")
      diagnostics_.add(given_.at(keys::loader.dispatch)->value->at,
                       "loader.work_unit: sample, with which workers share a batch's rows, needs "
                       "loader.dispatch: shared");
  }

  const std::vector<const Layer*>& layers_;
  std::optional<KeyTable> base_keys_;
  const std::string& device_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
  Given given_;
  Resolved result_;
  std::string format_;
};

}  // namespace

Resolved resolve(const std::vector<const Layer*>& layers, const std::string& device,
                 const Catalog& catalog, Diagnostics& diagnostics, const Selection* base) {
  return Resolver(layers, device, catalog, diagnostics, base).run();
}

}  // namespace benchbench::config
