#include "harness/config/dataset_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/spelling.h"
#include "harness/dataset/dataset_need.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr std::string_view kSynthesize = "dataset.synthesize";
// An emulated storage is below any loader that asks it.
constexpr std::string_view kStorage = "dataset.storage.";
constexpr std::string_view kColumns = "dataset.columns.";

bool synthesizes(std::string_view key) {
  return key == kSynthesize || key.starts_with("dataset.synthesize.");
}
bool is_path(const Entry& e) {
  return e.key == keys::dataset.path && e.value->scalar() && e.value->text != "none";
}

const Entry* synthesis_in(const Given& given) {
  const auto found = given.lower_bound(kSynthesize);
  return found != given.end() && synthesizes(found->first) ? found->second : nullptr;
}
const Entry* path_in(const Given& given) {
  const Entry* found = find_entry(given, keys::dataset.path);
  return found && is_path(*found) ? found : nullptr;
}
// Something other than none below `prefix`.
const Entry* set_below(const Given& given, std::string_view prefix) {
  for (const auto& [key, entry] : given)
    if (key.starts_with(prefix) && entry->value->text != "none") return entry;
  return nullptr;
}

std::vector<std::string> formats_with_columns(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const PartRow& row : catalog.rows())
    if (row.description->kind == PartKind::sample_format && row.description->on_disk.columns)
      names.emplace_back(row.description->name);
  return names;
}

// They are those of the data at dataset.path, in whichever format these are then stored.
void check_columns(const Given& given, const Selection& selection, const Catalog& catalog,
                   Diagnostics& diagnostics) {
  const Entry* columns = set_below(given, kColumns);
  if (!columns) return;
  const Entry* path = path_in(given);
  if (!path)
    return diagnostics.add(
        columns->at,
        fmt::format("{} names a column of your own data: it needs dataset.path", columns->key));
  std::string format = detect_format(path->value->text, catalog);
  if (format.empty()) format = selection.format;
  const PartRow* row = catalog.find(PartKind::sample_format, format);
  if (row && !row->description->on_disk.columns)
    diagnostics.add(columns->at, fmt::format("format {} has no columns to name; formats with "
                                             "columns: {}",
                                             format, listed(formats_with_columns(catalog))));
}

// Anything that says which data: all but the emulated storage.
bool any_in(const Given& given) {
  return std::ranges::any_of(given, [](const auto& e) {
    return e.first.starts_with("dataset.") && !e.first.starts_with(kStorage);
  });
}

// Of a loader that gets the place of the data, and reads them itself.
bool takes_any_file(const Given& given, const Catalog& catalog) {
  const PartRow* loader =
      catalog.find(PartKind::loader, word_of(find_entry(given, keys::loader.use)));
  return loader && loader->description->takes_dataset;
}

bool asks_store(const PartDescription& loader) {
  return loader.needs_dataset || std::ranges::any_of(loader.parameters, [](const Parameter& p) {
           return p.key == "sample_bytes";
         });
}

}  // namespace

void lay_dataset(const Layer& layer, Given& given, std::vector<std::string>& decisions,
                 Diagnostics& diagnostics) {
  const auto path = std::ranges::find_if(layer.entries, is_path);
  const auto made =
      std::ranges::find_if(layer.entries, [](const Entry& e) { return synthesizes(e.key); });
  if (made != layer.entries.end() && made->key == kSynthesize && !made->value->map())
    diagnostics.add(made->value->at, "dataset.synthesize takes keys, such as {samples: 2048}");
  if (path != layer.entries.end() && made != layer.entries.end()) {
    const bool path_last =
        std::pair(path->at.line, path->at.column) > std::pair(made->at.line, made->at.column);
    diagnostics.add(path_last ? path->at : made->at,
                    "dataset.path and dataset.synthesize are mutually exclusive");
  } else if (path != layer.entries.end() && synthesis_in(given)) {
    std::erase_if(given, [](const auto& e) { return synthesizes(e.first); });
    decisions.push_back(
        fmt::format("dataset.synthesize dropped: {} sets dataset.path", layer.name));
  } else if (made != layer.entries.end() && path_in(given)) {
    given.erase(keys::dataset.path);
    decisions.push_back(
        fmt::format("dataset.path dropped: {} sets dataset.synthesize", layer.name));
  }
}

std::string format_if_none(const Given& given, const Catalog& catalog,
                           std::vector<std::string>& decisions) {
  if (const Entry* format = find_entry(given, keys::dataset.format);
      format && word_of(format) != "none")
    return {};
  const Entry* path = path_in(given);
  if (!path && !synthesis_in(given)) return {};
  const auto synthesizes_of = [&](std::string_view kind) {
    return first_below(given, fmt::format("dataset.synthesize.{}.", kind)) != nullptr;
  };
  if (word_of(find_entry(given, keys::dataset.prepare)) == "decoded") {
    std::string chosen = standard_format(&Holds::pixels, catalog);
    decisions.push_back(fmt::format(
        "dataset.format is {}, the default for the pixels that dataset.prepare makes", chosen));
    return chosen;
  }
  std::string chosen = path ? detect_format(path->value->text, catalog)
                            : standard_format(synthesizes_of("tokens")   ? &Holds::tokens
                                              : synthesizes_of("volume") ? &Holds::volumes
                                                                         : &Holds::images,
                                              catalog);
  const bool unknown_file = path && chosen.empty() && takes_any_file(given, catalog);
  if (unknown_file) return standard_format(&Holds::images, catalog);  // nothing is read by it
  if (!chosen.empty())
    decisions.push_back(
        path ? fmt::format("dataset.format is {}, the format of the data at dataset.path", chosen)
             : fmt::format("dataset.format is {}, the default", chosen));
  return chosen;
}

void check_dataset(const Given& given, const Selection& selection, const Catalog& catalog,
                   std::vector<std::string>& decisions, Diagnostics& diagnostics) {
  const PartRow* loader = catalog.find(PartKind::loader, selection.maker());
  if (!loader) return;
  const bool has_data = path_in(given) || synthesis_in(given);
  const PartDescription& part = *loader->description;
  if (part.takes_dataset) return;  // external_rules.h
  if (part.needs_dataset && !has_data)
    diagnostics.add(given.at(keys::loader.use)->value->at,
                    fmt::format("loader {} reads a dataset: set dataset.path or dataset.synthesize",
                                selection.maker()));
  else if (!part.needs_dataset && any_in(given))
    decisions.push_back(
        fmt::format("dataset has no effect: loader {} does not read it", selection.maker()));
  if (part.needs_dataset) check_columns(given, selection, catalog, diagnostics);
  if (const Entry* storage = set_below(given, kStorage); storage && !asks_store(part))
    decisions.push_back(
        fmt::format("{} has no effect: loader {} reads no bytes", storage->key, selection.maker()));
}

bool is_dataset_default_wanted(std::string_view key, const Given& given) {
  if (key.starts_with("dataset.synthesize.")) return synthesis_in(given) != nullptr;
  return !key.starts_with("dataset.") || any_in(given);
}

}  // namespace benchbench::config
