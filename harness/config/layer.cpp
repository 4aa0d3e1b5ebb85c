#include "harness/config/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/config/key_table.h"
#include "harness/core/spelling.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr std::array<std::string_view, 5> kSections{"dataset", "loader", "trainer", "measure",
                                                    "run"};

bool is_section(std::string_view word) {
  return std::ranges::find(kSections, word) != kSections.end();
}

// One entry a key: a second one, in whatever spelling, is a duplicate.
void add_once(std::vector<Entry>& entries, Entry entry, Diagnostics& diagnostics) {
  const auto first =
      std::ranges::find_if(entries, [&](const Entry& e) { return e.key == entry.key; });
  if (first == entries.end()) return entries.push_back(std::move(entry));
  const std::string other =
      first->written == entry.written ? "" : fmt::format(", as {}", first->written);
  diagnostics.add(entry.at, fmt::format("duplicate key {}: already set in line {}{}", entry.written,
                                        first->at.line, other));
}

void flatten(const std::string& key, const Span& at, const YamlNode& value,
             std::vector<Entry>& entries, Diagnostics& diagnostics) {
  if (value.map() && !value.members.empty()) {
    for (const YamlMember& m : value.members)
      flatten(key + "." + m.key, m.at, m.value, entries, diagnostics);
  } else {
    add_once(entries, {canonical_key(key), key, at, &value}, diagnostics);
  }
}

// `loader:` with nothing or {} under it says nothing.
bool says_nothing(const std::string& key, const YamlNode& value) {
  return is_section(key) &&
         (value.kind == YamlNode::Kind::none || (value.map() && value.members.empty()));
}

void flatten_axes(const std::string& key, const Span& at, const YamlNode& value, Layer& layer,
                  Diagnostics& diagnostics) {
  if (value.map()) {
    for (const YamlMember& m : value.members)
      flatten_axes(key + "." + m.key, m.at, m.value, layer, diagnostics);
  } else {
    read_axis(key, at, value, layer, diagnostics);
  }
}

void read_sweep(const YamlNode& sweep, Layer& layer, Diagnostics& diagnostics) {
  if (sweep.scalar() && !sweep.quoted && sweep.text == "none") {
    layer.no_sweep = sweep.at;
    return;
  }
  if (!sweep.map())
    return diagnostics.add(
        sweep.at, "sweep takes `mode` and axes, such as loader.num_workers: [0, 1, 2], or none");
  for (const YamlMember& m : sweep.members) {
    if (m.key == "mode")
      add_once(layer.mode, {"sweep.mode", "sweep.mode", m.at, &m.value}, diagnostics);
    else if (is_section(section_of(m.key)))
      flatten_axes(m.key, m.at, m.value, layer, diagnostics);
  }
  // Misspelt sections may stand for an axis that is given besides.
  for (const YamlMember& m : sweep.members)
    if (m.key != "mode" && !is_section(section_of(m.key)))
      flatten_axes(m.key, m.at, m.value, layer, diagnostics);
}

std::vector<std::string> sections_allowed(const LayerRules& rules) {
  std::vector<std::string> allowed(kSections.begin(), kSections.end());
  if (rules.title) allowed.insert(allowed.end(), {"name", "question"});
  if (rules.sweep) allowed.emplace_back("sweep");
  if (rules.variants) allowed.emplace_back("variants");
  return allowed;
}

// loader.num_workers of `workers`; empty where no axis is near.
std::string whole_axis(const std::string& key) {
  const std::string whole = key.find('.') == std::string::npos ? whole_key(key) : std::string{};
  return whole.starts_with("measure.") ? std::string{} : whole;
}

// loader.num_workers of `loadr.num_workers`; empty where no section is near.
std::string in_nearest_section(const std::string& key) {
  const std::string_view section = section_of(key);
  if (is_section(section)) return {};
  const std::string nearest =
      nearest_spelling(section, std::vector<std::string>{"dataset", "loader", "trainer", "run"});
  return nearest.empty() ? nearest : nearest + key.substr(section.size());
}

// What follows a misspelt section is judged as the nearest one's, where that axis is not given
// besides.
void refuse_axis(const std::string& key, const Span& at, const YamlNode& value, Layer& layer,
                 Diagnostics& diagnostics) {
  const std::string whole = whole_axis(key);
  const std::string corrected = whole.empty() ? in_nearest_section(key) : std::string{};
  const std::string meant = whole.empty() ? corrected : whole;
  diagnostics.add(
      at, fmt::format("{} cannot be swept{} An axis is a key under dataset, loader, trainer or "
                      "run, or `loader` or `trainer` itself with a list of maps",
                      key, suggest(meant, ".")));
  const auto same = [&](const Entry& e) { return e.key == canonical_key(corrected); };
  if (!corrected.empty() && std::ranges::none_of(layer.axes, same))
    read_axis(corrected, at, value, layer, diagnostics);
}

