#include "harness/config/dataset_rules.h"

#include <algorithm>
#include <vector>

#include "harness/config/rules.h"
#include "harness/core/contains.h"
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
bool is_synthesis(const Entry& e) { return synthesizes(e.key); }
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
void check_columns(const RuleContext& c) {
  const Entry* columns = set_below(c.given, kColumns);
  if (!columns) return;
  const Entry* path = path_in(c.given);
  if (!path)
    return c.diagnostics.add(
        columns->at, "{} names a column of your own data: it needs dataset.path", columns->key);
  std::string format = detect_format(path->value->text, c.catalog);
  if (format.empty()) format = c.selection.format;
  const PartRow* row = c.catalog.find(PartKind::sample_format, format);
  if (row && !row->description->on_disk.columns)
    c.diagnostics.add(columns->at,
                      "format {} has no columns to name; formats with "
                      "columns: {}",
                      format, listed(formats_with_columns(c.catalog)));
}

// Anything that says which data: all but the emulated storage.
bool any_in(const Given& given) {
  return std::ranges::any_of(given, [](const auto& e) {
    return e.first.starts_with("dataset.") && !e.first.starts_with(kStorage);
  });
}

bool Holds::* made_kind(const Given& given) {
  const auto makes = [&](std::string_view kind) {
    return first_below(given, fmt::format("dataset.synthesize.{}.", kind)) != nullptr;
  };
  return makes("tokens") ? &Holds::tokens : makes("volume") ? &Holds::volumes : &Holds::images;
}

// Of a loader that gets the place of the data, and reads them itself.
bool takes_any_file(const Given& given, const Catalog& catalog) {
  const PartRow* loader =
      catalog.find(PartKind::loader, word_of(find_entry(given, keys::loader.use)));
  return loader && loader->description->takes_dataset;
}

bool is_behind(const Span& a, const Span& b) {
  return std::pair(a.line, a.column) > std::pair(b.line, b.column);
}

bool asks_store(const PartDescription& loader) {
  return loader.needs_dataset || std::ranges::any_of(loader.parameters, [](const Parameter& p) {
           return p.key == "sample_bytes";
         });
}

}  // namespace

void lay_dataset(const Layer& layer, Given& given, std::vector<std::string>& decisions,
                 Diagnostics& diagnostics) {
  const Entry* path = find_element(layer.entries, true, is_path);
  const Entry* made = find_element(layer.entries, true, is_synthesis);
  if (made && made->key == kSynthesize && !made->value->map())
    diagnostics.add(made->value->at, "dataset.synthesize takes keys, such as {samples: 2048}");
  if (path && made) {
    diagnostics.add(is_behind(path->at, made->at) ? path->at : made->at,
                    "dataset.path and dataset.synthesize are mutually exclusive");
  } else if (path && synthesis_in(given)) {
    std::erase_if(given, [](const auto& e) { return synthesizes(e.first); });
    note(decisions, "dataset.synthesize dropped: {} sets dataset.path", layer.name);
  } else if (made && path_in(given)) {
    given.erase(keys::dataset.path);
    note(decisions, "dataset.path dropped: {} sets dataset.synthesize", layer.name);
  }
}

std::string format_if_none(const Given& given, const Catalog& catalog,
                           std::vector<std::string>& decisions) {
  const Entry* format = find_entry(given, keys::dataset.format);
  const Entry* path = path_in(given);
  if ((format && word_of(format) != "none") || (!path && !synthesis_in(given))) return {};
  if (word_of(find_entry(given, keys::dataset.prepare)) == "decoded") {
    std::string chosen = standard_format(&Holds::pixels, catalog);
    note(decisions, "dataset.format is {}, the default for the pixels that dataset.prepare makes",
         chosen);
    return chosen;
  }
  std::string chosen =
      path ? detect_format(path->value->text, catalog) : standard_format(made_kind(given), catalog);
  // Nothing is read by the format of a file that is not known.
  if (path && chosen.empty() && takes_any_file(given, catalog))
    return standard_format(&Holds::images, catalog);
  if (!chosen.empty())
    note(decisions, "dataset.format is {}, the {}", chosen,
         path ? "format of the data at dataset.path" : "default");
  return chosen;
}

void check_dataset(const RuleContext& c) {
  const std::string& maker = c.selection.maker();
  const PartRow* loader = c.catalog.find(PartKind::loader, maker);
  if (!loader || loader->description->takes_dataset) return;  // its data are its own
  const PartDescription& part = *loader->description;
  const bool has_data = path_in(c.given) || synthesis_in(c.given);
  if (part.needs_dataset && !has_data)
    c.diagnostics.add(c.given.at(keys::loader.use)->value->at,
                      "loader {} reads a dataset: set dataset.path or dataset.synthesize", maker);
  else if (!part.needs_dataset && any_in(c.given))
    note(c.decisions, "dataset has no effect: loader {} does not read it", maker);
  if (part.needs_dataset) check_columns(c);
  if (const Entry* storage = set_below(c.given, kStorage); storage && !asks_store(part))
    note(c.decisions, "{} has no effect: loader {} reads no bytes", storage->key, maker);
}

bool is_dataset_default_wanted(std::string_view key, const Given& given) {
  if (key.starts_with("dataset.synthesize.")) return synthesis_in(given) != nullptr;
  return !key.starts_with("dataset.") || any_in(given);
}

}  // namespace benchbench::config
