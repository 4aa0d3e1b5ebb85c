#include "harness/config/layer.h"

#include <algorithm>
#include <array>

#include "harness/config/key_table.h"
#include "harness/core/spelling.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

constexpr std::array<std::string_view, 5> kSections{"dataset", "loader", "trainer", "measure",
                                                    "run"};

bool is_section(std::string_view word) { return contains(kSections, word); }

bool is_title(std::string_view key) { return key == "name" || key == "question"; }

// True of the word none that is not in quotes.
bool is_none(const YamlNode& value) {
  return value.scalar() && !value.quoted && value.text == "none";
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

std::string_view find_example(std::string_view section) {
  return section == "dataset"   ? "format: image_folder"
         : section == "measure" ? "rounds: 3"
         : section == "run"     ? "cpus: 2"
                                : "use: ...";
}

}  // namespace

std::string canonical_key(const std::string& written) {
  return written == "loader.shuffle" ? keys::loader.access : written;
}

// One entry a key: a second one, in whatever spelling, is a duplicate.
void LayerReader::add_once(std::vector<Entry>& entries, Entry entry) {
  const Entry* first = find_element(entries, entry.key, &Entry::key);
  if (!first) return entries.push_back(std::move(entry));
  const std::string other =
      first->written == entry.written ? "" : fmt::format(", as {}", first->written);
  diagnostics_.add(entry.at, "duplicate key {}: already set in line {}{}", entry.written,
                   first->at.line, other);
}

void LayerReader::flatten(const std::string& key, const Span& at, const YamlNode& value) {
  if (!value.map() || value.members.empty())
    return add_once(layer_.entries, {canonical_key(key), key, at, &value});
  for (const YamlMember& m : value.members) flatten(key + "." + m.key, m.at, m.value);
}

void LayerReader::flatten_axes(const std::string& key, const Span& at, const YamlNode& value) {
  if (!value.map()) return read_axis(key, at, value);
  for (const YamlMember& m : value.members) flatten_axes(key + "." + m.key, m.at, m.value);
}

// `key`: without "sweep.".
void LayerReader::read_swept(const std::string& key, const Span& at, const YamlNode& value) {
  if (key == "mode")
    add_once(layer_.mode, {"sweep.mode", "sweep.mode", at, &value});
  else
    flatten_axes(key, at, value);
}

void LayerReader::read_sweep(const YamlNode& sweep) {
  if (is_none(sweep)) {
    layer_.no_sweep = sweep.at;
    return;
  }
  if (!sweep.map())
    return diagnostics_.add(
        sweep.at, "sweep takes `mode` and axes, such as loader.num_workers: [0, 1, 2], or none");
  // Misspelt sections come last: they may stand for an axis that is given besides.
  for (const bool known : {true, false})
    for (const YamlMember& m : sweep.members)
      if ((m.key == "mode" || is_section(section_of(m.key))) == known)
        read_swept(m.key, m.at, m.value);
}

std::vector<std::string> LayerReader::sections_allowed() const {
  std::vector<std::string> allowed(kSections.begin(), kSections.end());
  if (rules_.title) allowed.insert(allowed.end(), {"name", "question"});
  if (rules_.sweep) allowed.emplace_back("sweep");
  if (rules_.variants) allowed.emplace_back("variants");
  return allowed;
}

// What follows a misspelt section is judged as the nearest one's, where that axis is not given
// besides.
void LayerReader::refuse_axis(const std::string& key, const Span& at, const YamlNode& value) {
  const std::string whole = whole_axis(key);
  const std::string corrected = whole.empty() ? in_nearest_section(key) : std::string{};
  diagnostics_.add(at,
                   "{} cannot be swept{} An axis is a key under dataset, loader, trainer or "
                   "run, or `loader` or `trainer` itself with a list of maps",
                   key, suggest(whole.empty() ? corrected : whole, "."));
  if (!corrected.empty() && !contains(layer_.axes, canonical_key(corrected), &Entry::key))
    read_axis(corrected, at, value);
}

bool LayerReader::is_known(const YamlMember& m) const {
  const std::string_view section = section_of(m.key);
  return is_section(section) || (rules_.sweep && section == "sweep") ||
         (rules_.variants && m.key == "variants") || (rules_.title && is_title(m.key));
}

// What lies below a misspelt section is judged as the nearest one's, where that is not given
// besides.
void LayerReader::read_below(const YamlMember& m, const std::string& section) {
  const std::string below = m.key.substr(section_of(m.key).size());
  if (is_section(section) && !layer_.sections.contains(section)) {
    layer_.sections.emplace(section, m.at);
    read_set(section + below, m.at, m.value);
  } else if (section == "sweep" && below.empty() && layer_.axes.empty() && layer_.mode.empty() &&
             !layer_.no_sweep) {
    read_sweep(m.value);
  }
}

void LayerReader::refuse_section(const YamlMember& m) {
  const std::vector<std::string> allowed = sections_allowed();
  const std::string section = nearest_spelling(section_of(m.key), allowed);
  const std::string nearest =
      section.empty() ? whole_key(m.key) : section + m.key.substr(section_of(m.key).size());
  diagnostics_.add(m.at, "unknown key {}{} Allowed here: {}", m.key,
                   suggest(nearest == m.key ? "" : nearest, "."), listed(allowed));
  if (!section.empty()) read_below(m, section);
}

void LayerReader::read(const YamlNode& map) {
  for (const YamlMember& m : map.members)
    if (is_known(m)) read_member(m);
  for (const YamlMember& m : map.members)
    if (!is_known(m)) refuse_section(m);
}

void LayerReader::read_member(const YamlMember& m) {
  if (!is_known(m)) return refuse_section(m);
  const std::string section(section_of(m.key));
  if (is_title(m.key)) {
    add_once(layer_.title, {m.key, m.key, m.at, &m.value});
  } else if (m.key == "sweep") {
    read_sweep(m.value);
  } else if (section == "sweep") {
    read_swept(m.key.substr(section.size() + 1), m.at, m.value);
  } else if (is_section(section)) {
    layer_.sections.try_emplace(section, m.at);
    read_set(m.key, m.at, m.value);
  }
}

void LayerReader::read_set(const std::string& key, const Span& at, const YamlNode& value) {
  if (is_section(key) && value.says_nothing()) return;  // `loader:` with nothing or {} under it
  if (is_section(key) && !value.map())
    return diagnostics_.add(value.at, "{} takes keys, such as {}", key, find_example(key));
  flatten(key, at, value);
}

void LayerReader::read_axis(const std::string& key, const Span& at, const YamlNode& value) {
  const std::string_view section = section_of(key);
  if (section == "measure" || key == "run" || !is_section(section))
    return refuse_axis(key, at, value);
  if (!value.list() && !is_none(value))
    return diagnostics_.add(value.at, "the axis {} takes a list of values, such as [1, 2, 4]", key);
  if (value.list() && value.items.empty())
    return diagnostics_.add(value.at, "the axis {} is empty: add values or remove it", key);
  add_once(layer_.axes, {canonical_key(key), key, at, &value});
}

}  // namespace benchbench::config