bool is_known(const YamlMember& m, const LayerRules& rules) {
  const std::string_view section = section_of(m.key);
  return is_section(section) || (rules.sweep && section == "sweep") ||
         (rules.variants && m.key == "variants") ||
         (rules.title && (m.key == "name" || m.key == "question"));
}

// What lies below a misspelt section is judged as the nearest one's, where that is not given
// besides.
void read_below(const YamlMember& m, const std::string& section, Layer& layer,
                Diagnostics& diagnostics) {
  const std::string below = m.key.substr(section_of(m.key).size());
  if (is_section(section) && !layer.sections.contains(section)) {
    layer.sections.emplace(section, m.at);
    read_set(section + below, m.at, m.value, layer, diagnostics);
  } else if (section == "sweep" && below.empty() && layer.axes.empty() && layer.mode.empty() &&
             !layer.no_sweep) {
    read_sweep(m.value, layer, diagnostics);
  }
}

void refuse_section(const YamlMember& m, const LayerRules& rules, Layer& layer,
                    Diagnostics& diagnostics) {
  const std::vector<std::string> allowed = sections_allowed(rules);
  const std::string section = nearest_spelling(section_of(m.key), allowed);
  const std::string nearest =
      section.empty() ? whole_key(m.key) : section + m.key.substr(section_of(m.key).size());
  diagnostics.add(m.at,
                  fmt::format("unknown key {}{} Allowed here: {}", m.key,
                              suggest(nearest == m.key ? "" : nearest, "."), listed(allowed)));
  if (!section.empty()) read_below(m, section, layer, diagnostics);
}

}  // namespace

std::string canonical_key(const std::string& written) {
  return written == "loader.shuffle" ? keys::loader.access : written;
}

void read_layer(const YamlNode& map, const LayerRules& rules, Layer& layer,
                Diagnostics& diagnostics) {
  for (const YamlMember& m : map.members)
    if (is_known(m, rules)) read_member(m, rules, layer, diagnostics);
  for (const YamlMember& m : map.members)
    if (!is_known(m, rules)) refuse_section(m, rules, layer, diagnostics);
}

void read_member(const YamlMember& m, const LayerRules& rules, Layer& layer,
                 Diagnostics& diagnostics) {
  const std::string section(section_of(m.key));
  if (rules.title && (m.key == "name" || m.key == "question")) {
    add_once(layer.title, {m.key, m.key, m.at, &m.value}, diagnostics);
  } else if (rules.sweep && m.key == "sweep") {
    read_sweep(m.value, layer, diagnostics);
  } else if (rules.sweep && section == "sweep") {
    const std::string rest = m.key.substr(std::min(m.key.size(), section.size() + 1));
    if (rest == "mode")
      add_once(layer.mode, {m.key, m.key, m.at, &m.value}, diagnostics);
    else
      flatten_axes(rest, m.at, m.value, layer, diagnostics);
  } else if (is_section(section)) {
    layer.sections.try_emplace(section, m.at);
    read_set(m.key, m.at, m.value, layer, diagnostics);
  } else if (!is_known(m, rules)) {
    refuse_section(m, rules, layer, diagnostics);
  }
}

void read_set(const std::string& key, const Span& at, const YamlNode& value, Layer& layer,
              Diagnostics& diagnostics) {
  if (says_nothing(key, value)) return;
  if (is_section(key) && !value.map())
    return diagnostics.add(value.at, fmt::format("{} takes keys, such as {}", key,
                                                 key == "dataset"   ? "format: image_folder"
                                                 : key == "measure" ? "rounds: 3"
                                                 : key == "run"     ? "cpus: 2"
                                                                    : "use: ..."));
  flatten(key, at, value, layer.entries, diagnostics);
}

void read_axis(const std::string& key, const Span& at, const YamlNode& value, Layer& layer,
               Diagnostics& diagnostics) {
  const std::string section(section_of(key));
  const bool swept = section == "dataset" || section == "loader" || section == "trainer" ||
                     key.starts_with("run.");
  if (!swept) return refuse_axis(key, at, value, layer, diagnostics);
  const bool drops = value.scalar() && !value.quoted && value.text == "none";
  if (!value.list() && !drops)
    return diagnostics.add(
        value.at, fmt::format("the axis {} takes a list of values, such as [1, 2, 4]", key));
  if (value.list() && value.items.empty())
    return diagnostics.add(value.at,
                           fmt::format("the axis {} is empty: add values or remove it", key));
  add_once(layer.axes, {canonical_key(key), key, at, &value}, diagnostics);
}

}  // namespace benchbench::config
