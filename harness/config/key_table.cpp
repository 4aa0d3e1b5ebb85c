#include "harness/config/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/core/contains.h"
#include "harness/core/spelling.h"
#include "harness/record/keys.h"
#include "harness/record/setting_keys.h"

namespace benchbench::config {
namespace {

std::string_view last_word(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

constexpr Parameter kFreeKey{"args", ParameterType::text, "none",
                             "A keyword that the user's function is called with."};

// A word below one of the prefixes.
std::string_view below(const auto& prefixes, std::string_view key) {
  for (const std::string_view prefix : prefixes)
    if (key.size() > prefix.size() && key.starts_with(prefix)) return key.substr(prefix.size());
  return {};
}

// Returns the part that is called so elsewhere; "" where there is none.
std::string_view part_called_elsewhere(std::string_view name) {
  static const std::map<std::string_view, std::string_view> parts{
      {"DataLoader", "python"}, {"dataloader", "python"}, {"pytorch", "python"}};
  const std::string_view* found = find_value(parts, name);
  return found ? *found : std::string_view();
}

}  // namespace

std::string_view section_of(std::string_view key) { return key.substr(0, key.find('.')); }

std::string whole_key(std::string_view word) {
  std::vector<std::string> all, last;
  for (const KeySection& section : key_sections())
    for (const Parameter& p : section.keys)
      if (p.key != "use") {
        all.push_back(fmt::format("{}{}", section.prefix, p.key));
        last.emplace_back(p.key);
      }
  const auto found = std::ranges::find(last, nearest_spelling(word, last));
  return found == last.end() ? std::string{} : all[static_cast<std::size_t>(found - last.begin())];
}

std::string nearest_part(PartKind kind, const std::string& name, const Catalog& catalog) {
  if (name.empty() || name == "none" || catalog.find(kind, name)) return name;
  const std::string elsewhere(part_called_elsewhere(name));
  if (catalog.find(kind, elsewhere)) return elsewhere;
  const std::string near = nearest_spelling(name, catalog.names(kind));
  return near.empty() ? name : near;
}

const PartKind* part_kind_named_by(std::string_view key) {
  static const std::map<std::string_view, PartKind> kinds{
      {keys::loader.use, PartKind::loader},
      {kRepeatedUse, PartKind::loader},
      {keys::trainer.use, PartKind::trainer},
      {keys::dataset.format, PartKind::sample_format},
      {keys::dataset.prepare, PartKind::preparation},
      {keys::loader.access, PartKind::sampler}};
  return find_value(kinds, key);
}

KeyTable::KeyTable(const Selection& selection, const Catalog& catalog) {
  for (const auto& [prefix, keys] : key_sections()) add(std::string(prefix), keys, "");
  add_part(catalog, PartKind::loader, selection.loader, "loader.");
  if (keys_.contains(kRepeatedUse) && !selection.of.empty())
    add_part(catalog, PartKind::loader, selection.of, kRepeated);
  add_part(catalog, PartKind::trainer, selection.trainer, "trainer.");
  add_part(catalog, PartKind::sample_format, selection.format, "dataset.");
  add_part(catalog, PartKind::sampler, selection.access, "loader.");
  add_part(catalog, PartKind::synthesis, selection.synthesis, "dataset.synthesize.");
}

void KeyTable::add(const std::string& prefix, std::span<const Parameter> parameters,
                   const std::string& owner) {
  for (const Parameter& p : parameters)
    keys_.try_emplace(prefix + std::string(p.key), KnownKey{&p, owner});
}

void KeyTable::add_part(const Catalog& catalog, PartKind kind, const std::string& name,
                        const std::string& prefix) {
  const PartRow* row = catalog.find(kind, name);
  if (!row) return add_unjudged(catalog, kind, prefix);
  const std::string owner = fmt::format("{} {}", name_of(kind), name);
  add(prefix, row->description->parameters, owner);
  if (const auto free = row->description->free_keys; !free.empty())
    free_.emplace(prefix + std::string(free), KnownKey{&kFreeKey, owner, true});
}

void KeyTable::add_unjudged(const Catalog& catalog, PartKind kind, const std::string& prefix) {
  if (kind != PartKind::loader && kind != PartKind::trainer && kind != PartKind::synthesis) return;
  for (const PartRow& other : catalog.rows()) {
    if (other.description->kind != kind) continue;
    for (const Parameter& p : other.description->parameters)
      unjudged_.insert(prefix + std::string(p.key));
    if (const auto free = other.description->free_keys; !free.empty())
      unjudged_free_.insert(prefix + std::string(free));
  }
}

const KnownKey* KeyTable::find(std::string_view key) const {
  if (const KnownKey* found = find_value(keys_, key)) return found;
  for (const auto& [prefix, known] : free_)
    if (const auto word = below(std::array{std::string_view(prefix)}, key);
        !word.empty() && word.find('.') == word.npos)
      return &known;
  return nullptr;
}

bool KeyTable::holds_free_keys(std::string_view key) const {
  return free_.contains(std::string(key) + ".");
}

bool KeyTable::cannot_judge(std::string_view key) const {
  return unjudged_.contains(key) || !below(unjudged_free_, key).empty();
}

// The next words under `parent`, "transform" for all of transform.*.
std::vector<std::string> KeyTable::words_under(const std::string& parent) const {
  std::set<std::string> words;
  for (const auto& [name, known] : keys_) {
    if (!name.starts_with(parent + ".")) continue;
    const std::string rest = name.substr(parent.size() + 1);
    words.insert(rest.substr(0, rest.find('.')));
  }
  for (const auto& [prefix, known] : free_)
    if (section_of(prefix) == parent)
      words.insert(fmt::format("{}NAME", prefix.substr(parent.size() + 1)));
  if (parent == "loader") words.insert("shuffle");
  if (parent == "dataset") words.insert("synthesize");
  return {words.begin(), words.end()};
}

std::string KeyTable::unknown(std::string_view key, std::string_view written) const {
  for (const auto& [prefix, known] : free_)
    if (key.starts_with(prefix))
      return fmt::format(
          "{}: only true, false, numbers and text are passed on; "
          "make anything else in the function itself",
          written);
    else if (holds_free_keys(key))
      return fmt::format("{0} has keywords of the function below it, such as {0}.size", written);
  std::string parent(key.substr(0, key.rfind('.')));
  while (parent.find('.') != std::string::npos && words_under(parent).empty())
    parent.erase(parent.rfind('.'));
  return fmt::format("unknown key {}{} Allowed under {}: {}", written,
                     suggest(nearest_key(key, written), "."), parent,
                     listed(words_under(parent), 64));
}

std::string KeyTable::nearest_key(std::string_view key, std::string_view written) const {
  std::vector<std::string> all;
  for (const auto& [name, known] : keys_) all.push_back(name);
  if (section_of(key) == "loader") all.push_back("loader.shuffle");
  if (std::string nearest = nearest_spelling(written, all); !nearest.empty()) return nearest;
  // The right word in the wrong place: `crop` for `transform.crop`, `num_workers` under dataset.
  const std::string* found = find_element(all, last_word(key), last_word);
  return found ? *found : "";
}

}  // namespace benchbench::config
